import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'

/** Diagnostics channel `tasuki.statement`: one message `{ sql }` per statement sent to the database; free while nobody listens. */
const statements = channel('tasuki.statement')
/** Tracing channel `tasuki.query`: begin and end of each, for spans. */
const queries = tracingChannel<unknown, StatementMessage>('tasuki.query')

export interface StatementMessage {
  readonly sql: string
}

/** The tool call or job that is under way, with the statements that it has sent so far. */
export const counted = new AsyncLocalStorage<{ statements: number }>()

export function statementSent(sql: string): void {
  const count = counted.getStore()
  if (count) count.statements++
  if (statements.hasSubscribers) statements.publish({ sql } satisfies StatementMessage)
}

/** Tells who traces when a statement begins and has its answer. */
export function traceStatement<T>(sql: string, send: () => Promise<T>): Promise<T> {
  return queries.hasSubscribers ? queries.tracePromise(send, { sql }) : send()
}
