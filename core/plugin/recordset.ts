import { sql, type AliasedRawBuilder, type InsertQueryBuilder, type InsertResult } from 'kysely'
import type { Db } from './context.ts'
import type { Tables } from './tables.ts'

/** Types that a column of a recordset may have, and what it holds. */
interface RecordTypes {
  uuid: string
  text: string
  date: string
  timestamptz: Date | string
  numeric: number | string
  int: number
  smallint: number
  boolean: boolean
  jsonb: unknown
}
type Columns = Readonly<Record<string, keyof RecordTypes>>
type RecordOf<C extends Columns> = { readonly [K in keyof C]: RecordTypes[C[K]] | null | undefined }

/**
 * Rows of a call as a table in its statement, for writes of many rows: one parameter, and the same text however many rows there are.
 * In a builder it stands where a table does (`using`, `innerJoin`, `selectFrom`), in a template after `from` or `join`.
 * @param columns their types, in the order of the columns
 */
export function recordset<Alias extends string, const C extends Columns, R extends RecordOf<C>>(
  alias: Alias,
  columns: C,
  rows: readonly R[],
): AliasedRawBuilder<{ [K in keyof C & string]: R[K] }, Alias> {
  const names = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`)
  const table = sql<{ [K in keyof C & string]: R[K] }>`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)`
  return table.as<Alias>(sql.raw(`${alias} (${names.join(', ')})`))
}

/**
 * Adds rows in one statement, whose text is the same however many they are.
 * @param columns their types, by the names of the table's columns
 * @returns the statement, to which `onConflict` and `returning` may be added
 */
export function insertRecords<T extends keyof Tables, const C extends Columns>(
  db: Db,
  table: T,
  columns: C & { readonly [K in keyof C]: K extends keyof Tables[T] ? unknown : never },
  rows: readonly RecordOf<C>[],
): InsertQueryBuilder<Tables, T, InsertResult> {
  const names = Object.keys(columns) as (keyof Tables[T] & string)[]
  const given = recordset('v', columns as Columns, rows as readonly RecordOf<Columns>[])
  return db
    .insertInto(table)
    .columns(names)
    .expression(db.selectFrom(given).select(names.map(name => sql.ref(`v.${name}`).as(name))))
}
