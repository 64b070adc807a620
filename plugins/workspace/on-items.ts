import { clip, fixedPlan, sql, uuid, type WriteContext } from 'tasuki/plugin'
import { itemChanges, itemMoves, type ItemChange } from '../items/points.ts'
import { settingChanges, type SettingChange } from '../projects/points.ts'
import { keptValue } from './history-refs.ts'
import { shortValue } from './short-value.ts'

/** Keeps the history: one statement for all changes of a call. */
export const recordActivities = itemChanges(record)

/** What is no item's history is kept beside it, so that every write has its actor. */
export const recordSettings = settingChanges(record)

async function record(ctx: WriteContext, changes: readonly Recorded[]): Promise<void> {
  if (changes.length === 0) return
  const rows = JSON.stringify(changes.map(activityRow))
  const { actor, call } = ctx
  await sql`
    ${fixedPlan} insert into workspace.activities (owner_id, id, item_id, project_id, kind, from_value, to_value, reason,
      actor_kind, actor_user_id, client, credential_label, call, created_at)
    select x.owner_id, x.id, x.item_id, x.project_id, x.kind, x.from_value, x.to_value, x.reason,
      ${actor.kind}::text, ${actor.userId}::uuid, ${actor.client}::text, ${actor.credentialLabel}::text, ${call.name}::text, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${rows}::jsonb) as x(owner_id uuid, id uuid, item_id uuid, project_id uuid, kind text,
      from_value jsonb, to_value jsonb, reason text)
  `.execute(ctx.db)
}

/** The history of an item is seen by those who see the item, also what was before it moved into their project. */
export const moveActivities = itemMoves(() => async (ctx, drafts) => {
  if (drafts.length === 0) return
  const { ownerId, project } = drafts[0]!
  await sql`
    update workspace.activities a set project_id = ${project.id}
    where a.owner_id = ${ownerId} and a.item_id in (${sql.join(drafts.map(({ id }) => id))})
  `.execute(ctx.db)
})

type Recorded = Omit<SettingChange, 'from' | 'to'> & Partial<Pick<ItemChange, 'itemId' | 'from' | 'to' | 'reason'>>

function activityRow({ ownerId, itemId, projectId, kind, from, to, reason }: Recorded): object {
  return {
    owner_id: ownerId,
    id: uuid(),
    item_id: itemId ?? null,
    project_id: projectId,
    kind,
    from_value: shortValue(keptValue(kind, from)),
    to_value: shortValue(keptValue(kind, to)),
    reason: reason == null ? null : clip(reason, 1000),
  }
}
