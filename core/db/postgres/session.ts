import type { Duplex } from 'node:stream'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { PoolClient, Submittable } from 'pg'
import { requireCommitted, withCaller } from '../dialect.ts'
import { prepare, ROLLBACK, type Planning } from '../planning.ts'
import { recordStatement, traceStatement } from '../statements.ts'
import { isConnectionLost, isReadOnly, wasNeverSent } from '../failure.ts'
import { encodeParams, isWrite, type RowReader } from '../values.ts'
import type { Deadline } from './deadline.ts'
import { NamedQuery, type NamedResult, type Statement } from './named-query.ts'

/**
 * PostgreSQL's error for a prepared statement whose columns have changed, for example after a migration by another instance. The code alone
 * is ambiguous.
 */
const PLAN_OUTDATED = { code: '0A000', routine: 'RevalidateCachedQuery' }

/**
 * One connection of a pool. Repeated statements with parameters are prepared, so that the server parses each only once; some use a generic
 * plan, so that it also plans them only once. The connection must start with `plan_cache_mode=force_custom_plan`.
 */
export class Session implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #readers = new Map<string, RowReader>()
  /** Current plan mode; null if a rollback may have undone it. */
  #planning: Planning | null = 'custom'
  /** Statement that begins a transaction, sent together with the first statement in it. */
  #begin: string | null = null
  #outdated = false
  #lost = false
  readonly #deadline: Deadline
  /** One timer for all statements, because refreshing it is cheaper than creating one. */
  #timer: NodeJS.Timeout | undefined
  #inFlight = 0
  #timeoutsSeen: number
  constructor(client: PoolClient, deadline: Deadline) {
    this.#client = client
    this.#deadline = deadline
    this.#timeoutsSeen = deadline.timeouts
  }

  /** Returns whether another connection has timed out since this one last answered. */
  get suspect(): boolean {
    return this.#timeoutsSeen !== this.#deadline.timeouts
  }

  /** Returns the connection to its pool, or closes it if it is unusable. */
  release(): void {
    this.#client.release(this.#outdated || this.#lost || this.suspect)
  }

  async run(text: string): Promise<void> {
    await this.#send(text, [])
  }

  /** Begins a transaction lazily: the text is sent with the next statement, which saves a round trip. */
  begin(text: string): void {
    this.#begin = text
  }

  /** @throws an error with SQLSTATE 08007 if the outcome of the commit is unknown */
  async commit(): Promise<void> {
    try {
      requireCommitted(await this.#end('commit'))
    } catch (error) {
      if (!this.#lost || wasNeverSent(error)) throw error
      throw Object.assign(new Error('the connection was lost during the commit', { cause: error }), { code: '08007' })
    }
  }

  /** Rolls back, unless the connection is lost: then the server rolls back. */
  async rollback(): Promise<void> {
    if (!this.#lost) await this.#end('rollback')
  }

  /** @param text `commit` or `rollback` */
  async #end(text: string): Promise<string | undefined> {
    if (this.#begin === null) return (await this.#send(text, [])).command
    this.#begin = null
  }

  async executeQuery<R>({ sql: text, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#send(text, parameters)
      return { rows: rows as R[], ...(isWrite(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) }
    } catch (error) {
      this.#planning = null
      // After a failover, the server may be a standby: a new connection may reach one that takes writes.
      if (isReadOnly(error)) this.#outdated = true
      throw withCaller(error, text)
    }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed: read them page by page.')
  }

  async #send(text: string, parameters: readonly unknown[]): Promise<NamedResult> {
    this.#inFlight++
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#timeOut(), this.#deadline.ms).unref()
    try {
      return await traceStatement(text, () => this.#query(text, parameters))
    } catch (error) {
      if (isConnectionLost(error)) this.#lost = true
      throw Object.assign(error as Error, { databaseVariable: this.#deadline.databaseVariable })
    } finally {
      this.#inFlight--
      if (!this.#lost) this.#timeoutsSeen = this.#deadline.timeouts
    }
  }

  /** Closes a connection whose answer is overdue; pending statements fail. */
  #timeOut(): void {
    if (this.#inFlight === 0) return
    if (this.#deadline.isUnlimited) return void this.#timer!.refresh()
    this.#lost = true
    this.#deadline.recordTimeout()
    const error = new Error(`the database did not answer within ${this.#deadline.ms} ms`)
    const { connection } = this.#client as unknown as { readonly connection: { readonly stream: Duplex } }
    connection.stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
  }

  async #query(text: string, parameters: readonly unknown[]): Promise<NamedResult> {
    // Encoded first, because a value that cannot be encoded must not consume the pending `begin`.
    const values = encodeParams(parameters)
    const prepared = values.length > 0 ? prepare(text) : undefined
    const before = this.#before(values.length > 0 ? (prepared?.planning ?? 'custom') : null)
    recordStatement(text)
    if (prepared && this.#readers.has(prepared.name)) return this.#runPrepared({ ...prepared, text, values, before })
    for (const each of before) await this.#client.query(each)
    if (prepared) return this.#runPrepared({ ...prepared, text, values, before: [] })
    if (values.length > 0) return this.#client.query({ text, values })
    if (ROLLBACK.test(text)) this.#planning = null
    const result: NamedResult | NamedResult[] = await this.#client.query(text)
    // For several statements in one text, returns the last result, as on the embedded database.
    return Array.isArray(result) ? result.at(-1)! : result
  }

  /** Lists the statements to run before a statement. @param planning required plan mode; null = any */
  #before(planning: Planning | null): string[] {
    const before: string[] = []
    if (this.#begin !== null) {
      recordStatement(this.#begin)
      before.push(this.#begin)
      this.#begin = null
    }
    if (planning !== null && this.#planning !== planning) {
      this.#planning = planning
      before.push(`set plan_cache_mode = force_${planning}_plan`)
    }
    return before
  }

  #runPrepared(statement: Statement): Promise<NamedResult> {
    return new Promise((done, fail) => {
      const failed = (error: unknown): void => {
        // Only a new connection prepares the statement again.
        const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown }
        if (code === PLAN_OUTDATED.code && routine === PLAN_OUTDATED.routine) {
          this.#outdated = true
          Object.assign(error as object, { retryable: true })
        }
        fail(error)
      }
      const query = new NamedQuery(statement, this.#readers, done, failed)
      this.#client.query(query as unknown as Submittable)
    })
  }
}
