import { ToolError } from '../plugin/errors.ts'

/** SQLSTATEs of two transactions that got in each other's way: the same transaction may pass when it is run again. */
const CONFLICTS = new Set(['40001', '40P01'])

/**
 * SQLSTATEs of a row that another transaction took away, or added first: run again, a call sees what became of it and says so.
 * One that comes back is a fault of the call.
 */
const OVERTAKEN = new Set(['23503', '23505', '23P01'])

/** SQLSTATE of a commit whose end nobody has heard of. */
const OUTCOME_UNKNOWN = '08007'

/** SQLSTATEs and socket errors of a connection that is there no more. */
const LOST =
  /^(?:57P0[1-5]|25P0[34]|08...|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)(?:UNREACH|DOWN))$/

/** SQLSTATEs of a database that cannot do it now: cancelled, locked, full. */
const UNAVAILABLE = /^(?:57014|55P03|53...)$/

/** What node-postgres says, without a code, of a connection that is not there, so that nothing was sent. */
const NEVER_SENT =
  /^(?:Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/
/** What it says of one that broke off. */
const BROKEN = /^Connection terminated/

/** Database layers wrap errors in errors: all of them, outermost first. */
function causes(error: unknown): readonly Readonly<Record<string, unknown>>[] {
  const found: Record<string, unknown>[] = []
  let current = error
  while (found.length < 5 && current !== null && typeof current === 'object') {
    const layer = current as Record<string, unknown>
    found.push(layer)
    current = layer['cause'] ?? layer['previous']
  }
  return found
}

/** Whether the transaction may pass when it is run again. */
export function isConflict(error: unknown): boolean {
  return someCause(error, ({ code }) => typeof code === 'string' && (CONFLICTS.has(code) || OVERTAKEN.has(code)))
}

/** Whether nobody can tell if the transaction took place. */
export function isOutcomeUnknown(error: unknown): boolean {
  return someCause(error, ({ code }) => code === OUTCOME_UNKNOWN)
}

/** Whether the connection is of no use any more. */
export function isConnectionLost(error: unknown): boolean {
  return someCause(error, ({ code, message }) =>
    typeof code === 'string'
      ? LOST.test(code)
      : typeof message === 'string' && (BROKEN.test(message) || NEVER_SENT.test(message)),
  )
}

/** Whether a statement failed before the server could have read it, or because the server had ended its transaction before. */
export function wasNeverSent(error: unknown): boolean {
  return someCause(error, ({ code, message }) =>
    typeof code === 'string' ? code.startsWith('25P0') : typeof message === 'string' && NEVER_SENT.test(message),
  )
}

/** Whether the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return (
    isConnectionLost(error) ||
    someCause(
      error,
      ({ code, retryable }) =>
        retryable === true || (typeof code === 'string' && (UNAVAILABLE.test(code) || CONFLICTS.has(code))),
    )
  )
}

function someCause(error: unknown, holds: (layer: Readonly<Record<string, unknown>>) => boolean): boolean {
  return !(error instanceof ToolError) && causes(error).some(holds)
}
