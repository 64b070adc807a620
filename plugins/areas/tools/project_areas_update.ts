import { defineTool, requireUnchanged, sql, throwAll, Type, type WriteContext } from 'tasuki/plugin'
import { projectKey, tellSetting, type ProjectRow } from '../../projects/index.ts'
import { areaPath, areaRecord, areaResult, description, lockTree } from '../area.ts'
import { areaKey, areaName, NAME_MAX, pathKey } from '../names.ts'
import { pickArea } from '../pick.ts'
import { placeProblems } from '../structure.ts'
import { lastPlace, treeOf, type AreaNode, type AreaRow } from '../tree.ts'

const FIELDS = { name: 'name', description: 'description', parent_path: 'parentId', archived: 'marked' } as const
type Field = keyof typeof FIELDS

export const projectAreasUpdate = defineTool({
  name: 'project_areas_update',
  class: 'W',
  title: 'Change area',
  summary: 'Changes, moves or archives an area with what is below it.',
  rank: 950,
  input: Type.Object(
    {
      project_key: projectKey(),
      area_path: areaPath('Path or name.'),
      name: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_MAX, description: 'New name.' })),
      description: Type.Optional(description('Empty clears.')),
      new_parent_path: Type.Optional(areaPath('Empty = top level.')),
      archived: Type.Optional(Type.Boolean({ description: 'true archives, false brings back.' })),
    },
    { additionalProperties: false },
  ),
  output: areaResult,
  async run(ctx, { project_key, area_path, new_parent_path, archived, ...input }) {
    const name = input.name === undefined ? undefined : areaName(input.name)
    const { project, tree } = await lockTree(ctx, project_key)
    const area = pickArea(tree, area_path, { projectKey: project.key, field: 'area_path' })
    requireUnchanged(ctx, `The area ${area.path}`, areaRecord(area))
    const parent = new_parent_path === undefined ? area.parent : parentAt(tree, new_parent_path, project)
    const moved = (parent?.id ?? null) !== area.parentId
    throwAll(placeProblems(tree, { parent, name: name ?? area.name, area, parentField: 'new_parent_path' }))
    const after: AreaRow = {
      ...area,
      name: name ?? area.name,
      key: areaKey(name ?? area.name),
      description: input.description === undefined ? area.description : input.description || null,
      parentId: parent?.id ?? null,
      displayOrder: moved ? lastPlace(tree, parent) : area.displayOrder,
      marked: archived ?? area.marked,
      updatedAt: ctx.now.toISOString(),
    }
    const changed = (Object.keys(FIELDS) as Field[]).filter(field => after[FIELDS[field]] !== area[FIELDS[field]])
    if (changed.length > 0) await update(ctx, project, after)
    const now =
      changed.length === 0
        ? area
        : treeOf(tree.map(node => (node.id === area.id ? after : node))).find(node => node.id === area.id)!
    await tellSetting(ctx, project, {
      kind: 'area.changed',
      of: { id: area.id, name: area.path },
      before: areaRecord(area),
      after: areaRecord(now),
      changed,
    })
    const hidden = archived === false && now.parent?.archived
    return {
      area: { ...areaRecord(now), ...cleared(now, changed) },
      changed,
      ...(hidden && { warnings: [`${now.path} stays archived until ${now.parent.path} is brought back.`] }),
    }
  },
})

function parentAt(tree: readonly AreaNode[], path: string, project: ProjectRow): AreaNode | null {
  return pathKey(path) === '' ? null : pickArea(tree, path, { projectKey: project.key, field: 'new_parent_path' })
}

async function update(ctx: WriteContext, project: ProjectRow, area: AreaRow): Promise<void> {
  await sql`
    update areas.areas set name = ${area.name}, name_key = ${area.key}, description = ${area.description}, parent_id = ${area.parentId},
      display_order = ${area.displayOrder}, archived_at = case when ${area.marked} then coalesce(archived_at, ${ctx.now}) end,
      updated_at = ${ctx.now}
    where owner_id = ${project.ownerId} and id = ${area.id}
  `.execute(ctx.db)
}

function cleared(
  { description, parent }: AreaNode,
  changed: readonly Field[],
): { description?: null; parent_path?: null } {
  return {
    ...(changed.includes('description') && description === null && { description: null }),
    ...(changed.includes('parent_path') && parent === null && { parent_path: null }),
  }
}
