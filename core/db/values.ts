import pg, { types } from 'pg'

/** An encoded parameter: text, or bytes in binary format. */
export type WireValue = string | Uint8Array | null

export interface Field {
  readonly name: string
  readonly dataTypeID: number
}

type Parse = (text: string) => unknown

// Both engines use the functions of node-postgres in both directions, so that values cannot differ between them. `utils` is missing from
// its types; test/core/db/values.test.ts covers what is used of it.
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): WireValue } }).utils
// Local times lose the seconds that the offset of old dates has: 9:18:59 in Tokyo before 1888.
pg.defaults.parseInputDatesAsUTC = true
const nodePostgresParser = types.getTypeParser as (oid: number) => Parse
const TEXT_ARRAY = 1009
/** Types that the ORM expects as text: dates, times, intervals, and arrays of them. */
const ormParsers: Readonly<Record<number, Parse>> = {
  ...Object.fromEntries([1082, 1114, 1184, 1186].map(oid => [oid, text => text])),
  ...Object.fromEntries([1182, 1115, 1185, 1187].map(oid => [oid, nodePostgresParser(TEXT_ARRAY)])),
}

export function encodeParams(params: readonly unknown[]): WireValue[] {
  return params.map(prepareValue)
}

/** Returns the parser of a type for PostgreSQL's text format. */
export function parserOf(dataTypeID: number): Parse {
  return ormParsers[dataTypeID] ?? nodePostgresParser(dataTypeID)
}

/** Column names of a statement and their parsers. */
export interface RowReader {
  readonly names: readonly string[]
  readonly parsers: readonly Parse[]
  /** A row of nulls: copying it takes less time than adding the columns one by one. */
  readonly empty: Readonly<Record<string, unknown>>
}

export function createRowReader(fields: readonly Field[]): RowReader {
  const names = fields.map(field => field.name)
  return {
    names,
    parsers: fields.map(field => parserOf(field.dataTypeID)),
    empty: Object.fromEntries(names.map(name => [name, null])),
  }
}

export function readRow(
  { names, parsers, empty }: RowReader,
  texts: readonly (string | null)[],
): Record<string, unknown> {
  const row = { ...empty }
  for (let n = 0; n < names.length; n++) {
    const text = texts[n]
    if (text !== null && text !== undefined) row[names[n]!] = parsers[n]!(text)
  }
  return row
}

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Returns whether the number in a command's tag counts written rows. */
export function isWrite(command: string): boolean {
  return WRITES.has(command)
}
