import { defineTool, guarded, nullable, sql, Type } from 'tasuki/plugin'
import { announce, checkFresh, draftOf, itemRef, requireItem, written, writtenOutput } from '../../items/index.ts'
import { PATH_MAX, pathKey } from '../names.ts'
import { archivedArea, pickArea } from '../pick.ts'
import { findPlaces, placeItems } from '../placing.ts'

export const projectAreasAssignItem = defineTool({
  name: 'project_areas_assign_item',
  class: 'W',
  title: 'Assign item to area',
  summary: 'Puts an item into an area of its project, or out of it.',
  rank: 760,
  input: Type.Object(
    {
      item_ref: itemRef(),
      area_path: Type.Optional(
        nullable(guarded(Type.String(), { maxLength: PATH_MAX }), {
          description: 'Path or name; null unassigns.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: writtenOutput,
  async run(ctx, { item_ref, area_path }) {
    const item = await requireItem(ctx, item_ref, { write: true, lock: true })
    checkFresh(ctx, item)
    const { ownerId, id, project, title } = item
    const draft = draftOf(item)
    const areas = await findPlaces(ctx, [ownerId], [id], sql`a.project_id = ${project.id}`)
    const before = areas.find(area => area.items.includes(id)) ?? null
    const path = area_path ?? ''
    const after = pathKey(path) === '' ? null : pickArea(areas, path, { projectKey: project.key, field: 'area_path' })
    if (after?.id === before?.id) return written(ctx, draft)
    if (after?.archived) throw archivedArea(after, 'area_path')
    const [from, to] = [before?.path ?? null, after?.path ?? null]
    draft.change('area', from, to)
    await placeItems(ctx, [{ ownerId, itemId: id, areaId: after?.id ?? null }])
    await announce(ctx, [
      { ownerId, itemId: id, projectId: project.id, ref: draft.ref, title, kind: 'item.area.changed', from, to },
    ])
    const result = await written(ctx, draft)
    return after ? result : { ...result, item: { ...result.item, area_path: null } }
  },
})
