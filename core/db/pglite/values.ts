import { createRequire } from 'node:module'
import { types } from 'pg'
import type { Field, RawResult, WireValue } from './wire.ts'

type Parse = (text: string) => unknown

// Both directions use the very functions that the PostgreSQL engine uses, so that no value can differ between the two.
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils') as {
  readonly prepareValue: (value: unknown) => WireValue
}
const nodePostgres = types.getTypeParser as (oid: number) => Parse
const TEXT_ARRAY = 1009
/** What the ORM has PostgreSQL's driver do with dates, times and intervals, and with arrays of them: they stay text. */
const ofTheOrm: Readonly<Record<number, Parse>> = {
  ...Object.fromEntries([1082, 1114, 1184, 1186].map(oid => [oid, text => text])),
  ...Object.fromEntries([1182, 1115, 1185, 1187].map(oid => [oid, nodePostgres(TEXT_ARRAY)])),
}

export interface Result<T> {
  rows: T[]
  fields: Field[]
  command: string
  /** Rows written; absent for other commands. */
  affectedRows?: number
}

export type RowMode = 'object' | 'array'

export function encodeParams(params: readonly unknown[]): WireValue[] {
  return params.map(prepareValue)
}

export function decodeResult<T>(raw: RawResult, rowMode: RowMode): Result<T> {
  const fields = [...raw.fields]
  const parsers = fields.map(({ dataTypeID }): Parse => ofTheOrm[dataTypeID] ?? nodePostgres(dataTypeID))
  const values = (row: readonly (string | null)[]): unknown[] =>
    parsers.map((parse, index) => {
      const text = row[index]
      return text === null || text === undefined ? null : parse(text)
    })
  const rows = rowMode === 'array' ? raw.rows.map(values) : raw.rows.map(row => toObject(fields, values(row)))
  return {
    rows: rows as T[],
    fields,
    command: raw.command,
    ...(WRITES.has(raw.command) && raw.rowCount !== null && { affectedRows: raw.rowCount }),
  }
}
const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

function toObject(fields: readonly Field[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  fields.forEach((field, index) => {
    row[field.name] = values[index]
  })
  return row
}
