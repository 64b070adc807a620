import { ToolError } from '../plugin/errors.ts'

/** SQLSTATEs of a serialization failure and a deadlock: a retry of the transaction may succeed. */
const CONFLICTS = new Set(['40001', '40P01'])

/**
 * SQLSTATEs of a row that a concurrent transaction deleted or inserted first. A retry sees the new state and reports it; if the retry fails
 * in the same way, the call itself is at fault.
 */
const OVERTAKEN = new Set(['23503', '23505', '23P01'])

/** SQLSTATE of a commit with unknown outcome. */
const OUTCOME_UNKNOWN = '08007'

/** SQLSTATEs and socket errors of a lost connection. */
const LOST =
  /^(?:57P0[1-5]|25P0[34]|08...|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)(?:UNREACH|DOWN))$/

/** SQLSTATEs of a temporary failure: statement cancelled, lock not available, out of resources. */
const UNAVAILABLE = /^(?:57014|55P03|53...)$/

/** Messages of node-postgres, which have no code, for a connection that was not open, so that nothing was sent. */
const NEVER_SENT =
  /^(?:Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/
/** Message of node-postgres for a connection that closed unexpectedly. */
const BROKEN = /^Connection terminated/

/** SQLSTATE of a write that a database refuses which takes none at present: a standby, or one whose disk is nearly full. */
const READ_ONLY = '25006'

/** Lists an error and its nested causes, outermost first. */
export function causesOf(error: unknown): readonly Readonly<Record<string, unknown>>[] {
  const found: Record<string, unknown>[] = []
  let current = error
  while (found.length < 5 && current !== null && typeof current === 'object') {
    const layer = current as Record<string, unknown>
    // It only says that closing failed too.
    if (!(current instanceof SuppressedError)) found.push(layer)
    current = layer['cause'] ?? layer['previous'] ?? layer['suppressed']
  }
  return found
}

/** Returns whether a retry of the transaction may succeed. */
export function isConflict(error: unknown): boolean {
  return hasCause(error, ({ code }) => typeof code === 'string' && (CONFLICTS.has(code) || OVERTAKEN.has(code)))
}

/** Returns whether it is unknown if the transaction was committed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return hasCause(error, ({ code }) => code === OUTCOME_UNKNOWN)
}

/** Returns whether the connection is lost. */
export function isConnectionLost(error: unknown): boolean {
  return hasCause(error, ({ code, message }) =>
    typeof code === 'string'
      ? LOST.test(code)
      : typeof message === 'string' && (BROKEN.test(message) || NEVER_SENT.test(message)),
  )
}

/** Returns whether a statement failed before it reached the server, or because the server had already ended its transaction. */
export function wasNeverSent(error: unknown): boolean {
  return hasCause(error, ({ code, message }) =>
    typeof code === 'string' ? code.startsWith('25P0') : typeof message === 'string' && NEVER_SENT.test(message),
  )
}

/** Returns whether the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return (
    isConnectionLost(error) ||
    hasCause(
      error,
      ({ code, retryable }) =>
        retryable === true || (typeof code === 'string' && (UNAVAILABLE.test(code) || CONFLICTS.has(code))),
    )
  )
}

/** Returns whether the server refused a write because it, or the transaction, is read-only. */
export function isReadOnly(error: unknown): boolean {
  return hasCause(error, ({ code }) => code === READ_ONLY)
}

/** Returns an error that is `isUnavailable` if the database takes no writes at present, else the same error. For write transactions. */
export function failureOfWrite(error: unknown): unknown {
  if (!isReadOnly(error)) return error
  return Object.assign(new Error('the database takes no writes', { cause: error }), { retryable: true })
}

function hasCause(error: unknown, holds: (layer: Readonly<Record<string, unknown>>) => boolean): boolean {
  return !(error instanceof ToolError) && causesOf(error).some(holds)
}
