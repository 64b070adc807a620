import { defineTool, requireUnchanged, sql, throwAll, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { announce } from '../../items/index.ts'
import { projectKey, tellSetting, type ProjectRow } from '../../projects/index.ts'
import { areaPath, areaRecord, lockTree } from '../area.ts'
import { pickArea } from '../pick.ts'
import { childrenOf, subtree, type AreaNode } from '../tree.ts'

export const projectAreasDelete = defineTool({
  name: 'project_areas_delete',
  class: 'WD',
  title: 'Delete area',
  summary:
    'Deletes an area; refused while it has children or items, unless force. To hide it use project_areas_update.',
  rank: 960,
  input: Type.Object(
    {
      project_key: projectKey(),
      area_path: areaPath('Path or name.'),
      force: Type.Optional(Type.Boolean({ default: false, description: 'Detach items, delete children.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    deleted: Type.Boolean(),
    id: Type.String(),
    path: Type.String(),
    areas_deleted: Type.Integer(),
    items_detached: Type.Integer(),
  }),
  async run(ctx, { project_key, area_path, force = false }) {
    const { project, tree } = await lockTree(ctx, project_key)
    const area = pickArea(tree, area_path, { projectKey: project.key, field: 'area_path' })
    requireUnchanged(ctx, `The area ${area.path}`, areaRecord(area))
    if (!force) throwAll(refusals(tree, area))
    const doomed = subtree(tree, area)
    const detached = force ? await detachItems(ctx, project, doomed) : 0
    await sql`
      delete from areas.areas where owner_id = ${project.ownerId} and id in (${sql.join(doomed.map(node => node.id))})
    `.execute(ctx.db)
    await tellSetting(ctx, project, {
      kind: 'area.deleted',
      of: { id: area.id, name: area.path },
      before: areaRecord(area),
      changed: ['description'],
    })
    return { deleted: true, id: area.id, path: area.path, areas_deleted: doomed.length, items_detached: detached }
  },
})

function refusals(tree: readonly AreaNode[], area: AreaNode): ToolError[] {
  const children = childrenOf(tree, area)
  const problems: ToolError[] = []
  if (children.length > 0) {
    problems.push(
      new ToolError('has_children', `${area.path} has ${children.length} areas below it.`, {
        field: 'area_path',
        hint: 'Delete or move them first, or set force to delete them too.',
        details: { children: children.slice(0, 20).map(node => node.path), count: children.length },
      }),
    )
  }
  if (area.itemCount > 0) {
    problems.push(
      new ToolError('in_use', `${area.path} has ${area.itemCount} items.`, {
        field: 'area_path',
        hint: 'Assign them elsewhere first, or set force to detach them.',
        details: { items: area.itemCount },
      }),
    )
  }
  return problems
}

async function detachItems(ctx: WriteContext, project: ProjectRow, areas: readonly AreaNode[]): Promise<number> {
  const { rows } = await sql<{ id: string; number: number; title: string; areaId: string }>`
    with detached as (
      delete from areas.item_areas
      where owner_id = ${project.ownerId} and area_id in (${sql.join(areas.map(node => node.id))})
      returning owner_id, item_id, area_id
    )
    select i.id, i.number, i.title, d.area_id as "areaId"
    from detached d join items.items i on i.owner_id = d.owner_id and i.id = d.item_id
  `.execute(ctx.db)
  const paths = new Map(areas.map(node => [node.id, node.path]))
  const changes = rows.map(item => ({
    ownerId: project.ownerId,
    itemId: item.id,
    projectId: project.id,
    ref: `${project.key}#${item.number}`,
    title: item.title,
    kind: 'item.area.changed',
    from: paths.get(item.areaId) ?? null,
    to: null,
  }))
  await announce(ctx, changes)
  return rows.length
}
