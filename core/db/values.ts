import pg, { types } from 'pg'

/** A parameter as PostgreSQL reads it: text, or bytes in binary format. */
export type WireValue = string | Uint8Array | null

export interface Field {
  readonly name: string
  readonly dataTypeID: number
}

type Parse = (text: string) => unknown

// Both engines and both directions use the very functions of node-postgres, so that no value can differ between the two.
// Its types leave `utils` out; test/core/db/values.test.ts holds what is used of it.
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): WireValue } }).utils
const nodePostgres = types.getTypeParser as (oid: number) => Parse
const TEXT_ARRAY = 1009
/** What the ORM expects of dates, times and intervals, and of arrays of them: they stay text. */
const ofTheOrm: Readonly<Record<number, Parse>> = {
  ...Object.fromEntries([1082, 1114, 1184, 1186].map(oid => [oid, text => text])),
  ...Object.fromEntries([1182, 1115, 1185, 1187].map(oid => [oid, nodePostgres(TEXT_ARRAY)])),
}

export function encodeParams(params: readonly unknown[]): WireValue[] {
  return params.map(prepareValue)
}

/** How values of a type are read from PostgreSQL's text format. */
export function parserOf(dataTypeID: number): Parse {
  return ofTheOrm[dataTypeID] ?? nodePostgres(dataTypeID)
}

/** How the rows of a statement are read. */
export interface RowReader {
  readonly names: readonly string[]
  readonly parsers: readonly Parse[]
}

export function rowReader(fields: readonly Field[]): RowReader {
  return { names: fields.map(field => field.name), parsers: fields.map(field => parserOf(field.dataTypeID)) }
}

type Texts = readonly (string | null)[]

export function readRow({ names, parsers }: RowReader, texts: Texts): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let n = 0; n < names.length; n++) row[names[n]!] = readValue(parsers[n]!, texts[n])
  return row
}

export function readValues({ parsers }: RowReader, texts: Texts): unknown[] {
  return parsers.map((parse, n) => readValue(parse, texts[n]))
}

function readValue(parse: Parse, text: string | null | undefined): unknown {
  return text === null || text === undefined ? null : parse(text)
}

const WRITES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Whether the number of a command's tag counts rows that were written. */
export function isWrite(command: string): boolean {
  return WRITES.has(command)
}
