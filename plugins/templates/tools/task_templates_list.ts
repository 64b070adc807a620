import { defineTool, sql, Type } from 'tasuki/plugin'
import { inProject, itemJoins } from '../../items/index.ts'
import { keyColumn, projectKey, requireProject, visible } from '../../projects/index.ts'
import { templateFields, templateJson } from '../template.ts'

const Template = Type.Object({ ref: Type.String(), title: Type.String(), ...templateFields })

export const taskTemplatesList = defineTool({
  name: 'task_templates_list',
  class: 'R',
  title: 'List task templates',
  summary: 'Lists task templates, the next due first.',
  rank: 340,
  input: Type.Object(
    {
      project_key: Type.Optional(projectKey()),
      enabled: Type.Optional(Type.Boolean({ description: 'Only enabled or disabled ones.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 20, description: 'Page size.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ templates: Type.Array(Template), has_more: Type.Boolean() }),
  rows: 'templates',
  async run(ctx, { project_key: key, enabled, limit = 20 }) {
    const { rows } = await sql<{ template: (typeof Template)['static'] }>`
      select jsonb_build_object('ref', ${keyColumn(ctx, 'p')} || '#' || i.number, 'title', i.title) || ${templateJson} as template
      from templates.templates t join items.items i on i.owner_id = t.owner_id and i.id = t.item_id ${itemJoins}
      where ${visible(ctx, 'i')} and ${key === undefined ? sql`true` : await inProject(ctx, key)}
        and ${enabled === undefined ? sql`true` : sql`t.enabled = ${enabled}`}
      order by t.enabled desc, t.next_at, i.number, i.owner_id limit ${limit + 1}
    `.execute(ctx.db)
    if (rows.length === 0 && key !== undefined) await requireProject(ctx, key)
    return { templates: rows.slice(0, limit).map(row => row.template), has_more: rows.length > limit }
  },
})
