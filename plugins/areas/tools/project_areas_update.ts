import { defineTool, quoteName, requireUnchanged, throwAll, Type } from 'tasuki/plugin'
import { pickNamed } from '../../items/index.ts'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { lockAreas, updateArea } from '../area.repository.ts'
import { areaPath, areaRecord, areaResult, description, type AreaRow } from '../area.ts'
import { areaProblems, lastOrder, pickParent, positionArea } from '../position.ts'
import { areaName, areas, NAME_MAX } from '../placement.repository.ts'

const FIELDS = { name: 'name', description: 'description', parent_path: 'parentId', archived: 'marked' } as const
type Field = keyof typeof FIELDS

export const projectAreasUpdate = defineTool({
  name: 'project_areas_update',
  class: 'W',
  title: 'Change area',
  summary: 'Changes, moves or archives an area with what is below it.',
  rank: 950,
  input: {
    project_key: projectKey(),
    area_path: areaPath('Path or name.'),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_MAX, description: 'New name.' })),
    description: Type.Optional(description('Empty clears.')),
    new_parent_path: Type.Optional(areaPath('Empty = top level.')),
    archived: Type.Optional(Type.Boolean({ description: 'true archives, false brings back.' })),
  },
  output: areaResult,
  async run(ctx, { project_key, area_path, new_parent_path, archived, ...input }) {
    const name = input.name === undefined ? undefined : areaName(input.name)
    const { project, rows } = await lockAreas(ctx, project_key)
    const area = pickNamed(areas, rows, area_path, { projectKey: project.key, field: 'area_path' })
    requireUnchanged(ctx, `The area ${quoteName(area.path)}`, areaRecord(area))
    const field = 'new_parent_path'
    const former = rows.find(row => row.id === area.parentId) ?? null
    const parent =
      new_parent_path === undefined ? former : pickParent(rows, new_parent_path, { projectKey: project.key, field })
    throwAll(areaProblems(rows, name ?? area.name, { row: area, parent, field }))
    const values = {
      ...area,
      name: name ?? area.name,
      description: input.description === undefined ? area.description : input.description || null,
      displayOrder: parent === former ? area.displayOrder : lastOrder(rows, parent),
      marked: archived ?? area.marked,
      updatedAt: ctx.now.toISOString(),
    }
    const after = positionArea(values, parent)
    const changed = (Object.keys(FIELDS) as Field[]).filter(each => after[FIELDS[each]] !== area[FIELDS[each]])
    if (changed.length > 0) await updateArea(ctx, after)
    const now = changed.length === 0 ? area : after
    await recordSettingChange(ctx, project, {
      kind: 'area.changed',
      of: { id: area.id, name: area.path },
      before: areaRecord(area),
      after: areaRecord(now),
      changed,
    })
    const hidden = archived === false && parent?.archived
    return {
      area: { ...areaRecord(now), ...clearedFields(now, changed) },
      changed,
      ...(hidden && {
        warnings: [`${quoteName(now.path)} stays archived until ${quoteName(parent.path)} is brought back.`],
      }),
    }
  },
})

function clearedFields(
  { description, parentId }: AreaRow,
  changed: readonly Field[],
): { description?: null; parent_path?: null } {
  return {
    ...(changed.includes('description') && description === null && { description: null }),
    ...(changed.includes('parent_path') && parentId === null && { parent_path: null }),
  }
}
