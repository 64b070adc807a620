import { defineTool, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { readAreas } from '../area.repository.ts'
import { areaRecord, areaSchema } from '../area.ts'

export const projectAreasList = defineTool({
  name: 'project_areas_list',
  class: 'R',
  title: 'List areas',
  summary: 'Lists the areas of a project in tree order, each with its number of items.',
  rank: 350,
  input: {
    project_key: projectKey(),
    include_archived: Type.Optional(Type.Boolean({ default: false, description: 'Archived areas too.' })),
  },
  output: { areas: Type.Array(areaSchema) },
  rows: 'areas',
  async run(ctx, { project_key, include_archived = false }) {
    const { rows } = await readAreas(ctx, project_key)
    return { areas: rows.filter(area => include_archived || !area.archived).map(areaRecord) }
  },
})
