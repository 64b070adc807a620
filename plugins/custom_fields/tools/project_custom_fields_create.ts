import { defineTool, guarded, nameKey, ToolError, Type } from 'tasuki/plugin'
import { projectKey, requireProject, recordSettingChange } from '../../projects/index.ts'
import { insertField, readFields } from '../field.repository.ts'
import { customField, displayOrder, FIELD_KEY, isRequired, label, makeKey, MOST_FIELDS, toFieldJson } from '../field.ts'

export const projectCustomFieldsCreate = defineTool({
  name: 'project_custom_fields_create',
  class: 'W',
  title: 'Create custom field',
  summary: 'Adds a text field to the items of a project.',
  rank: 1000,
  input: {
    project_key: projectKey(),
    label,
    field_key: Type.Optional(
      guarded(Type.String({ maxLength: 64, description: 'Default: made from the label.' }), { pattern: FIELD_KEY }),
    ),
    is_required: Type.Optional(isRequired),
    display_order: Type.Optional(displayOrder),
  },
  output: {
    custom_field: customField,
    changed: Type.Array(Type.String()),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  async run(ctx, input) {
    // The key and the limit depend on the fields that the project has.
    const project = await requireProject(ctx, input.project_key, { write: true, lock: 'no key update' })
    const fields = await readFields(ctx, project)
    if (fields.length >= MOST_FIELDS)
      throw new ToolError('limit_exceeded', `Project ${project.key} has ${MOST_FIELDS} custom fields already.`, {
        field: 'label',
        hint: 'Use one of them, or labels.',
      })
    const usedKeys = fields.map(field => field.field_key)
    const key = input.field_key ?? makeKey(input.label, usedKeys)
    const inserted = await insertField(ctx, project, {
      field_key: key,
      label: input.label,
      is_required: input.is_required ?? false,
      display_order: input.display_order ?? 0,
    })
    if (!inserted) {
      const inactive = fields.some(field => field.field_key === key && !field.is_active)
      throw new ToolError('conflict', `Project ${project.key} has a custom field ${key} already.`, {
        field: 'field_key',
        hint: inactive
          ? 'It was deleted: bring it back with project_custom_fields_update is_active=true.'
          : 'Choose another field_key.',
      })
    }
    await recordSettingChange(ctx, project, {
      kind: 'custom_field.created',
      of: { id: inserted.id, name: key },
      after: inserted,
      changed: ['label', 'is_required', 'display_order'],
    })
    const changed = Object.keys(input).filter(name => name !== 'project_key')
    const alike = fields.find(field => nameKey(field.label) === nameKey(input.label))
    const way = alike?.is_active ? '' : '; project_custom_fields_update is_active=true would bring it back'
    const warnings = alike && [`${project.key} has a field with this label already: ${alike.field_key}${way}.`]
    return { custom_field: toFieldJson(inserted), changed, ...(warnings && { warnings }) }
  },
})
