import { itemMoves } from '../items/points.ts'
import { versionKey } from './names.ts'
import { findVersions, placeInVersions } from './placing.ts'

/** Items are for the version of the same name. */
export const moveVersions = itemMoves(async (ctx, moves) => {
  const { ownerId, project } = moves[0]!.draft
  const ids = moves.map(({ draft }) => draft.id)
  const versions = await findVersions(ctx, [ownerId], { items: ids, project: project.id })
  const there = new Map(
    versions.flatMap(version => (version.projectId === project.id ? [[versionKey(version.name), version]] : [])),
  )
  const chosen = new Map<string, string | null>()
  for (const { draft, keep, lose } of moves) {
    const before = versions.find(version => version.items.includes(draft.id))
    if (!before) continue
    const after = there.get(versionKey(before.name))
    chosen.set(draft.id, after?.id ?? null)
    if (after) keep('version', before.name, after.name)
    else lose('version', before.name)
  }
  if (chosen.size === 0) return undefined
  return async (write, drafts) => {
    const places = drafts.flatMap(({ id }) => {
      const versionId = chosen.get(id)
      return versionId === undefined ? [] : [{ ownerId, itemId: id, versionId }]
    })
    if (places.length > 0) await placeInVersions(write, places)
  }
})
