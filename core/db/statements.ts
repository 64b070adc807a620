import { channel } from 'node:diagnostics_channel'

/** Diagnostics channel `tasuki.statement`: one message `{ sql }` per statement sent to the database; free while nobody listens. */
const statements = channel('tasuki.statement')

export interface StatementMessage {
  readonly sql: string
}

export function statementSent(sql: string): void {
  if (statements.hasSubscribers) statements.publish({ sql } satisfies StatementMessage)
}
