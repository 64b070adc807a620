import {
  guarded,
  nameKey,
  reference,
  sql,
  ToolError,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
} from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'

export const FIELD_KEY = '^[a-z][a-z0-9_]{0,63}$'
export const fieldKey = reference('Key.')
export const label = Type.String({ minLength: 1, maxLength: 80, description: 'Shown to people.' })
export const isRequired = Type.Boolean({ default: false, description: 'Needed to complete.' })
export const displayOrder = guarded(Type.Integer({ default: 0, description: 'Lowest first.' }), {
  minimum: -1_000_000,
  maximum: 1_000_000,
})

/** A field as results show it. */
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

/** Columns of `FieldRow`, from the alias `f`. */
export const fieldColumns: RawBuilder<FieldRow> = sql`f.id, f.field_key, f.label, 'text' as field_type, f.is_required, f.display_order, f.is_active`

export function shown({ id: _id, ...field }: FieldRow): CustomFieldJson {
  return field
}

/** All fields of a project in their order, the inactive too. */
export async function fieldsOf(
  ctx: ReadContext,
  project: Pick<ProjectRow, 'ownerId' | 'id'>,
  lock = false,
): Promise<readonly FieldRow[]> {
  const { rows } = await sql<FieldRow>`
    select ${fieldColumns} from custom_fields.fields f where f.owner_id = ${project.ownerId} and f.project_id = ${project.id}
    order by f.display_order, f.field_key ${lock ? sql`for update` : sql``}
  `.execute(ctx.db)
  return rows
}

/** Finds a field of a project. @throws ToolError not_found */
export function pickField(
  fields: readonly FieldRow[],
  key: string,
  project: Pick<ProjectRow, 'key'>,
  field = 'field_key',
): FieldRow {
  const found = fields.find(each => each.field_key === nameKey(key))
  if (found) return found
  throw new ToolError('not_found', `Project ${project.key} has no custom field ${key}.`, {
    field,
    allowed: fields.filter(each => each.is_active).map(each => each.field_key),
    hint: 'project_custom_fields_list shows the fields of a project.',
  })
}

/** Makes a key from a label; labels without Latin letters get a numbered one. */
export function keyFrom(name: string, taken: readonly string[]): string {
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

/** The custom fields of the item `i`: active ones that have a value, in their order; null when there is none. */
export const valuesOfItem = sql`
  select json_build_object('custom_fields', json_agg(json_build_object('field_key', f.field_key, 'label', f.label,
    'field_type', 'text', 'value', v.value) order by f.display_order, f.field_key))
  from custom_fields.values v join custom_fields.fields f on f.owner_id = v.owner_id and f.id = v.field_id
  where v.owner_id = i.owner_id and v.item_id = i.id and f.is_active`

export const fieldValue = Type.Object({
  field_key: Type.String(),
  label: Type.String(),
  field_type: Type.String(),
  value: Type.String(),
})
