/** What the main thread and the database's worker thread send to each other. */
import type { Prepared } from '../planning.ts'
import type { Field, WireValue } from '../values.ts'

/** Handed to the worker when it starts. */
export interface Boot {
  /** The WebAssembly module, compiled already; threads share it. */
  readonly engine: object
  /** Absolute path; null = in memory. */
  readonly dataDir: string | null
  readonly sharedBuffers: string
  /** A dump that a new cluster starts from. */
  readonly snapshot: Uint8Array | null
  /** One Int32: id of the request that is being executed, 0 = none. */
  readonly running: SharedArrayBuffer
}

export interface Statement {
  readonly sql: string
  /** Null or empty: sent as a simple query, which may hold several statements. */
  readonly params: readonly WireValue[] | null
  /** Null: parsed and planned for this one time. */
  readonly prepared: Prepared | null
  /** False: a transaction that is still open after the statement is rolled back. */
  readonly inTransaction: boolean
}

export type Request =
  | ({ readonly kind: 'run'; readonly id: number } & Statement)
  | { readonly kind: 'dump'; readonly id: number }
  | { readonly kind: 'close'; readonly id: number }

/** The result of one statement; values are PostgreSQL's text format. */
export interface RawResult {
  readonly command: string
  /** Null for commands whose tag carries no number, such as CREATE TABLE. */
  readonly rowCount: number | null
  readonly fields: readonly Field[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** Fields of PostgreSQL's error message that cross the threads, under the names of node-postgres. */
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
export type ErrorFields = Partial<Record<(typeof ERROR_FIELDS)[number], string | undefined>>
export interface WireError extends ErrorFields {
  readonly message: string
}

export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly results: readonly RawResult[] }
  | { readonly kind: 'error'; readonly id: number; readonly error: WireError }
  | { readonly kind: 'dump'; readonly id: number; readonly tar: Uint8Array }
  | { readonly kind: 'closed'; readonly id: number }
  | { readonly kind: 'notification'; readonly channel: string; readonly payload: string }
