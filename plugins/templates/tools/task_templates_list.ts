import { defineTool, endOfPage, pageEnd, pageOffset, Type } from 'tasuki/plugin'
import { projectKey, requireProject } from '../../projects/index.ts'
import { readTemplates } from '../template.repository.ts'
import { templateFields } from '../template.ts'

const Template = Type.Object({ ref: Type.String(), title: Type.String(), ...templateFields })

export const taskTemplatesList = defineTool({
  name: 'task_templates_list',
  class: 'R',
  title: 'List task templates',
  summary: 'Lists task templates, the next due first.',
  rank: 340,
  input: {
    project_key: Type.Optional(projectKey()),
    enabled: Type.Optional(Type.Boolean({ description: 'Only enabled or disabled.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 20, description: 'Page size.' })),
    offset: pageOffset,
  },
  output: { templates: Type.Array(Template), ...pageEnd },
  rows: 'templates',
  async run(ctx, { project_key: key, enabled, limit = 20, offset = 0 }) {
    const found = await readTemplates(ctx, { project: key, enabled, limit: limit + 1, offset })
    if (found.length === 0 && key !== undefined) await requireProject(ctx, key)
    return { templates: found.slice(0, limit), ...endOfPage(found.length, { limit, offset }) }
  },
})
