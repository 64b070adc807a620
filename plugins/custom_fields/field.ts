import { guarded, nameKey, notBlank, quoteValue, reference, ToolError, Type, type Static } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

/** Maximum number of fields per project. */
export const MOST_FIELDS = 100
export const FIELD_KEY = '^[a-z][a-z0-9_]{0,63}$'
export const fieldKey = reference('Key.')
export const label = notBlank(Type.String({ minLength: 1, maxLength: 80, description: 'Shown to people.' }))
export const isRequired = Type.Boolean({ default: false, description: 'Warns when missing.' })
export const displayOrder = guarded(Type.Integer({ default: 0, description: 'Lowest first.' }), {
  minimum: -1_000_000,
  maximum: 1_000_000,
})

/** A field as tools return it. */
export const customField = Type.Object({
  field_key: Type.String(),
  label: Type.String(),
  field_type: Type.String(),
  is_required: Type.Boolean(),
  display_order: Type.Integer(),
  is_active: Type.Boolean(),
})
export type CustomFieldJson = Static<typeof customField>
export interface FieldRow extends CustomFieldJson {
  readonly id: string
}

export function toFieldJson({ id: _id, ...field }: FieldRow): CustomFieldJson {
  return field
}

/** Maximum length of a key as typed. Schemas limit values of maps, not their keys; comparing a million characters takes 0.1 s. */
const TYPED_MAX = 300

/** Finds a field of a project. @throws ToolError not_found */
export function pickField(
  fields: readonly FieldRow[],
  key: string,
  project: Pick<ProjectRow, 'key'>,
  field = 'field_key',
): FieldRow {
  const wanted = key.length > TYPED_MAX ? null : nameKey(key)
  const found = fields.find(each => each.field_key === wanted)
  if (found) return found
  throw new ToolError('not_found', `Project ${project.key} has no custom field ${quoteValue(key)}.`, {
    field,
    allowed: fields.filter(each => each.is_active).map(each => each.field_key),
    hint: 'project_custom_fields_list shows the fields of a project.',
  })
}

/** Derives a key from a label; labels without Latin letters get a numbered one. */
export function makeKey(name: string, taken: readonly string[]): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 60)
  const base = words || 'field'
  for (let n = words ? 1 : taken.length + 1; ; n++) {
    const key = n === 1 && words ? base : `${base}_${n}`
    if (!taken.includes(key)) return key
  }
}

export const fieldValue = Type.Object({
  field_key: Type.String(),
  label: Type.String(),
  field_type: Type.String(),
  value: Type.String(),
})
