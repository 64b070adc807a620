import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'

/** Diagnostics channel `tasuki.statement`: one message `{ sql }` per statement sent to the database. No cost without subscribers. */
const statements = channel('tasuki.statement')
/** Tracing channel `tasuki.query`: start and end of each statement, for spans. */
const queries = tracingChannel<unknown, StatementMessage>('tasuki.query')

export interface StatementMessage {
  readonly sql: string
}

/** Statement counter of the current tool call or job. */
export const statementCounter = new AsyncLocalStorage<{ statements: number }>()

export function recordStatement(sql: string): void {
  const count = statementCounter.getStore()
  if (count) count.statements++
  if (statements.hasSubscribers) statements.publish({ sql } satisfies StatementMessage)
}

/** Sends a statement and publishes its start and end on the tracing channel. */
export function traceStatement<T>(sql: string, send: () => Promise<T>): Promise<T> {
  return queries.hasSubscribers ? queries.tracePromise(send, { sql }) : send()
}
