import { defineTool, guarded, nullable, Type } from 'tasuki/plugin'
import { assignItem, itemRef, pathKey, pickNamed, writtenOutput } from '../../items/index.ts'
import { areas, PATH_MAX } from '../placement.repository.ts'

export const projectAreasAssignItem = defineTool({
  name: 'project_areas_assign_item',
  class: 'W',
  title: 'Assign item to area',
  summary: 'Puts an item into an area of its project, or out of it.',
  rank: 760,
  input: {
    item_ref: itemRef(),
    area_path: Type.Optional(
      nullable(guarded(Type.String(), { maxLength: PATH_MAX }), { description: 'Path or name; null unassigns.' }),
    ),
  },
  output: writtenOutput,
  run(ctx, { item_ref, area_path }) {
    const path = area_path ?? ''
    const field = 'area_path'
    return assignItem(ctx, areas, item_ref, {
      field,
      choose: (_before, places, { project }) =>
        pathKey(path) === '' ? null : pickNamed(areas, places, path, { projectKey: project.key, field }),
    })
  },
})
