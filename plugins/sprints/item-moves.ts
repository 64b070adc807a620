import { itemMoves } from '../items/points.ts'
import { findPlaces, placeItems, type Move } from './placing.ts'

/**
 * Items go into the sprint of the same path that is not closed. What was done in a closed sprint leaves its list as well; the figures of
 * the sprint were kept when it was closed.
 */
export const moveSprints = itemMoves(async (ctx, moves) => {
  const { ownerId, project } = moves[0]!.draft
  const sprints = await findPlaces(ctx, [ownerId], {
    items: moves.map(({ draft }) => draft.id),
    projects: [project.id],
  })
  const there = new Map(
    sprints
      .filter(({ projectId, status }) => projectId === project.id && status !== 'closed')
      .map(sprint => [sprint.pathKey, sprint]),
  )
  const chosen = new Map<string, Pick<Move, 'from' | 'to'>>()
  for (const { draft, keep, lose } of moves) {
    const from = sprints.find(sprint => sprint.items.includes(draft.id))
    if (!from) continue
    const to = there.get(from.pathKey) ?? null
    chosen.set(draft.id, { from, to })
    if (to) keep('sprint', from.path, to.path)
    else lose('sprint', from.path)
  }
  if (chosen.size === 0) return undefined
  return (write, drafts) =>
    placeItems(
      write,
      drafts.flatMap(({ id }) => {
        const move = chosen.get(id)
        return move ? [{ ownerId, itemId: id, field: 'to_project', ...move }] : []
      }),
    )
})
