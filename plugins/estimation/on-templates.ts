import { sql } from 'tasuki/plugin'
import { templateGenerated } from '../templates/points.ts'

/** A generated task has the estimate of its template. */
export const estimateGenerated = templateGenerated(async (ctx, generated) => {
  const rows = generated.map(({ template, task }) => ({
    owner_id: template.ownerId,
    from_id: template.id,
    to_id: task.id,
  }))
  await sql`
    insert into estimation.estimates (owner_id, item_id, value, updated_at)
    select e.owner_id, g.to_id, e.value, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(owner_id uuid, from_id uuid, to_id uuid)
    join estimation.estimates e on e.owner_id = g.owner_id and e.item_id = g.from_id
  `.execute(ctx.db)
})
