/** Messages between the main thread and the worker thread of the database. */
import type { Prepared } from '../planning.ts'
import type { Field, WireValue } from '../values.ts'

/** Data that the worker receives at its start. */
export interface Boot {
  /** The compiled WebAssembly module, which threads share. */
  readonly engine: object
  /** Absolute path; null = in memory. */
  readonly dataDir: string | null
  /** A dump that a new cluster starts from. */
  readonly snapshot: Uint8Array | null
  /** One Int32: id of the current request, 0 = none. */
  readonly running: SharedArrayBuffer
}

export interface Statement {
  readonly sql: string
  /** Null or empty: sent as a simple query, which may contain several statements. */
  readonly params: readonly WireValue[] | null
  /** Null: parsed and planned for this execution only. */
  readonly prepared: Prepared | null
  /** False: a transaction that the statement leaves open is rolled back. */
  readonly inTransaction: boolean
}

export type Request =
  | ({ readonly kind: 'run'; readonly id: number } & Statement)
  | { readonly kind: 'dump'; readonly id: number }
  | { readonly kind: 'close'; readonly id: number }

/** Result of one statement; values are in PostgreSQL's text format. */
export interface RawResult {
  readonly command: string
  /** Null for commands whose tag has no number, such as CREATE TABLE. */
  readonly rowCount: number | null
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** Fields of a PostgreSQL error that are sent between the threads, with the names of node-postgres. */
export const ERROR_FIELDS = [
  'severity',
  'code',
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const
export type WireError = { readonly message: string } & Partial<
  Record<(typeof ERROR_FIELDS)[number], string | undefined>
>

/** Requests are answered in their order, so an answer does not name its request. */
export type Message =
  | { readonly kind: 'ready' | 'closed' }
  | { readonly kind: 'result'; readonly results: readonly RawResult[] }
  | { readonly kind: 'error'; readonly error: WireError }
  | { readonly kind: 'dump'; readonly tar: Uint8Array }
  | { readonly kind: 'notification'; readonly channel: string; readonly payload: string }
