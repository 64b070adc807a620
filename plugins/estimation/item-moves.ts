import { sql } from 'tasuki/plugin'
import { itemMoves } from '../items/points.ts'
import { writeEstimates } from './estimate.ts'

/** An estimate counts in the unit of its project: in a project with another unit the number would mean something else. */
export const moveEstimates = itemMoves(async (ctx, moves) => {
  const others = moves.filter(({ draft }) => draft.before.project.estimateUnit !== draft.project.estimateUnit)
  if (others.length === 0) return undefined
  const { ownerId } = others[0]!.draft
  const { rows } = await sql<{ itemId: string; value: number }>`
    select e.item_id as "itemId", e.value::float8 as value from estimation.estimates e
    where e.owner_id = ${ownerId} and e.item_id in (${sql.join(others.map(({ draft }) => draft.id))})
  `.execute(ctx.db)
  if (rows.length === 0) return undefined
  const values = new Map(rows.map(({ itemId, value }) => [itemId, value]))
  for (const { draft, lose } of others) {
    const value = values.get(draft.id)
    if (value !== undefined) lose('estimate', `${value} ${draft.before.project.estimateUnit}`)
  }
  return async (write, drafts) => {
    const cleared = drafts.filter(({ id }) => values.has(id)).map(({ id }) => ({ ownerId, itemId: id, value: null }))
    if (cleared.length > 0) await writeEstimates(write, cleared)
  }
})
