import { uuid, type ReadContext, type Row, type WriteContext } from 'tasuki/plugin'

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

/** Finds a series of an owner and locks it, so that numbers are given one after the other. */
export function lockSeriesRow(ctx: WriteContext, ownerId: string, key: string): Promise<SeriesRow | undefined> {
  return ctx.db
    .selectFrom('numbering.series')
    .select(COLUMNS)
    .where('owner_id', '=', ownerId)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst()
}

/** All series of an owner, by key. */
export function readSeries(ctx: ReadContext, ownerId: string): Promise<readonly SeriesRow[]> {
  return ctx.db.selectFrom('numbering.series').select(COLUMNS).where('owner_id', '=', ownerId).orderBy('key').execute()
}

/** Adds a series. @returns undefined when its key or prefix is taken */
export function insertSeries(
  ctx: WriteContext,
  series: Pick<SeriesRow, 'ownerId' | 'key' | 'name' | 'prefix' | 'nextNumber'>,
): Promise<SeriesRow | undefined> {
  const { ownerId, key, name, prefix, nextNumber } = series
  return ctx.db
    .insertInto('numbering.series')
    .values({ owner_id: ownerId, id: uuid(), key, name, prefix, next_number: nextNumber, created_at: ctx.now })
    .onConflict(conflict => conflict.doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
}

/** Changes the given columns of a series. */
export function updateSeriesRow(
  ctx: WriteContext,
  { ownerId, id }: SeriesRow,
  changes: Partial<Pick<Columns, 'name' | 'freeze_level' | 'next_number'>>,
): Promise<SeriesRow> {
  return ctx.db
    .updateTable('numbering.series')
    .set(changes)
    .where('owner_id', '=', ownerId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}
