import { defineTool, nullable, quoteName, requireUnchanged, Type } from 'tasuki/plugin'
import { projectKey, recordSettingChange } from '../../projects/index.ts'
import { updateLabel } from '../label.repository.ts'
import { nameTaken, requireLabel } from '../label.service.ts'
import { color, description, labelId, labelResult } from '../label.ts'
import { labelName, NAME_MAX } from '../names.ts'

const FIELDS = ['name', 'description', 'color_hex'] as const

export const projectLabelsPatch = defineTool({
  name: 'project_labels_patch',
  class: 'W',
  title: 'Change label',
  summary: 'Renames a label everywhere, or changes its description or color.',
  rank: 840,
  input: {
    project_key: projectKey(),
    label_id: labelId,
    name: Type.Optional(Type.String({ minLength: 1, maxLength: NAME_MAX, description: 'New name.' })),
    description: Type.Optional(description('Empty clears.')),
    color_hex: Type.Optional(nullable(color(), { description: '#RRGGBB; null clears.' })),
  },
  output: labelResult,
  async run(ctx, { project_key, label_id, ...input }) {
    const name = input.name === undefined ? undefined : labelName(input.name, 'name')
    const lockProject = name !== undefined
    const { project, label } = await requireLabel(ctx, project_key, label_id, { lockProject })
    requireUnchanged(ctx, `The label ${quoteName(label.name)}`, label)
    const wanted = {
      ...(name !== undefined && { name }),
      ...(input.description !== undefined && { description: input.description || null }),
      ...(input.color_hex !== undefined && { color_hex: input.color_hex }),
    }
    const changed = FIELDS.filter(field => wanted[field] !== undefined && wanted[field] !== (label[field] ?? null))
    if (changed.length === 0) return { label, changed }
    const after = await updateLabel(ctx, project, label, wanted)
    if (!after) throw await nameTaken(ctx, project, name ?? label.name)
    await recordSettingChange(ctx, project, { kind: 'label.changed', of: label, before: label, after, changed })
    const cleared = Object.fromEntries(changed.filter(field => wanted[field] === null).map(field => [field, null]))
    return { label: { ...after, ...cleared }, changed }
  },
})
