import {
  compare,
  contains,
  deleteRecords,
  deleteWhere,
  exists,
  expressions,
  keyList,
  overwrite,
  recordset,
  refersTo,
  sql,
} from 'tasuki/plugin'
import type { Condition, Expression, NewRow, OwnedKey, ReadContext, WriteContext } from 'tasuki/plugin'
import { copyRows, type Draft, type ItemCopy } from '../items/index.ts'
import { isOfVisibleOwner } from '../projects/index.ts'

const values = expressions<{ i: 'items.items' }>()
  .selectFrom('custom_fields.values as v')
  .innerJoin('custom_fields.fields as f', join =>
    join.onRef('f.owner_id', '=', 'v.owner_id').onRef('f.id', '=', 'v.field_id'),
  )
  .where('f.is_active', '=', sql.lit(true))
const ofItem = values.where(refersTo('v.item_id', 'i'))

/** The custom fields of the item `i`: active ones with a value, in order; null for none. */
export const valuesOfItem: Expression<unknown> = ofItem.select(
  sql`json_build_object('custom_fields', json_agg(json_build_object('field_key', f.field_key, 'label', f.label,
    'field_type', 'text', 'value', v.value) order by f.display_order, f.field_key))`.as('fields'),
)

/** The same as a plain json array; null for none. */
export const valuesText: Expression<unknown> = ofItem.select(
  sql`json_agg(json_build_object('key', f.field_key, 'label', f.label, 'value', v.value) order by f.display_order, f.field_key)`.as(
    'fields',
  ),
)

/** Condition that the item `i` has a value. */
export const hasValue: Condition = exists(ofItem)

/** Returns the condition that the item `i` has a value for the field with a key; with `text`, one that contains the text. */
export function hasValueOf(key: string | null, text?: string): Condition {
  const ofField = ofItem.where('f.field_key', '=', key)
  return exists(text === undefined ? ofField : ofField.where('v.value', 'ilike', contains(text)))
}

/** Returns the condition that restricts a search to some fields; without keys, to all. */
function hasKeyIn(keys: readonly string[] = []): Condition {
  return keys.length === 0 ? sql.lit(true) : compare('f.field_key', 'in', keys)
}

type Column = 'v.value' | 'f.field_key'

/** Returns SQL for a column of the values of the item `i` as a jsonb array. */
export function textsOfItem(column: Column, keys: readonly string[] | undefined): Expression<unknown> {
  return ofItem
    .where(hasKeyIn(keys))
    .select(({ fn }) => fn.agg<string[]>('jsonb_agg', [column]).orderBy('f.field_key').as('texts'))
}

/** Selects the items with a value whose column may match. */
export function itemsWithValue(
  ctx: ReadContext,
  column: Column,
  mayMatch: (column: string) => Condition,
  keys: readonly string[] | undefined,
): Expression<unknown> {
  return values.select('v.item_id').where(isOfVisibleOwner(ctx, 'v')).where(hasKeyIn(keys)).where(mayMatch(column))
}

/** Reads values of an item by the ids of their fields. */
export async function readValues(ctx: ReadContext, { ownerId, id }: OwnedKey, fieldIds: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('custom_fields.values')
    .select(['field_id', 'value'])
    .where(({ and }) => and({ owner_id: ownerId, item_id: id }))
    .where('field_id', 'in', fieldIds)
    .execute()
  return new Map(rows.map(row => [row.field_id, row.value]))
}

export async function deleteValues(ctx: WriteContext, { ownerId, id }: OwnedKey, fieldIds: readonly string[]) {
  await deleteWhere(ctx.db, 'custom_fields.values', { owner_id: ownerId, item_id: id, field_id: fieldIds })
}

export async function upsertValues(ctx: WriteContext, values: readonly NewRow<'custom_fields.values'>[]) {
  await ctx.db
    .insertInto('custom_fields.values')
    .values(values)
    .onConflict(overwrite(['owner_id', 'item_id', 'field_id'], ['value']))
    .execute()
}

/** Inserts values of new items by the keys of their fields. */
export async function insertValues(
  ctx: WriteContext,
  { ownerId, id }: OwnedKey,
  values: readonly { readonly item_id: string; readonly key: string; readonly value: string }[],
): Promise<void> {
  if (values.length === 0) return
  await ctx.db
    .insertInto('custom_fields.values')
    .columns(['owner_id', 'item_id', 'field_id', 'value'])
    .expression(({ selectFrom }) =>
      selectFrom(recordset('n', { item_id: 'uuid', key: 'text', value: 'text' }, values))
        .innerJoin('custom_fields.fields as f', join =>
          join.onRef('f.field_key', '=', 'n.key').on('f.owner_id', '=', ownerId).on('f.project_id', '=', id),
        )
        .select(['f.owner_id', 'n.item_id', 'f.id', 'n.value']),
    )
    .execute()
}

/** Copies the values of items to others of the same project. */
export function copyValues(ctx: WriteContext, copies: readonly ItemCopy[]): Promise<void> {
  return copyRows(ctx, 'custom_fields.values', ['field_id', 'value'], copies)
}

/** Finds the missing values of required fields of items to be closed. */
export async function readMissing(ctx: ReadContext, drafts: readonly Draft[]) {
  const values = keyList(drafts.map(({ ownerId, id, project, after }) => [ownerId, id, project.id, after.stateId]))
  const { rows } = await sql<{ item_id: string; keys: string[] }>`
    select c.item_id, jsonb_agg(f.field_key order by f.display_order, f.field_key) as keys
    from (values ${values}) as c (owner_id, item_id, project_id, state_id)
    join workflows.states s on s.owner_id = c.owner_id and s.id = c.state_id and s.status_attribute = 'done'
    join custom_fields.fields f on f.owner_id = c.owner_id and f.project_id = c.project_id and f.is_active and f.is_required
    where not exists (select from custom_fields.values v where v.owner_id = c.owner_id and v.item_id = c.item_id and v.field_id = f.id)
    group by c.item_id
  `.execute(ctx.db)
  return rows
}

/** A value of a moving item; `there` is the id of the active field with the same key in the new project, or null. */
export type CarriedValue = Awaited<ReturnType<typeof readValuesToMove>>[number]

/** Reads the values of items with the matching fields of another project of the owner. */
export function readValuesToMove(ctx: ReadContext, ownerId: string, itemIds: readonly string[], projectId: string) {
  return ctx.db
    .selectFrom('custom_fields.values as v')
    .innerJoin('custom_fields.fields as f', join =>
      join.onRef('f.owner_id', '=', 'v.owner_id').onRef('f.id', '=', 'v.field_id'),
    )
    .leftJoin('custom_fields.fields as t', join =>
      join
        .onRef('t.owner_id', '=', 'f.owner_id')
        .on('t.project_id', '=', projectId)
        .onRef('t.field_key', '=', 'f.field_key')
        .on('t.is_active', '=', sql.lit(true)),
    )
    .select(['v.item_id as itemId', 'f.id as fieldId', 'f.field_key as key', 'v.value', 't.id as there'])
    .where('v.owner_id', '=', ownerId)
    .where('v.item_id', 'in', itemIds)
    .orderBy('f.display_order')
    .orderBy('f.field_key')
    .execute()
}

/** Moves values to the fields of the new project. */
export async function moveValues(ctx: WriteContext, ownerId: string, carried: readonly CarriedValue[]): Promise<void> {
  await ctx.db
    .updateTable('custom_fields.values as v')
    .from(recordset('c', { itemId: 'uuid', fieldId: 'uuid', there: 'uuid' }, carried))
    .set(({ ref }) => ({ field_id: ref('c.there').$notNull() }))
    .where('v.owner_id', '=', ownerId)
    .whereRef('v.item_id', '=', 'c.itemId')
    .whereRef('v.field_id', '=', 'c.fieldId')
    .execute()
}

/** Deletes values without a field in the new project. */
export async function dropValues(ctx: WriteContext, ownerId: string, carried: readonly CarriedValue[]): Promise<void> {
  const rows = carried.map(({ itemId, fieldId }) => ({ owner_id: ownerId, item_id: itemId, field_id: fieldId }))
  await deleteRecords(ctx.db, 'custom_fields.values', ['owner_id', 'item_id', 'field_id'], rows)
}
