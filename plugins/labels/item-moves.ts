import { uuid, type WriteContext } from 'tasuki/plugin'
import { itemMoves, type Draft, type ItemMove } from '../items/points.ts'
import { moveItemLabels, readLabelsToMove, type CarriedLabel } from './item-label.repository.ts'

/** Items keep their labels by name; labels that the new project lacks are defined there with description and color. */
export const moveLabels = itemMoves(async (ctx, moves) => {
  const { ownerId, project } = moves[0]!.draft
  const itemIds = moves.map(({ draft }) => draft.id)
  const rows = await readLabelsToMove(ctx, ownerId, itemIds, project.id)
  if (rows.length === 0) return undefined
  const labels = Map.groupBy(rows, row => row.itemId)
  for (const move of moves) keepLabels(move, labels.get(move.draft.id) ?? [])
  const labelsOf = (draft: Draft) => labels.get(draft.id) ?? []
  return (write, drafts) => copyToProject(write, drafts, drafts.flatMap(labelsOf))
})

function keepLabels({ keep }: ItemMove, labels: readonly CarriedLabel[]): void {
  if (labels.length === 0) return
  keep(
    'labels',
    labels.map(({ name }) => name),
    labels.map(({ name, there }) => there ?? name),
  )
}

async function copyToProject(
  ctx: WriteContext,
  drafts: readonly Draft[],
  labels: readonly CarriedLabel[],
): Promise<void> {
  if (labels.length === 0) return
  const { ownerId, project } = drafts[0]!
  const wanted = [...new Map(labels.map(label => [label.key, label])).values()].map(({ labelId }, n) => ({
    id: uuid(),
    like: labelId,
    position: n + 1,
  }))
  const links = labels.map(({ itemId, labelId }) => ({ item_id: itemId, label_id: labelId }))
  await moveItemLabels(ctx, { ownerId, projectId: project.id }, links, wanted)
}
