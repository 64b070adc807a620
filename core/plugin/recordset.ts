import { sql, type AliasedRawBuilder, type InsertQueryBuilder, type InsertResult, type Kysely } from 'kysely'
import type { Db } from './context.ts'
import type { Tables } from './tables.ts'

/** Column types of a recordset and their values. */
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

/** Ensures that the columns of a recordset exist in a table. */
type ColumnsOf<T extends keyof Tables, C> = C & { readonly [K in keyof C]: K extends keyof Tables[T] ? unknown : never }
/** Kysely cannot type tables and columns that are generic; the parameters of the functions below check them. */
type AnyTable = Kysely<Record<string, Record<string, unknown>>>

/**
 * Passes rows as a table in a statement, for bulk writes: one parameter, and the same text for any number of rows.
 * Use it in place of a table in the query builder (`using`, `innerJoin`, `selectFrom`), or after `from` or `join` in a template.
 * @param columns column types, in column order
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
 * Inserts rows with one statement, whose text is the same for any number of rows.
 * @param columns column types, by the column names of the table
 * @returns the statement, to which `onConflict` and `returning` may be added
 */
export function insertRecords<T extends keyof Tables, const C extends Columns>(
  db: Db,
  table: T,
  columns: ColumnsOf<T, C>,
  rows: readonly RecordOf<C>[],
): InsertQueryBuilder<Tables, T, InsertResult> {
  const names = Object.keys(columns) as (keyof Tables[T] & string)[]
  const records = recordset('v', columns as Columns, rows as readonly RecordOf<Columns>[])
  return db
    .insertInto(table)
    .columns(names)
    .expression(db.selectFrom(records).select(names.map(name => sql.ref(`v.${name}`).as(name))))
}

/**
 * Deletes the rows that match in the given columns, with one statement whose text is the same for any number of rows.
 * @param columns column types, by the column names of the table
 */
export async function deleteRecords<T extends keyof Tables, const C extends Columns>(
  db: Db,
  table: T,
  columns: ColumnsOf<T, C>,
  rows: readonly RecordOf<C>[],
): Promise<void> {
  const records = recordset('v', columns as Columns, rows as readonly RecordOf<Columns>[])
  const aliased: string = `${table} as r`
  const statement = (db as unknown as AnyTable).deleteFrom(aliased).using(records)
  await Object.keys(columns)
    .reduce((query, name) => query.whereRef(`r.${name}`, '=', `v.${name}`), statement)
    .execute()
}

/**
 * Updates rows, each with its own values, with one statement whose text is the same for any number of rows.
 * @param key columns that identify a row; the others are set
 */
export async function updateRecords<T extends keyof Tables, const K extends Columns, const C extends Columns>(
  db: Db,
  table: T,
  key: ColumnsOf<T, K>,
  columns: ColumnsOf<T, C>,
  rows: readonly (RecordOf<K> & RecordOf<C>)[],
): Promise<void> {
  const types: Columns = { ...key, ...columns }
  const records = recordset('v', types, rows as readonly RecordOf<Columns>[])
  const values = Object.fromEntries(Object.keys(columns).map(name => [name, sql.ref(`v.${name}`)]))
  const aliased: string = `${table} as r`
  const statement = (db as unknown as AnyTable).updateTable(aliased).from(records).set(values)
  await Object.keys(key)
    .reduce((query, name) => query.whereRef(`r.${name}`, '=', `v.${name}`), statement)
    .execute()
}
