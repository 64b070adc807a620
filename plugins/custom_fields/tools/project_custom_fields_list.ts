import { defineTool, Type } from 'tasuki/plugin'
import { projectKey } from '../../projects/index.ts'
import { readFieldsByKey } from '../field.repository.ts'
import { customField, toFieldJson } from '../field.ts'

export const projectCustomFieldsList = defineTool({
  name: 'project_custom_fields_list',
  class: 'R',
  title: 'List custom fields',
  summary: 'Lists the custom fields of a project in their order.',
  rank: 510,
  rows: 'custom_fields',
  input: {
    project_key: projectKey(),
    include_inactive: Type.Optional(Type.Boolean({ default: false, description: 'Deleted fields too.' })),
  },
  output: { custom_fields: Type.Array(customField) },
  async run(ctx, { project_key: key, include_inactive: all = false }) {
    const fields = await readFieldsByKey(ctx, key)
    return { custom_fields: fields.filter(field => all || field.is_active).map(toFieldJson) }
  },
})
