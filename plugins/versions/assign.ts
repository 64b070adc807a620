import { ToolError, type WriteContext } from 'tasuki/plugin'
import { announce, checkFresh, draftOf, requireItem, written } from '../items/index.ts'
import type { ProjectRow } from '../projects/index.ts'
import { findVersions, placeInVersions, type PlacedVersion } from './placing.ts'

type Version = Pick<PlacedVersion, 'id' | 'name'>

/**
 * Puts an item of the project into the version that `choose` picks, given the one that it is in; null = into none.
 * @throws ToolError not_found, invalid_argument for an item of another project
 */
export async function assignItem(
  ctx: WriteContext,
  project: ProjectRow,
  ref: string,
  choose: (before: Version | null) => Version | null,
): ReturnType<typeof written> {
  const item = await requireItem(ctx, ref, { write: true, lock: true })
  const { ownerId, id, title } = item
  if (item.project.id !== project.id) {
    throw new ToolError('invalid_argument', `${ref} is an item of ${item.project.key}, not of ${project.key}.`, {
      field: 'item_ref',
      hint: 'An item can only be in versions of its own project.',
    })
  }
  checkFresh(ctx, item)
  const draft = draftOf(item)
  const before = (await findVersions(ctx, [ownerId], { items: [id] }))[0] ?? null
  const after = choose(before)
  if (after?.id === before?.id) return written(ctx, draft)
  const [from, to] = [before?.name ?? null, after?.name ?? null]
  draft.change('version', from, to)
  await placeInVersions(ctx, [{ ownerId, itemId: id, versionId: after?.id ?? null }])
  await announce(ctx, [
    { ownerId, itemId: id, projectId: project.id, ref: draft.ref, title, kind: 'item.version.changed', from, to },
  ])
  const result = await written(ctx, draft)
  return after ? result : { ...result, item: { ...result.item, version_name: null } }
}
