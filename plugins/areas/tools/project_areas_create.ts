import { defineTool, throwAll, Type, uuid } from 'tasuki/plugin'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { insertArea, lockAreas } from '../area.repository.ts'
import { areaPath, areaRecord, areaResult, description } from '../area.ts'
import { areaProblems, lastOrder, pickParent, positionArea } from '../position.ts'
import { areaName, NAME_MAX } from '../placement.repository.ts'

export const projectAreasCreate = defineTool({
  name: 'project_areas_create',
  class: 'W',
  title: 'Create area',
  summary: 'Creates an area, also below a parent (3 levels).',
  rank: 850,
  input: {
    project_key: projectKey(),
    name: Type.String({ minLength: 1, maxLength: NAME_MAX, description: 'Without "/".' }),
    description: Type.Optional(description('What belongs in it.')),
    parent_path: Type.Optional(areaPath('Path.')),
  },
  output: areaResult,
  async run(ctx, { project_key, parent_path = '', ...input }) {
    const name = areaName(input.name)
    const { project, rows } = await lockAreas(ctx, project_key)
    const parent = pickParent(rows, parent_path, { projectKey: project.key, field: 'parent_path' })
    throwAll(areaProblems(rows, name, { row: null, parent, field: 'parent_path' }))
    const now = ctx.now.toISOString()
    const values = {
      ownerId: project.ownerId,
      id: uuid(),
      projectId: project.id,
      name,
      description: input.description || null,
      displayOrder: lastOrder(rows, parent),
      marked: false,
      itemCount: 0,
      createdAt: now,
      updatedAt: now,
    }
    const area = positionArea(values, parent)
    await insertArea(ctx, area)
    const changed: ('name' | 'description' | 'parent_path')[] = ['name']
    if (area.description !== null) changed.push('description')
    if (parent) changed.push('parent_path')
    const record = areaRecord(area)
    await recordSettingChange(ctx, project, {
      kind: 'area.created',
      of: { id: area.id, name: area.path },
      after: record,
      changed,
    })
    return { area: record, changed }
  },
})
