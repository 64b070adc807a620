import { defineTool, Type, uuid } from 'tasuki/plugin'
import { projectKey, requireProject, recordSettingChange } from '../../projects/index.ts'
import { insertLabel } from '../label.repository.ts'
import { nameTaken } from '../label.service.ts'
import { color, description, labelResult } from '../label.ts'
import { labelName, NAME_MAX } from '../names.ts'

export const projectLabelsCreate = defineTool({
  name: 'project_labels_create',
  class: 'W',
  title: 'Create label',
  summary: 'Defines a label. Labels set on items define themselves.',
  rank: 830,
  input: {
    project_key: projectKey(),
    name: Type.String({ minLength: 1, maxLength: NAME_MAX, description: 'Unique.' }),
    description: Type.Optional(description('What it is for.')),
    color_hex: Type.Optional(color()),
  },
  output: labelResult,
  async run(ctx, { project_key, color_hex, ...input }) {
    const name = labelName(input.name, 'name')
    const project = await requireProject(ctx, project_key, { write: true })
    const row = { id: uuid(), name, description: input.description || null, color_hex: color_hex ?? null }
    const label = await insertLabel(ctx, project, row)
    if (!label) throw await nameTaken(ctx, project, name)
    const changed = (['name', 'description', 'color_hex'] as const).filter(field => label[field] !== undefined)
    await recordSettingChange(ctx, project, { kind: 'label.created', of: label, after: label, changed })
    return { label, changed }
  },
})
