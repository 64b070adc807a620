import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type NewRow, type Row, type Tables } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import type { Columns, Json } from './columns.ts'

const snapshot = join(import.meta.dirname, 'columns.ts')

/** The type of a column as the database knows it: enums are text, and jsonb is unknown. */
type Kind<Value> = unknown extends Value
  ? Json
  : NonNullable<Value> extends string
    ? string
    : NonNullable<Value> extends number | boolean | readonly number[]
      ? Widened<NonNullable<Value>>
      : Json
type Widened<Value> = Value extends boolean ? boolean : Value

type Shape<T extends keyof Tables> = {
  [C in keyof NewRow<T>]: Kind<Row<T>[C & keyof Row<T>]> | (null extends NewRow<T>[C] ? null : never)
}
type Same<A, B> = [A, B] extends [B, A] ? true : false

type FixtureTable = `${'diary' | 'shelf' | 'example'}.${string}`
type Typed = Exclude<keyof Tables, FixtureTable>
/** False for each table whose entity differs from the database. Tables without an entity are not compared. */
type Agreement = {
  [T in Typed | keyof Columns]: T extends Typed & keyof Columns ? Same<Shape<T>, Columns[T]> : false
}
type Agreed = { [T in Typed | keyof Columns]: true }
/** Does not compile if a table differs; the error lists the tables. */
export const agrees = (agreement: Agreement): Agreed => agreement

/** PostgreSQL types as the drivers return them. */
const TYPES: Readonly<Record<string, string>> = {
  bool: 'boolean',
  date: 'string',
  int2: 'number',
  int4: 'number',
  jsonb: 'Json',
  numeric: 'string',
  text: 'string',
  timestamptz: 'string',
  tsvector: 'string',
  uuid: 'string',
  varbit: 'string',
  vector: 'string',
  varchar: 'string',
  _float4: 'number[]',
}

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly given: boolean
}

test('the types of tables match every column of the migrated database', async () => {
  const host = await testHost({ after }, { engine: 'pglite', config: { plugins: { project_admin: {} } } })
  const columns = await host.sql<Column>`
    select table_schema || '.' || table_name as table, column_name as name, udt_name as type, is_nullable = 'YES' as nullable,
      column_default is not null as given
    from information_schema.columns
    where table_schema in (select name from core.plugins) or table_schema = 'core' and table_name <> 'migrations'
    order by 1, 2`
  const tables = Map.groupBy(columns, column => column.table)
  const lines = [...tables].map(([table, of]) => `  '${table}': {\n${of.map(line).join('\n')}\n  }`)
  const text = `/** A value of jsonb, of which the database knows nothing. */
export type Json = 'json'

/** What the migrated database has; columns that an insert may leave out are optional. Written by the test of these types. */
export interface Columns {
${lines.join('\n')}
}
`
  if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(snapshot, text)
  assert.equal(text, readFileSync(snapshot, 'utf8'), 'if this is intended: UPDATE_SNAPSHOTS=1 npm test -- test/types')
})

function line({ name, type, nullable, given }: Column): string {
  assert.ok(type in TYPES, `add the type that drivers return for ${type} to the list of this test`)
  return `    ${name}${nullable || given ? '?' : ''}: ${TYPES[type]}${nullable ? ' | null' : ''}`
}
