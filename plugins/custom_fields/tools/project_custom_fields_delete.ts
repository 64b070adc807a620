import { defineTool, Type } from 'tasuki/plugin'
import { projectKey, requireProject, recordSettingChange } from '../../projects/index.ts'
import { deactivateField, readFields } from '../field.repository.ts'
import { fieldKey, pickField } from '../field.ts'

export const projectCustomFieldsDelete = defineTool({
  name: 'project_custom_fields_delete',
  class: 'WD',
  title: 'Delete custom field',
  summary: 'Switches a custom field off and keeps its values; project_custom_fields_update brings it back.',
  rank: 1020,
  input: { project_key: projectKey(), field_key: fieldKey },
  output: { deleted: Type.Boolean(), id: Type.String(), kept_values: Type.Integer() },
  async run(ctx, { project_key: key, field_key: fieldName }) {
    const project = await requireProject(ctx, key, { write: true })
    const field = pickField(await readFields(ctx, project, { lock: true }), fieldName, project)
    const kept = await deactivateField(ctx, project.ownerId, field.id)
    await recordSettingChange(ctx, project, {
      kind: 'custom_field.deleted',
      of: { id: field.id, name: field.field_key },
      before: field,
      changed: ['label'],
    })
    return { deleted: true, id: field.field_key, kept_values: kept }
  },
})
