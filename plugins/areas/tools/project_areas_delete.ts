import { defineTool, formatCount, quoteName, requireUnchanged, throwAll, ToolError, Type } from 'tasuki/plugin'
import { childrenOf, detachItems, pickNamed, subtree } from '../../items/index.ts'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { deleteAreas, lockAreas } from '../area.repository.ts'
import { areaPath, areaRecord, type AreaRow } from '../area.ts'
import { areas } from '../placement.repository.ts'

export const projectAreasDelete = defineTool({
  name: 'project_areas_delete',
  class: 'WD',
  title: 'Delete area',
  summary:
    'Deletes an area; refused while it has children or items, unless force. To hide it use project_areas_update.',
  rank: 960,
  input: {
    project_key: projectKey(),
    area_path: areaPath('Path or name.'),
    force: Type.Optional(Type.Boolean({ default: false, description: 'Detach items, delete children.' })),
  },
  output: {
    deleted: Type.Boolean(),
    id: Type.String(),
    path: Type.String(),
    areas_deleted: Type.Integer(),
    items_detached: Type.Integer(),
  },
  async run(ctx, { project_key, area_path, force = false }) {
    const { project, rows } = await lockAreas(ctx, project_key)
    const area = pickNamed(areas, rows, area_path, { projectKey: project.key, field: 'area_path' })
    requireUnchanged(ctx, `The area ${quoteName(area.path)}`, areaRecord(area))
    if (!force) throwAll(refusals(rows, area))
    const doomed = subtree(rows, area)
    const detached = force ? await detachItems(ctx, areas, project, doomed) : 0
    await deleteAreas(ctx, project, doomed)
    await recordSettingChange(ctx, project, {
      kind: 'area.deleted',
      of: { id: area.id, name: area.path },
      before: areaRecord(area),
      changed: ['description'],
    })
    return { deleted: true, id: area.id, path: area.path, areas_deleted: doomed.length, items_detached: detached }
  },
})

function refusals(rows: readonly AreaRow[], area: AreaRow): ToolError[] {
  const children = childrenOf(rows, area.id)
  const problems: ToolError[] = []
  if (children.length > 0)
    problems.push(
      new ToolError('has_children', `${quoteName(area.path)} has ${formatCount(children.length, 'area')} below it.`, {
        field: 'area_path',
        hint: 'Delete or move them first, or set force to delete them too.',
        details: { children: children.slice(0, 20).map(child => child.path), count: children.length },
      }),
    )
  if (area.itemCount > 0)
    problems.push(
      new ToolError('in_use', `${quoteName(area.path)} has ${formatCount(area.itemCount, 'item')}.`, {
        field: 'area_path',
        hint: 'Assign them elsewhere first, or set force to detach them.',
        details: { items: area.itemCount },
      }),
    )
  return problems
}
