import { sql, type AliasedRawBuilder, type InsertQueryBuilder, type InsertResult, type Kysely } from 'kysely'
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

/** The columns of a table that a recordset has. */
type ColumnsOf<T extends keyof Tables, C> = C & { readonly [K in keyof C]: K extends keyof Tables[T] ? unknown : never }
/** The builder cannot follow a table and columns that only the caller knows; the parameters of both functions check them. */
type AnyTable = Kysely<Record<string, Record<string, unknown>>>

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
  columns: ColumnsOf<T, C>,
  rows: readonly RecordOf<C>[],
): InsertQueryBuilder<Tables, T, InsertResult> {
  const names = Object.keys(columns) as (keyof Tables[T] & string)[]
  const given = recordset('v', columns as Columns, rows as readonly RecordOf<Columns>[])
  return db
    .insertInto(table)
    .columns(names)
    .expression(db.selectFrom(given).select(names.map(name => sql.ref(`v.${name}`).as(name))))
}

/**
 * Deletes the rows that are equal in some columns, in one statement, whose text is the same however many they are.
 * @param columns their types, by the names of the table's columns
 */
export async function deleteRecords<T extends keyof Tables, const C extends Columns>(
  db: Db,
  table: T,
  columns: ColumnsOf<T, C>,
  rows: readonly RecordOf<C>[],
): Promise<void> {
  const given = recordset('v', columns as Columns, rows as readonly RecordOf<Columns>[])
  const aliased: string = `${table} as r`
  const statement = (db as unknown as AnyTable).deleteFrom(aliased).using(given)
  await Object.keys(columns)
    .reduce((query, name) => query.whereRef(`r.${name}`, '=', `v.${name}`), statement)
    .execute()
}

/**
 * Changes rows, each to values of its own, in one statement, whose text is the same however many they are.
 * @param key columns that find the row; the others are set
 */
export async function updateRecords<T extends keyof Tables, const K extends Columns, const C extends Columns>(
  db: Db,
  table: T,
  key: ColumnsOf<T, K>,
  columns: ColumnsOf<T, C>,
  rows: readonly (RecordOf<K> & RecordOf<C>)[],
): Promise<void> {
  const types: Columns = { ...key, ...columns }
  const given = recordset('v', types, rows as readonly RecordOf<Columns>[])
  const values = Object.fromEntries(Object.keys(columns).map(name => [name, sql.ref(`v.${name}`)]))
  const aliased: string = `${table} as r`
  const statement = (db as unknown as AnyTable).updateTable(aliased).from(given).set(values)
  await Object.keys(key)
    .reduce((query, name) => query.whereRef(`r.${name}`, '=', `v.${name}`), statement)
    .execute()
}
