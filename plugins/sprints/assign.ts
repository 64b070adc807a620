import { ToolError, type WriteContext } from 'tasuki/plugin'
import { announce, checkFresh, draftOf, requireItem, written } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { findPlaces, moveProblem, placeItems } from './placing.ts'
import type { SprintRow } from './rows.ts'

/**
 * Puts an item of the project into the sprint that `choose` picks, given the one that it is in; null = into none.
 * @throws ToolError not_found, sprint_closed, invalid_argument for an item of another project
 */
export async function assignItem(
  ctx: WriteContext,
  project: ProjectRow,
  ref: string,
  choose: (before: SprintRow | null) => SprintRow | null,
): ReturnType<typeof written> {
  const item = await requireItem(ctx, ref, { write: true, lock: true })
  const { ownerId, id, title } = item
  if (item.project.id !== project.id) {
    throw new ToolError('invalid_argument', `${ref} is an item of ${item.project.key}, not of ${project.key}.`, {
      field: 'item_ref',
      hint: 'An item can only be in sprints of its own project.',
    })
  }
  checkFresh(ctx, item)
  const draft = draftOf(item)
  const from = (await findPlaces(ctx, [ownerId], { items: [id] }))[0] ?? null
  const to = choose(from)
  if (to?.id === from?.id) return written(ctx, draft)
  const move = { ownerId, itemId: id, from, to, field: 'sprint' }
  const problem = moveProblem(move, item.completedAt)
  if (problem) throw problem
  const [before, after] = [from?.path ?? null, to?.path ?? null]
  draft.change('sprint', before, after)
  await placeItems(ctx, [move])
  await announce(ctx, [
    {
      ownerId,
      itemId: id,
      projectId: project.id,
      ref: draft.ref,
      title,
      kind: 'item.sprint.changed',
      from: before,
      to: after,
    },
  ])
  const result = await written(ctx, draft)
  return to ? result : { ...result, item: { ...result.item, sprint_path: null } }
}
