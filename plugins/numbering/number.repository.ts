import { allOf, compare, exists, expressions, insertRecords, recordset, refersTo, sql } from 'tasuki/plugin'
import type { Condition, Expression, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import { hasRowIn, type ItemKey } from '../items/index.ts'
import type { SeriesRow } from './series.repository.ts'

const ofItem = expressions<{ i: 'items.items' }>()
  .selectFrom('numbering.numbers as nn')
  .innerJoin('numbering.series as ns', join =>
    join.onRef('ns.owner_id', '=', 'nn.owner_id').onRef('ns.id', '=', 'nn.series_id'),
  )
  .where(refersTo('nn.item_id', 'i'))

/** The numbers of the item `i` as a json array; null if it is in no series. */
const numbers = sql`json_agg(case when nn.number is null then json_build_object('series_key', ns.key, 'number', null)
    else json_build_object('series_key', ns.key, 'display_ref', ns.prefix || '-' || nn.number, 'number', nn.number) end order by ns.key)`

/** The numbers of the item `i` as one JSON object. */
export const numbersField: Expression<unknown> = ofItem.select(
  sql`json_build_object('custom_numbers', ${numbers})`.as('numbers'),
)

/** The numbers of the item `i` with their prefixes as a json array; null for none. */
export const numbersText: Expression<unknown> = ofItem
  .where('nn.number', 'is not', null)
  .select(sql`json_agg(json_build_object('prefix', ns.prefix, 'number', nn.number) order by ns.key)`.as('numbers'))

/** Condition that the item `i` is in a series. */
export const hasNumber: Condition = hasRowIn('numbering.numbers')

/** Returns the condition that the item `i` has a number in the series with a prefix. */
export const hasDisplayRef = (prefix: string, number: number): Condition =>
  exists(ofItem.where('ns.prefix', '=', prefix).where('nn.number', '=', number))

/** Returns the condition that the item `i` is in one of the series. */
export const isInSeries = (keys: readonly string[]): Condition => exists(ofItem.where('ns.key', 'in', keys))

/** SQL of the numbers of the item `i` as a json array; null for none. */
export const numbersOfItem: Expression<unknown> = ofItem.select(numbers.as('numbers'))

type Membership = Pick<Row<'numbering.numbers'>, 'number'>

const isNumberOf = ({ ownerId, id }: ItemKey, series: SeriesRow): Condition =>
  allOf([compare('owner_id', '=', ownerId), compare('item_id', '=', id), compare('series_id', '=', series.id)])

/** Finds the number of an item in a series. */
export function findNumber(ctx: ReadContext, item: ItemKey, series: SeriesRow): Promise<Membership | undefined> {
  return ctx.db.selectFrom('numbering.numbers').select('number').where(isNumberOf(item, series)).executeTakeFirst()
}

/** Adds an item to a series, or changes its number there. @returns false if another item has the number */
export async function saveNumber(
  ctx: WriteContext,
  { ownerId, id }: ItemKey,
  series: SeriesRow,
  number: number | null,
): Promise<boolean> {
  const { rows } = await sql`
    insert into numbering.numbers (owner_id, item_id, series_id, number, created_at)
    select ${ownerId}::uuid, ${id}::uuid, ${series.id}::uuid, ${number}::int, ${ctx.now}::timestamptz
    where not exists (select from numbering.numbers t where t.owner_id = ${ownerId} and t.series_id = ${series.id} and t.number = ${number}::int)
    on conflict (owner_id, item_id, series_id) do update set number = excluded.number returning item_id
  `.execute(ctx.db)
  return rows.length > 0
}

/**
 * Assigns free numbers to new items, and advances the next number of their series past them.
 * @returns the ids of the items that got their number
 */
export async function insertNumbers(
  ctx: WriteContext,
  numbers: readonly Pick<Row<'numbering.numbers'>, 'owner_id' | 'item_id' | 'series_id' | 'number'>[],
): Promise<ReadonlySet<string>> {
  if (numbers.length === 0) return new Set()
  const assigned = numbers.map(each => ({ ...each, created_at: ctx.now }))
  const rows = await insertRecords(ctx.db, 'numbering.numbers', assigned)
    .onConflict(conflict => conflict.doNothing())
    .returning('item_id')
    .execute()
  const highest = recordset(
    'h',
    { owner_id: 'uuid', series_id: 'uuid', number: 'int' },
    [...Map.groupBy(numbers, each => each.series_id)].map(([series_id, each]) => ({
      owner_id: each[0]!.owner_id,
      series_id,
      number: each.reduce((most, { number }) => Math.max(most, number ?? 0), 0),
    })),
  )
  await ctx.db
    .updateTable('numbering.series as s')
    .from(highest)
    .set(({ fn, ref, eb }) => ({
      next_number: fn<number>('greatest', [ref('s.next_number'), eb(ref('h.number'), '+', 1)]),
    }))
    .whereRef('s.owner_id', '=', 'h.owner_id')
    .whereRef('s.id', '=', 'h.series_id')
    .execute()
  return new Set(rows.map(row => row.item_id))
}

/** Removes an item from a series. @returns undefined if it was not in the series */
export function deleteNumber(ctx: WriteContext, item: ItemKey, series: SeriesRow): Promise<Membership | undefined> {
  return ctx.db.deleteFrom('numbering.numbers').where(isNumberOf(item, series)).returning('number').executeTakeFirst()
}
