import { defineTool, sql, Type, uuid } from 'tasuki/plugin'
import { projectKey, requireProject, tellSetting } from '../../projects/index.ts'
import { color, description, labelRecord, labelResult, nameTaken, type LabelRecord } from '../label.ts'
import { labelKey, labelName, NAME_MAX } from '../names.ts'

export const projectLabelsCreate = defineTool({
  name: 'project_labels_create',
  class: 'W',
  title: 'Create label',
  summary: 'Defines a label. Labels set on items define themselves.',
  rank: 830,
  input: Type.Object(
    {
      project_key: projectKey(),
      name: Type.String({
        minLength: 1,
        maxLength: NAME_MAX,
        description: 'Unique.',
      }),
      description: Type.Optional(description('What it is for.')),
      color_hex: Type.Optional(color()),
    },
    { additionalProperties: false },
  ),
  output: labelResult,
  async run(ctx, { project_key, color_hex, ...input }) {
    const name = labelName(input.name, 'name')
    const project = await requireProject(ctx, project_key, { write: true })
    // A label that was deleted but left on items comes back with its items.
    const { rows } = await sql<{ label: LabelRecord }>`
      insert into labels.labels as l
        (owner_id, id, project_id, name, name_key, description, color_hex, display_order, created_at, updated_at)
      select ${project.ownerId}::uuid, ${uuid()}::uuid, ${project.id}::uuid, ${name}, ${labelKey(name)},
        nullif(${input.description ?? ''}, ''), ${color_hex ?? null}, coalesce(max(o.display_order), 0) + 1, ${ctx.now}, ${ctx.now}
      from labels.labels o where o.owner_id = ${project.ownerId} and o.project_id = ${project.id}
      on conflict (owner_id, project_id, name_key) do update set name = excluded.name, description = excluded.description,
        color_hex = excluded.color_hex, archived_at = null, updated_at = excluded.updated_at
      where l.archived_at is not null
      returning ${labelRecord} as label
    `.execute(ctx.db)
    const label = rows[0]?.label
    if (!label) throw await nameTaken(ctx, project, name)
    const changed = (['name', 'description', 'color_hex'] as const).filter(field => label[field] !== undefined)
    await tellSetting(ctx, project, { kind: 'label.created', of: label, after: label, changed })
    return { label, changed }
  },
})
