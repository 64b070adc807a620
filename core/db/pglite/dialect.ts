import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { postgresDialect, SavepointDriver, withCaller } from '../dialect.ts'
import { recordStatement, traceStatement } from '../statements.ts'
import type { EmbeddedDatabase } from './client.ts'
import type { Transaction } from './transaction.ts'

/**
 * Kysely dialect for the embedded database. In Kysely's own dialect for PGlite, a transaction that waits for a query outside itself blocks
 * its only connection forever. Here the query waits for the session, and the transaction times out.
 */
export function embeddedDialect(db: EmbeddedDatabase): Dialect {
  return postgresDialect(() => new EmbeddedDriver(db))
}

class EmbeddedDriver extends SavepointDriver<EmbeddedConnection> implements Driver {
  readonly #db: EmbeddedDatabase
  constructor(db: EmbeddedDatabase) {
    super()
    this.#db = db
  }
  async acquireConnection(): Promise<EmbeddedConnection> {
    return new EmbeddedConnection(this.#db)
  }
  /** Ignores the settings: with one session no transactions run concurrently, whatever the isolation level. */
  async beginTransaction(connection: EmbeddedConnection): Promise<void> {
    await connection.begin()
  }
  async commitTransaction(connection: EmbeddedConnection): Promise<void> {
    await connection.end('commit')
  }
  async rollbackTransaction(connection: EmbeddedConnection): Promise<void> {
    // A failed rollback means that the transaction has already been rolled back.
    await connection.end('rollback').catch(() => undefined)
  }
  async releaseConnection(): Promise<void> {}
  /** The code that opened the database closes it. */
  async destroy(): Promise<void> {}
}

/** A connection as Kysely sees it: the shared session, or one transaction in it. */
class EmbeddedConnection implements DatabaseConnection {
  readonly #db: EmbeddedDatabase
  #transaction: Transaction | null = null
  constructor(db: EmbeddedDatabase) {
    this.#db = db
  }
  async begin(): Promise<void> {
    recordStatement('begin')
    this.#transaction = await this.#db.begin()
  }
  async end(how: 'commit' | 'rollback'): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = null
    recordStatement(how)
    if (transaction) await traceStatement(how, () => transaction[how]())
  }
  async run(sql: string, parameters: readonly unknown[] = []) {
    recordStatement(sql)
    return traceStatement(sql, () => (this.#transaction ?? this.#db).query(sql, parameters))
  }
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { rows, affectedRows } = await this.run(sql, parameters)
      return { rows: rows as R[], ...(affectedRows !== undefined && { numAffectedRows: BigInt(affectedRows) }) }
    } catch (error) {
      throw withCaller(error, sql)
    }
  }
  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('The embedded database has no cursors to stream from.')
  }
}
