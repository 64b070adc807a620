import { defineTool, nothingToChange, Type } from 'tasuki/plugin'
import { projectKey, requireProject, recordSettingChange } from '../../projects/index.ts'
import { readFields, updateField } from '../field.repository.ts'
import { customField, displayOrder, fieldKey, isRequired, label, pickField, toFieldJson } from '../field.ts'

const { default: _required, ...required } = isRequired
const { default: _order, ...order } = displayOrder
export const projectCustomFieldsUpdate = defineTool({
  name: 'project_custom_fields_update',
  class: 'W',
  title: 'Change custom field',
  summary: 'Changes a custom field; its key stays.',
  rank: 1010,
  input: {
    project_key: projectKey(),
    field_key: fieldKey,
    label: Type.Optional(label),
    display_order: Type.Optional(Type.Integer(order)),
    is_required: Type.Optional(Type.Boolean(required)),
    is_active: Type.Optional(Type.Boolean({ description: 'true brings a deleted field back.' })),
  },
  output: { custom_field: customField, changed: Type.Array(Type.String()) },
  async run(ctx, { project_key: project, field_key: key, ...change }) {
    if (Object.keys(change).length === 0) throw nothingToChange('Give label, display_order, is_required or is_active.')
    const found = await requireProject(ctx, project, { write: true })
    const before = pickField(await readFields(ctx, found, { lock: true }), key, found)
    const after = { ...before, ...change }
    const changed = (Object.keys(change) as (keyof typeof change)[]).filter(name => before[name] !== after[name])
    if (changed.length > 0) await updateField(ctx, { ownerId: found.ownerId, id: before.id }, change)
    await recordSettingChange(ctx, found, {
      kind: 'custom_field.changed',
      of: { id: before.id, name: before.field_key },
      before,
      after,
      changed,
    })
    return { custom_field: toFieldJson(after), changed }
  },
})
