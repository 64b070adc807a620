import { defineTool, sql, Type } from 'tasuki/plugin'
import { keyIs, oneProject, projectColumns, projectKey, type ProjectRow } from '../../projects/index.ts'
import { customField, fieldColumns, shown, type FieldRow } from '../field.ts'

const Input = Type.Object(
  {
    project_key: projectKey(),
    include_inactive: Type.Optional(Type.Boolean({ default: false, description: 'Deleted fields too.' })),
  },
  { additionalProperties: false },
)

export const projectCustomFieldsList = defineTool({
  name: 'project_custom_fields_list',
  class: 'R',
  title: 'List custom fields',
  summary: 'Lists the custom fields of a project in their order.',
  rank: 510,
  rows: 'custom_fields',
  input: Input,
  output: Type.Object({ custom_fields: Type.Array(customField) }),
  async run(ctx, { project_key: key, include_inactive: all = false }) {
    const { rows } = await sql<ProjectRow & { fields: FieldRow[] | null }>`
      select ${projectColumns(ctx, 'p')}, (
        select jsonb_agg(to_jsonb(x)) from (
          select ${fieldColumns} from custom_fields.fields f where f.owner_id = p.owner_id and f.project_id = p.id
          order by f.display_order, f.field_key) x) as fields
      from projects.projects p where ${keyIs(ctx, key)} limit 2
    `.execute(ctx.db)
    const fields = (await oneProject(ctx, rows, key)).fields ?? []
    return { custom_fields: fields.filter(field => all || field.is_active).map(shown) }
  },
})
