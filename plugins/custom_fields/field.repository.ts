import { expressions, sql, updateWhere, uuid } from 'tasuki/plugin'
import type { Expression, OwnedKey, ReadContext, RowChanges, WriteContext } from 'tasuki/plugin'
import { readWithProject } from '../projects/index.ts'
import type { FieldRow } from './field.ts'

/** All fields are text; the type is informative for clients. */
const fieldType = sql.lit('text').as('field_type')
const COLUMNS = ['id', 'field_key', 'label', fieldType, 'is_required', 'display_order', 'is_active'] as const

/** Reads all fields of a project in order, including inactive ones. */
export function readFields(ctx: ReadContext, { ownerId, id }: OwnedKey, { lock = false } = {}): Promise<FieldRow[]> {
  return ctx.db
    .selectFrom('custom_fields.fields')
    .select(COLUMNS)
    .where(({ and }) => and({ owner_id: ownerId, project_id: id }))
    .orderBy('display_order')
    .orderBy('field_key')
    .$if(lock, query => query.forUpdate())
    .execute()
}

/** The labels of all fields of the project of the item `i` by key, as a json object; null for none. */
export const labelsByKey: Expression<unknown> = expressions<{ i: 'items.items' }>()
  .selectFrom('custom_fields.fields as f')
  .select(({ fn }) => fn('json_object_agg', ['f.field_key', 'f.label']).as('labels'))
  .whereRef('f.owner_id', '=', 'i.owner_id')
  .whereRef('f.project_id', '=', 'i.project_id')

/** Reads the fields of a project. @throws ToolError not_found, ambiguous_ref */
export async function readFieldsByKey(ctx: ReadContext, key: string): Promise<readonly FieldRow[]> {
  const { fields } = await readWithProject<{ readonly fields: FieldRow[] | null }>(
    ctx,
    key,
    sql`(select jsonb_agg(to_jsonb(x)) from (
        select f.id, f.field_key, f.label, 'text' as field_type, f.is_required, f.display_order, f.is_active
        from custom_fields.fields f where f.owner_id = p.owner_id and f.project_id = p.id
        order by f.display_order, f.field_key) x) as fields`,
  )
  return fields ?? []
}

/** Inserts a field. @returns undefined if the key exists */
export function insertField(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  field: Pick<FieldRow, 'field_key' | 'label' | 'is_required' | 'display_order'>,
): Promise<FieldRow | undefined> {
  return ctx.db
    .insertInto('custom_fields.fields')
    .values({ ...field, owner_id: ownerId, id: uuid(), project_id: id, is_active: true, created_at: ctx.now })
    .onConflict(conflict => conflict.columns(['owner_id', 'project_id', 'field_key']).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
}

/** Inserts the fields whose keys the project lacks. */
export async function insertFields(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  fields: readonly Pick<FieldRow, 'field_key' | 'label' | 'display_order'>[],
): Promise<void> {
  if (fields.length === 0) return
  const of = { owner_id: ownerId, project_id: id, is_required: false, is_active: true, created_at: ctx.now }
  await ctx.db
    .insertInto('custom_fields.fields')
    .values(fields.map(field => ({ ...field, ...of, id: uuid() })))
    .onConflict(conflict => conflict.columns(['owner_id', 'project_id', 'field_key']).doNothing())
    .execute()
}

type Changes = RowChanges<'custom_fields.fields'>

export async function updateField(ctx: WriteContext, { ownerId, id }: OwnedKey, changes: Changes): Promise<void> {
  await updateWhere(ctx.db, 'custom_fields.fields', { owner_id: ownerId, id }, changes)
}

/** Deactivates a field. @returns the number of values that it keeps */
export async function deactivateField(ctx: WriteContext, ownerId: string, id: string): Promise<number> {
  const { kept } = await ctx.db
    .updateTable('custom_fields.fields as f')
    .set({ is_active: false })
    .where(({ and }) => and({ 'f.owner_id': ownerId, 'f.id': id }))
    .returning(({ selectFrom }) =>
      selectFrom('custom_fields.values as v')
        .whereRef('v.owner_id', '=', 'f.owner_id')
        .whereRef('v.field_id', '=', 'f.id')
        .select(({ cast, fn }) => cast<number>(fn.countAll(), 'integer').as('kept'))
        .$asScalar()
        .as('kept'),
    )
    .executeTakeFirstOrThrow()
  return kept ?? 0
}
