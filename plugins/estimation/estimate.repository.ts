import {
  deleteRecords,
  exists,
  expressions,
  insertRecords,
  isOneOf,
  overwrite,
  recordset,
  refersTo,
  sql,
} from 'tasuki/plugin'
import type { Condition, Expression, OwnedKey, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { copyRows, hasRowIn, type ItemCopy } from '../items/index.ts'
import { featureColumn } from '../projects/index.ts'

const ofItem = expressions<{ i: 'items.items' }>()
  .selectFrom('estimation.estimates as e')
  .where(refersTo('e.item_id', 'i'))

/** The estimate of the item `i`; null = none. */
const estimateValue = ofItem.select('e.value')
/** The estimate of the item `i` as one JSON object. */
export const estimateField: Expression<unknown> = sql`json_build_object('estimate', ${ofItem.select(sql`trim_scale(e.value)::text`.as('value'))})`

/** Returns SQL for the estimate of the item `i` as plain text, if its project has estimates; null = none. */
export function estimateText(ctx: ReadContext): Expression<unknown> {
  return ofItem
    .select(({ cast, fn }) => fn('to_json', [cast(fn('trim_scale', ['e.value']), 'text')]).as('estimate'))
    .where(featureColumn(ctx, 'estimation'))
}

/** Condition that the item `i` has an estimate. */
export const hasEstimate: Condition = hasRowIn('estimation.estimates')

/** Returns the condition that the item `i` has an estimate that meets a condition on `e.value`. */
export const hasEstimateThat = (condition: Condition): Condition => exists(ofItem.where(condition))

/** Returns SQL for the size of the item `i` in a sprint: its estimate, if the project has estimates. */
export function sprintPointsOf(ctx: ReadContext): RawBuilder<number | null> {
  return sql`case when ${featureColumn(ctx, 'estimation')} then ${estimateValue} end`
}

/** Returns the SQL of whether the project `p` has estimates, and of their unit. */
export function estimatePolicy(ctx: ReadContext): Expression<unknown> {
  return sql`jsonb_build_object('enabled', ${featureColumn(ctx, 'estimation')}, 'unit', p.estimate_unit)`
}

/** Reads the estimates of items as plain text, by item id. */
export async function readEstimates(ctx: ReadContext, items: readonly OwnedKey[]) {
  const keys = items.map(({ ownerId, id }) => [ownerId, id])
  const rows = await ctx.db
    .selectFrom('estimation.estimates')
    .select(({ cast, fn }) => ['item_id as id', cast<string>(fn('trim_scale', ['value']), 'text').as('value')])
    .where(isOneOf(['owner_id', 'item_id'], keys))
    .execute()
  return new Map(rows.map(({ id, value }) => [id, value]))
}

/** Reads the estimates of items of one owner as numbers. */
export async function readNumbers(ctx: ReadContext, ownerId: string, itemIds: readonly string[]) {
  const rows = await ctx.db
    .selectFrom('estimation.estimates')
    .select(({ cast, ref }) => ['item_id', cast<number>(ref('value'), 'float8').as('value')])
    .where('owner_id', '=', ownerId)
    .where('item_id', 'in', itemIds)
    .execute()
  return new Map(rows.map(row => [row.item_id, row.value]))
}

/** The new estimate of an item; null = none. */
export interface NewEstimate {
  readonly ownerId: string
  readonly itemId: string
  readonly value: string | null
}

/** Sets and clears estimates, with one statement for each. */
export async function writeEstimates(ctx: WriteContext, estimates: readonly NewEstimate[]): Promise<void> {
  const cleared = estimates.filter(({ value }) => value === null)
  const rows = estimates.flatMap(({ ownerId, itemId, value }) =>
    value === null ? [] : [{ owner_id: ownerId, item_id: itemId, value, updated_at: ctx.now }],
  )
  const items = cleared.map(({ ownerId, itemId }) => ({ owner_id: ownerId, item_id: itemId }))
  await deleteRecords(ctx.db, 'estimation.estimates', ['owner_id', 'item_id'], items)
  if (rows.length > 0)
    await insertRecords(ctx.db, 'estimation.estimates', rows)
      .onConflict(overwrite(['owner_id', 'item_id'], ['value', 'updated_at']))
      .execute()
}

/** Copies estimates between items. */
export function copyEstimates(ctx: WriteContext, copies: readonly ItemCopy[]): Promise<void> {
  return copyRows(ctx, 'estimation.estimates', ['value', 'updated_at'], copies)
}

/**
 * Divides estimates: items keep a share with the original precision, and other items get the rest; the sum stays the same.
 * @returns the estimates that changed, as plain text
 */
export async function divideEstimates(ctx: WriteContext, pairs: readonly (ItemCopy & { readonly share: number })[]) {
  const { rows } = await sql<{ itemId: string; from: string; to: string }>`
    with parts as (
      select e.owner_id, e.item_id, s.to_id, e.value, round(e.value * s.share, scale(trim_scale(e.value))) as done
      from ${recordset('s', { owner_id: 'uuid', from_id: 'uuid', to_id: 'uuid', share: 'numeric' }, pairs)}
      join estimation.estimates e on e.owner_id = s.owner_id and e.item_id = s.from_id
    ), kept as (
      update estimation.estimates e set value = p.done, updated_at = ${ctx.now} from parts p
      where e.owner_id = p.owner_id and e.item_id = p.item_id
    ), rest as (
      insert into estimation.estimates (owner_id, item_id, value, updated_at)
      select p.owner_id, p.to_id, p.value - p.done, ${ctx.now}::timestamptz from parts p
    )
    select p.item_id as "itemId", trim_scale(p.value)::text as "from", trim_scale(p.done)::text as "to"
    from parts p where p.done <> p.value
  `.execute(ctx.db)
  return rows
}
