import { sql, ToolError } from 'tasuki/plugin'
import { itemMoves } from '../items/points.ts'
import { findArea } from './pick.ts'
import { findPlaces, placeItems } from './placing.ts'

/** Items go into the area of the same path, or of the same name where there is one of it; archived areas take nothing new. */
export const moveAreas = itemMoves(async (ctx, moves) => {
  const { ownerId, project } = moves[0]!.draft
  const ids = moves.map(({ draft }) => draft.id)
  const areas = await findPlaces(ctx, [ownerId], ids, sql`a.project_id = ${project.id}`)
  const there = areas.filter(area => area.projectId === project.id && !area.archived)
  const chosen = new Map<string, string | null>()
  for (const { draft, keep, lose } of moves) {
    const before = areas.find(area => area.items.includes(draft.id))
    if (!before) continue
    const found = findArea(there, before.path, { projectKey: project.key, field: 'to_project' })
    const after = found instanceof ToolError ? null : found
    chosen.set(draft.id, after?.id ?? null)
    if (after) keep('area', before.path, after.path)
    else lose('area', before.path)
  }
  if (chosen.size === 0) return undefined
  return async (write, drafts) => {
    const places = drafts.flatMap(({ id }) => {
      const areaId = chosen.get(id)
      return areaId === undefined ? [] : [{ ownerId, itemId: id, areaId }]
    })
    if (places.length > 0) await placeItems(write, places)
  }
})
