import { ToolError } from '../plugin/errors.ts'

/** SQLSTATEs of two transactions that got in each other's way: the same transaction may pass when it is run again. */
const CONFLICTS = new Set(['40001', '40P01'])

/** SQLSTATEs and socket errors of a database that cannot answer now: cancelled, locked, full, shutting down, unreachable. */
const UNAVAILABLE =
  /^(?:57014|57P0[1-5]|55P03|53...|08...|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/

/** What node-postgres says, without a code, of a connection that broke off or could not be had. */
const BROKEN =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/

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

export function isConflict(error: unknown): boolean {
  if (error instanceof ToolError) return false
  return causes(error).some(({ code }) => typeof code === 'string' && CONFLICTS.has(code))
}

export function isUnavailable(error: unknown): boolean {
  if (error instanceof ToolError) return false
  return causes(error).some(
    ({ code, message, retryable }) =>
      retryable === true ||
      (typeof code === 'string'
        ? UNAVAILABLE.test(code) || CONFLICTS.has(code)
        : typeof message === 'string' && BROKEN.test(message)),
  )
}
