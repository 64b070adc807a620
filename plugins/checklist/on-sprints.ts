import { sql } from 'tasuki/plugin'
import { sprintProgress, sprintSplits } from '../sprints/points.ts'

/** Part of the steps that are done; null without steps. */
const progress = sprintProgress(
  () => sql`select avg(c.done::int) from checklist.steps c where c.owner_id = i.owner_id and c.item_id = i.id`,
)

/** What goes on with an unfinished item takes the open steps. */
const moveSteps = sprintSplits(async (ctx, splits) => {
  const pairs = splits.map(({ original, continuation }) => ({
    owner_id: original.ownerId,
    from_id: original.id,
    to_id: continuation.id,
  }))
  await sql`
    update checklist.steps c set item_id = s.to_id
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as s(owner_id uuid, from_id uuid, to_id uuid)
    where c.owner_id = s.owner_id and c.item_id = s.from_id and not c.done
  `.execute(ctx.db)
})

/** Everything that checklists add to sprints. */
export const onSprints = [progress, moveSteps]
