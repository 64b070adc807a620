import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { postgresDialect, SavepointDriver, withCallerStack } from '../dialect.ts'
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
  async init(): Promise<void> {}
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
    await connection.end('rollback')
  }
  async releaseConnection(): Promise<void> {}
  /** The code that opened the database closes it. */
  async destroy(): Promise<void> {}
}

type Verdict = 'commit' | 'rollback'

/** A connection as Kysely sees it: the shared session, or one transaction in it. */
class EmbeddedConnection implements DatabaseConnection {
  readonly #db: EmbeddedDatabase
  #transaction: { readonly tx: Transaction; end(verdict: Verdict): Promise<void> } | null = null
  constructor(db: EmbeddedDatabase) {
    this.#db = db
  }
  async begin(): Promise<void> {
    recordStatement('begin')
    const begun = Promise.withResolvers<Transaction>()
    const verdict = Promise.withResolvers<Verdict>()
    const ended = this.#db.transaction(async tx => {
      begun.resolve(tx)
      if ((await verdict.promise) === 'rollback') await tx.rollback()
    })
    // If the transaction fails before its end, the next statement throws the error.
    ended.catch(() => undefined)
    this.#transaction = {
      tx: await begun.promise,
      async end(how) {
        verdict.resolve(how)
        // A failed rollback means that the transaction has already been rolled back.
        await (how === 'commit' ? ended : ended.catch(() => undefined))
      },
    }
  }
  async end(verdict: Verdict): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = null
    recordStatement(verdict)
    if (transaction) await traceStatement(verdict, () => transaction.end(verdict))
  }
  async run(sql: string, parameters: readonly unknown[] = []) {
    recordStatement(sql)
    return traceStatement(sql, () => (this.#transaction?.tx ?? this.#db).query(sql, parameters))
  }
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { rows, affectedRows } = await this.run(sql, parameters)
      return { rows: rows as R[], ...(affectedRows !== undefined && { numAffectedRows: BigInt(affectedRows) }) }
    } catch (error) {
      throw withCallerStack(error)
    }
  }
  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('The embedded database has no cursors to stream from.')
  }
}
