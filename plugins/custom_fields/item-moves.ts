import { itemMoves } from '../items/points.ts'
import { dropValues, moveValues, readValuesToMove } from './value.repository.ts'

/** Moves values to the active field with the same key. */
export const moveFields = itemMoves(async (ctx, moves) => {
  const { ownerId, project } = moves[0]!.draft
  const itemIds = moves.map(({ draft }) => draft.id)
  const values = Map.groupBy(await readValuesToMove(ctx, ownerId, itemIds, project.id), ({ itemId }) => itemId)
  if (values.size === 0) return undefined
  for (const { draft, keep, lose } of moves) {
    for (const { key, value, there } of values.get(draft.id) ?? []) {
      if (there) keep(`custom_fields.${key}`, value, value)
      else lose(`custom_fields.${key}`, value)
    }
  }
  return async (write, drafts) => {
    const carried = drafts.flatMap(({ id }) => values.get(id) ?? [])
    const kept = carried.filter(({ there }) => there !== null)
    const lost = carried.filter(({ there }) => there === null)
    if (kept.length > 0) await moveValues(write, ownerId, kept)
    await dropValues(write, ownerId, lost)
  }
})
