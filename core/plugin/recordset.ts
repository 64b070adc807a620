import { sql, type AliasedRawBuilder, type InsertQueryBuilder, type InsertResult, type Kysely } from 'kysely'
import type { Db } from './context.ts'
import type { JsonText, NewRow, Tables } from './tables.ts'

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

/** Values of rows in JSON, by the columns of a table: those of an insert, and jsonb as the value itself. */
type JsonValue<V> = V extends JsonText<infer Value> ? Value : V
export type JsonRow<T extends keyof Tables> = { readonly [C in keyof NewRow<T>]: JsonValue<NewRow<T>[C]> }
type Key<T extends keyof Tables> = keyof JsonRow<T> & string

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

/** Rows as the table `v`, whose column types are those of a table of the database. */
function rowsFor(table: keyof Tables, rows: readonly object[]) {
  const type = sql.table(table)
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  const records = sql<Record<string, unknown>>`jsonb_populate_recordset(null::${type}, ${JSON.stringify(rows)}::jsonb)`
  return { names, records: records.as('v') }
}

/**
 * Builds the insert of rows as one statement, whose text is the same for any number of rows.
 * @param rows at least one; all with the same columns
 * @returns the statement, to which `onConflict` and `returning` may be added; `execute()` sends it
 */
export function insertRecords<T extends keyof Tables>(
  db: Db,
  table: T,
  rows: readonly JsonRow<T>[],
): InsertQueryBuilder<Tables, T, InsertResult> {
  const { names, records } = rowsFor(table, rows)
  return db
    .insertInto(table)
    .columns(names as (keyof Tables[T] & string)[])
    .expression(db.selectFrom(records).select(names.map(name => sql.ref(`v.${name}`).as(name))))
}

/**
 * Deletes the rows that match in the given columns, with one statement whose text is the same for any number of rows.
 * @param key the columns
 */
export async function deleteRecords<T extends keyof Tables, K extends Key<T>>(
  db: Db,
  table: T,
  key: readonly K[],
  rows: readonly Pick<JsonRow<T>, K>[],
): Promise<void> {
  if (rows.length === 0) return
  const aliased: string = `${table} as r`
  const statement = (db as unknown as AnyTable).deleteFrom(aliased).using(rowsFor(table, rows).records)
  await key.reduce((query, name) => query.whereRef(`r.${name}`, '=', `v.${name}`), statement).execute()
}

/**
 * Updates rows, each with its own values, with one statement whose text is the same for any number of rows.
 * @param key columns that identify a row; the other columns of the rows are set
 * @param rows all with the same columns
 */
export async function updateRecords<T extends keyof Tables, K extends Key<T>>(
  db: Pick<Db, 'updateTable'> | { updateTable(table: never): unknown },
  table: T,
  key: readonly K[],
  rows: readonly (Required<Pick<JsonRow<T>, K>> & Partial<JsonRow<T>>)[],
): Promise<void> {
  if (rows.length === 0) return
  const { names, records } = rowsFor(table, rows)
  const changed = names.filter(name => !key.some(column => column === name))
  const values = Object.fromEntries(changed.map(name => [name, sql.ref(`v.${name}`)]))
  const aliased: string = `${table} as r`
  const statement = (db as unknown as AnyTable).updateTable(aliased).from(records).set(values)
  await key.reduce((query, name) => query.whereRef(`r.${name}`, '=', `v.${name}`), statement).execute()
}
