import { defineTool, sql, throwAll, Type, uuid } from 'tasuki/plugin'
import { projectKey, tellSetting } from '../../projects/index.ts'
import { areaPath, areaRecord, areaResult, description, lockTree } from '../area.ts'
import { areaKey, areaName, NAME_MAX, pathKey } from '../names.ts'
import { pickArea } from '../pick.ts'
import { placeProblems } from '../structure.ts'
import { lastPlace, treeOf } from '../tree.ts'

export const projectAreasCreate = defineTool({
  name: 'project_areas_create',
  class: 'W',
  title: 'Create area',
  summary: 'Creates an area, at the top level or below a parent (3 levels).',
  rank: 850,
  input: Type.Object(
    {
      project_key: projectKey(),
      name: Type.String({ minLength: 1, maxLength: NAME_MAX, description: 'Without "/".' }),
      description: Type.Optional(description('What belongs in it.')),
      parent_path: Type.Optional(areaPath('Path.')),
    },
    { additionalProperties: false },
  ),
  output: areaResult,
  async run(ctx, { project_key, parent_path = '', ...input }) {
    const name = areaName(input.name)
    const { project, tree } = await lockTree(ctx, project_key)
    const parent =
      pathKey(parent_path) === ''
        ? null
        : pickArea(tree, parent_path, { projectKey: project.key, field: 'parent_path' })
    throwAll(placeProblems(tree, { parent, name, area: null, parentField: 'parent_path' }))
    const now = ctx.now.toISOString()
    const row = {
      id: uuid(),
      parentId: parent?.id ?? null,
      name,
      key: areaKey(name),
      description: input.description || null,
      displayOrder: lastPlace(tree, parent),
      marked: false,
      itemCount: 0,
      createdAt: now,
      updatedAt: now,
    }
    await sql`
      insert into areas.areas (owner_id, id, project_id, parent_id, name, name_key, description, display_order, created_at, updated_at)
      values (${project.ownerId}, ${row.id}, ${project.id}, ${row.parentId}, ${name}, ${row.key}, ${row.description},
        ${row.displayOrder}, ${ctx.now}, ${ctx.now})
    `.execute(ctx.db)
    const area = treeOf([...tree, row]).find(node => node.id === row.id)!
    const changed: ('name' | 'description' | 'parent_path')[] = ['name']
    if (row.description !== null) changed.push('description')
    if (parent) changed.push('parent_path')
    const record = areaRecord(area)
    await tellSetting(ctx, project, {
      kind: 'area.created',
      of: { id: area.id, name: area.path },
      after: record,
      changed,
    })
    return { area: record, changed }
  },
})
