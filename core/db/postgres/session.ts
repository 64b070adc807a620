import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { PoolClient, Submittable } from 'pg'
import { withAsker } from '../dialect.ts'
import { prepare, ROLLBACK, type Planning, type Prepared } from '../planning.ts'
import { statementSent } from '../statements.ts'
import { encodeParams, isWrite, type RowReader } from '../values.ts'
import { NamedQuery, type NamedResult } from './named-query.ts'

/** How PostgreSQL refuses a prepared statement whose columns have changed, as by a migration of another instance, among other things. */
const FEATURE_NOT_SUPPORTED = '0A000'

/**
 * One connection of a pool. Repeated statements with parameters get a name, so that the server parses each once, and plans those once that
 * one plan serves for all values. A connection must begin with `plan_cache_mode=force_custom_plan`.
 */
export class Session implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #readers = new Map<string, RowReader>()
  /** How the session plans now; null where a rollback may have undone it. */
  #planning: Planning | null = 'custom'
  #outdated = false
  constructor(client: PoolClient) {
    this.#client = client
  }

  release(): void {
    this.#client.release(this.#outdated)
  }

  async run(text: string): Promise<void> {
    await this.#send(text, [])
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#send(text, parameters)
      return { rows: rows as R[], ...(isWrite(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) }
    } catch (error) {
      this.#planning = null
      throw withAsker(error)
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed: read them page by page.')
  }

  async #send(text: string, parameters: readonly unknown[]): Promise<NamedResult> {
    statementSent(text)
    if (parameters.length === 0) {
      if (ROLLBACK.test(text)) this.#planning = null
      const result: NamedResult | NamedResult[] = await this.#client.query(text)
      // Of several statements in one text the last one answers, as on the embedded database.
      return Array.isArray(result) ? result.at(-1)! : result
    }
    const prepared = prepare(text)
    const planning = prepared?.planning ?? 'custom'
    if (this.#planning !== planning) {
      this.#planning = planning
      // Where this fails, so does the statement, and its error is the one to tell.
      await this.#client.query(`set plan_cache_mode = force_${planning}_plan`).catch(() => undefined)
    }
    return prepared
      ? this.#named(prepared, text, parameters)
      : this.#client.query({ text, values: parameters as unknown[] })
  }

  #named({ name }: Prepared, text: string, parameters: readonly unknown[]): Promise<NamedResult> {
    const values = encodeParams(parameters)
    return new Promise((done, fail) => {
      const failed = (error: unknown): void => {
        // What this connection has run before can be done: its columns have changed, and only a new connection prepares it anew.
        if ((error as { code?: unknown }).code === FEATURE_NOT_SUPPORTED && this.#readers.has(name)) {
          this.#outdated = true
          Object.assign(error as object, { retryable: true })
        }
        fail(error)
      }
      const query = new NamedQuery({ name, text, values }, this.#readers, done, failed)
      this.#client.query(query as unknown as Submittable)
    })
  }
}
