import { allOf, anyOf, compare, exists, hasRoom, insertIf, negate, refersTo, uuid } from 'tasuki/plugin'
import type { Condition, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import { visible } from '../projects/index.ts'

type Columns = Row<'numbering.series'>
export type FreezeLevel = Columns['freeze_level']

export interface SeriesRow extends Readonly<Pick<Columns, 'id' | 'key' | 'name' | 'prefix'>> {
  readonly ownerId: string
  readonly nextNumber: number
  readonly freezeLevel: FreezeLevel
}

const COLUMNS = [
  'owner_id as ownerId',
  'id',
  'key',
  'name',
  'prefix',
  'next_number as nextNumber',
  'freeze_level as freezeLevel',
] as const

/**
 * Returns the condition that the caller owns the series `s`, or may see one of its items. A credential with a project scope does not see
 * series with items outside its scope: their next number would reveal changes.
 */
function isSeen(ctx: ReadContext): Condition {
  const { userId, projects } = ctx.actor
  const items = ctx.db
    .selectFrom('numbering.numbers as n')
    .innerJoin('items.items as i', join => join.onRef('i.owner_id', '=', 'n.owner_id').onRef('i.id', '=', 'n.item_id'))
    .where(refersTo('n.series_id', 's'))
  const hasItem = (condition: Condition): Condition => exists(items.where(condition))
  const seen = hasItem(visible(ctx, 'i'))
  return projects === null
    ? anyOf([compare('s.owner_id', '=', userId), seen])
    : allOf([seen, negate(hasItem(negate(visible(ctx, 'i'))))])
}

/** The owner of the series, and whether only visible ones count; the command line sees all. */
export interface SeriesScope {
  readonly ownerId: string
  readonly seen: boolean
}

/** Finds and locks a series of an owner, so that numbers are assigned one at a time. */
export function lockSeriesRow(ctx: WriteContext, { ownerId, seen }: SeriesScope, key: string) {
  return ctx.db
    .selectFrom('numbering.series as s')
    .select(COLUMNS)
    .where(({ and }) => and({ owner_id: ownerId, key }))
    .$if(seen, query => query.where(isSeen(ctx)))
    .forUpdate()
    .executeTakeFirst()
}

/** Reads the series of an owner, by key. `lock` assigns numbers one at a time. */
export function readSeries(
  ctx: ReadContext,
  { ownerId, seen }: SeriesScope,
  { lock = false } = {},
): Promise<readonly SeriesRow[]> {
  return ctx.db
    .selectFrom('numbering.series as s')
    .select(COLUMNS)
    .where('owner_id', '=', ownerId)
    .$if(seen, query => query.where(isSeen(ctx)))
    .orderBy('key')
    .$if(lock, query => query.forUpdate())
    .execute()
}

/** Inserts a series. @returns undefined if its owner has `most` series, or if its key or prefix exists */
export function insertSeries(
  ctx: WriteContext,
  series: Pick<SeriesRow, 'ownerId' | 'key' | 'name' | 'prefix' | 'nextNumber'>,
  most: number,
): Promise<SeriesRow | undefined> {
  const { ownerId, key, name, prefix, nextNumber } = series
  const row = { owner_id: ownerId, id: uuid(), key, name, prefix, next_number: nextNumber, created_at: ctx.now }
  return insertIf(ctx.db, 'numbering.series', row, hasRoom('numbering.series', ownerId, most))
    .onConflict(conflict => conflict.doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
}

/** Updates the given columns of a series. */
export function updateSeriesRow(
  ctx: WriteContext,
  { ownerId, id }: SeriesRow,
  changes: Partial<Pick<Columns, 'name' | 'freeze_level' | 'next_number'>>,
): Promise<SeriesRow> {
  return ctx.db
    .updateTable('numbering.series')
    .set(changes)
    .where(({ and }) => and({ owner_id: ownerId, id }))
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}
