import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import type { Condition } from '../plugin/sql.ts'

/** A table, or a part of it, that a snapshot contains. */
export interface SnapshotTable {
  /** `schema.table` */
  readonly name: string
  readonly columns: readonly string[]
  /** Columns of the primary key. */
  readonly key: readonly string[]
  /** Default: all rows. */
  readonly where?: Condition
}

/** What is read at the instant of a snapshot. */
export interface Captured {
  /** Tables whose rows are read afterwards. */
  readonly tables: readonly SnapshotTable[]
}

/** Reads the rows of a captured table as JSON texts, in batches. */
export type ReadRows = (table: SnapshotTable) => AsyncIterable<readonly string[]>

const MAX_ROWS = 2000
const BATCH_BYTES = 1_000_000
const GROWTH = 8

/**
 * Creates a counter of the rows of the next batch. It begins with one row, since a row may have megabytes, and grows until as many rows as
 * the longest one so far fit into `BATCH_BYTES`.
 */
function createBatchSize(): { rows: number; update(texts: readonly string[]): void } {
  let longest = 1
  return {
    rows: 1,
    update(texts) {
      longest = texts.reduce((most, { length }) => Math.max(most, length), longest)
      this.rows = Math.max(1, Math.min(MAX_ROWS, this.rows * GROWTH, Math.floor(BATCH_BYTES / longest)))
    },
  }
}

/** Returns the rows of a table. Its name and columns come from the catalogue, so the types stand for any table. */
function rowsOf(db: Db, { name, where = sql.lit(true) }: SnapshotTable) {
  return db.selectFrom(name as 'core.tokens').where(where)
}

/** Reads the rows of a table in order of its primary key. Needs a transaction. */
export async function* readByCursor(db: Db, table: SnapshotTable): AsyncGenerator<readonly string[]> {
  const { columns, key } = table
  let ordered = rowsOf(db, table).select(columns as readonly 'id'[])
  for (const column of key) ordered = ordered.orderBy(column as 'id')
  await sql`
    declare archived no scroll cursor for select row_to_json(r)::text as row from (${ordered}) r
  `.execute(db)
  for (const size = createBatchSize(); ;) {
    const count = size.rows
    const { rows } = await sql<{ row: string }>`fetch forward ${sql.lit(count)} from archived`.execute(db)
    const texts = rows.map(({ row }) => row)
    if (texts.length > 0) yield texts
    if (texts.length < count) break
    size.update(texts)
  }
  await sql.raw('close archived').execute(db)
}

/** Copies the rows of a table to a temporary table of the session. @returns false without rows, and without a copy */
export async function copyRows(db: Db, table: SnapshotTable, copy: string): Promise<boolean> {
  const rows = rowsOf(db, table)
  if (!(await rows.select(sql.lit(1).as('one')).limit(1).executeTakeFirst())) return false
  await db.schema
    .createTable(copy)
    .temporary()
    .as(rows.select(table.columns as readonly 'id'[]))
    .execute()
  return true
}

/** Reads the rows of a copy, in no particular order. Other callers may use the session between two batches. */
export async function* readCopy(db: Db, copy: string): AsyncGenerator<readonly string[]> {
  let last = '(0,0)'
  for (const size = createBatchSize(); ;) {
    const count = size.rows
    // A scan returns rows by ascending address; sorting them would read the whole rest for each batch.
    const { rows } = await sql<{ at: string; row: string }>`
      select r.ctid::text as at, row_to_json(r)::text as row from ${sql.id('pg_temp', copy)} r
      where r.ctid > ${last}::tid limit ${sql.lit(count)}
    `.execute(db)
    const texts = rows.map(({ row }) => row)
    if (texts.length > 0) yield texts
    if (texts.length < count) return
    last = rows.at(-1)!.at
    size.update(texts)
  }
}

export async function dropCopies(db: Db, copies: readonly string[]): Promise<void> {
  for (const copy of copies) await db.withSchema('pg_temp').schema.dropTable(copy).ifExists().execute()
}

/** Writes everything that was committed to the files of the tables. */
export async function writeCheckpoint(db: Db): Promise<void> {
  await sql`checkpoint`.execute(db)
}
