import { sql, type AliasedRawBuilder } from 'kysely'

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
