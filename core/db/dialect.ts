import { PostgresAdapter, PostgresIntrospector, type Dialect, type Driver } from 'kysely'
import { DatabaseError, escapeIdentifier } from 'pg'
import { nameRefusedPlugin } from '../plugin/contributed-sql.ts'
import { RememberingCompiler } from './compiler.ts'

/** Kysely dialect for PostgreSQL with the driver of either engine. */
export function postgresDialect(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver,
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new RememberingCompiler(),
  }
}

/** The savepoints of the drivers of both engines. */
export abstract class SavepointDriver<Connection extends { run(sql: string): Promise<unknown> }> {
  async init(): Promise<void> {}
  async savepoint(connection: Connection, name: string): Promise<void> {
    await connection.run(`savepoint ${escapeIdentifier(name)}`)
  }
  async rollbackToSavepoint(connection: Connection, name: string): Promise<void> {
    await connection.run(`rollback to savepoint ${escapeIdentifier(name)}`)
  }
  async releaseSavepoint(connection: Connection, name: string): Promise<void> {
    await connection.run(`release savepoint ${escapeIdentifier(name)}`)
  }
}

/** @throws if a commit rolled back, because an error of a statement in the transaction was swallowed */
export function requireCommitted(command: string | undefined): void {
  const problem = 'nothing was saved: a statement failed, and its error was caught or not awaited; see runInSavepoint'
  if (command === 'ROLLBACK') throw Object.assign(new Error(problem), { code: '25P02' })
}

/**
 * Replaces the stack of a database error with the caller's, and adds the plugin at whose part of the statement it is. The error is created
 * by the socket's reader, so its own stack does not show the caller.
 */
export function withCaller(error: unknown, text: string): unknown {
  if (error instanceof DatabaseError) {
    Error.captureStackTrace(error)
    if (error.position !== undefined) nameRefusedPlugin(error, text, Number(error.position))
  }
  return error
}
