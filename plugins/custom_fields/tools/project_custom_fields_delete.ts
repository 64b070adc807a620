import { defineTool, sql, Type } from 'tasuki/plugin'
import { projectKey, requireProject, recordSettingChange } from '../../projects/index.ts'
import { fieldKey, fieldsOf, pickField } from '../field.ts'

export const projectCustomFieldsDelete = defineTool({
  name: 'project_custom_fields_delete',
  class: 'WD',
  title: 'Delete custom field',
  summary: 'Switches a custom field off and keeps its values; project_custom_fields_update brings it back.',
  rank: 1020,
  input: Type.Object({ project_key: projectKey(), field_key: fieldKey }, { additionalProperties: false }),
  output: Type.Object({ deleted: Type.Boolean(), id: Type.String(), kept_values: Type.Integer() }),
  async run(ctx, { project_key: key, field_key: fieldName }) {
    const project = await requireProject(ctx, key, { write: true })
    const field = pickField(await fieldsOf(ctx, project, true), fieldName, project)
    const { rows } = await sql<{ kept: number }>`
      update custom_fields.fields f set is_active = false where f.owner_id = ${project.ownerId} and f.id = ${field.id}
      returning (select count(*)::int from custom_fields.values v where v.owner_id = f.owner_id and v.field_id = f.id) as kept
    `.execute(ctx.db)
    await recordSettingChange(ctx, project, {
      kind: 'custom_field.deleted',
      of: { id: field.id, name: field.field_key },
      before: field,
      changed: ['label'],
    })
    return { deleted: true, id: field.field_key, kept_values: rows[0]!.kept }
  },
})
