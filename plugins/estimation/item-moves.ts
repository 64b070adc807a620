import { itemMoves } from '../items/points.ts'
import { readNumbers, writeEstimates } from './estimate.repository.ts'

/** An estimate has the unit of its project, so items that move to a project with another unit lose it. */
export const moveEstimates = itemMoves(async (ctx, moves) => {
  const others = moves.filter(({ draft }) => draft.before.project.estimateUnit !== draft.project.estimateUnit)
  if (others.length === 0) return undefined
  const { ownerId } = others[0]!.draft
  const itemIds = others.map(({ draft }) => draft.id)
  const values = await readNumbers(ctx, ownerId, itemIds)
  if (values.size === 0) return undefined
  for (const { draft, lose } of others) {
    const value = values.get(draft.id)
    if (value !== undefined) lose('estimate', `${value} ${draft.before.project.estimateUnit}`)
  }
  return async (write, drafts) => {
    const cleared = drafts.filter(({ id }) => values.has(id)).map(({ id }) => ({ ownerId, itemId: id, value: null }))
    if (cleared.length > 0) await writeEstimates(write, cleared)
  }
})
