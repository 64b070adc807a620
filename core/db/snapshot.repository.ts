import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import { noSql, type Condition } from '../plugin/sql.ts'

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

function columnsOf({ columns }: SnapshotTable) {
  return sql.join(columns.map(each => sql.ref(each)))
}

/** Reads the rows of a table in order of its primary key. Needs a transaction. */
export async function* readByCursor(db: Db, table: SnapshotTable): AsyncGenerator<readonly string[]> {
  const { name, key, where = sql.lit(true) } = table
  const order = key.length === 0 ? noSql : sql`order by ${sql.join(key.map(each => sql.ref(each)))}`
  await sql`
    declare archived no scroll cursor for
    select row_to_json(r)::text as row from (
      select ${columnsOf(table)} from ${sql.table(name)} where ${where} ${order}) r
  `.execute(db)
  for (const size = createBatchSize(); ;) {
    const count = size.rows
    const { rows } = await sql<{ row: string }>`fetch forward ${sql.lit(count)} from archived`.execute(db)
    const texts = rows.map(({ row }) => row)
    if (texts.length > 0) yield texts
    if (texts.length < count) break
    size.update(texts)
  }
  await sql`close archived`.execute(db)
}

/** Copies the rows of a table to a temporary table of the session. @returns false without rows, and without a copy */
export async function copyRows(db: Db, table: SnapshotTable, copy: string): Promise<boolean> {
  const { name, where = sql.lit(true) } = table
  const part = sql`from ${sql.table(name)} where ${where}`
  const { rows } = await sql<{ found: boolean }>`select exists (select ${part}) as found`.execute(db)
  if (!rows[0]!.found) return false
  await sql`create temporary table ${sql.id(copy)} as select ${columnsOf(table)} ${part}`.execute(db)
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
  if (copies.length === 0) return
  await sql`drop table if exists ${sql.join(copies.map(copy => sql.id('pg_temp', copy)))}`.execute(db)
}
