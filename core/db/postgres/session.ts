import type { Duplex } from 'node:stream'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { PoolClient, Submittable } from 'pg'
import { withAsker } from '../dialect.ts'
import { prepare, ROLLBACK, type Planning } from '../planning.ts'
import { statementSent, traceStatement } from '../statements.ts'
import { isConnectionLost, wasNeverSent } from '../failure.ts'
import { encodeParams, isWrite, type RowReader } from '../values.ts'
import type { Deadline } from './deadline.ts'
import { NamedQuery, type NamedResult, type Statement } from './named-query.ts'

/** Where PostgreSQL refuses a prepared statement whose columns have changed, as by a migration of another instance; its code says less. */
const PLAN_OUTDATED = { code: '0A000', routine: 'RevalidateCachedQuery' }

/**
 * One connection of a pool. Repeated statements with parameters get a name, so that the server parses each once, and plans those once that
 * one plan serves for all values. A connection must begin with `plan_cache_mode=force_custom_plan`.
 */
export class Session implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #readers = new Map<string, RowReader>()
  /** How the session plans now; null where a rollback may have undone it. */
  #planning: Planning | null = 'custom'
  /** Text that begins a transaction, sent with its first statement. */
  #begin: string | null = null
  #outdated = false
  #lost = false
  readonly #deadline: Deadline
  /** One for all statements: starting it anew costs far less than making another. */
  #timer: NodeJS.Timeout | undefined
  #asked = 0
  #silencesKnown: number
  constructor(client: PoolClient, deadline: Deadline) {
    this.#client = client
    this.#deadline = deadline
    this.#silencesKnown = deadline.silences
  }

  /** Whether another connection has fallen silent since this one answered. */
  get suspect(): boolean {
    return this.#silencesKnown !== this.#deadline.silences
  }

  /** Gives the connection back to its pool, which ends one that is of no use any more. */
  release(): void {
    this.#client.release(this.#outdated || this.#lost || this.suspect)
  }

  async run(text: string): Promise<void> {
    await this.#send(text, [])
  }

  /** Begins a transaction, on the way of the statement that comes next: waiting for it would take as long as a short statement. */
  begin(text: string): void {
    this.#begin = text
  }

  /** @throws an error of SQLSTATE 08007 where nobody can tell whether the transaction took place. */
  async commit(): Promise<void> {
    try {
      await this.#end('commit')
    } catch (error) {
      if (!this.#lost || wasNeverSent(error)) throw error
      throw Object.assign(new Error('the connection was lost during the commit', { cause: error }), { code: '08007' })
    }
  }

  /** A transaction whose connection is lost is rolled back by the server. */
  async rollback(): Promise<void> {
    if (!this.#lost) await this.#end('rollback')
  }

  /** @param text that commits the transaction or rolls it back */
  async #end(text: string): Promise<void> {
    if (this.#begin === null) await this.run(text)
    else this.#begin = null
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
    this.#asked++
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#giveUp(), this.#deadline.ms).unref()
    try {
      return await traceStatement(text, () => this.#ask(text, parameters))
    } catch (error) {
      if (isConnectionLost(error)) this.#lost = true
      throw error
    } finally {
      this.#asked--
      if (!this.#lost) this.#silencesKnown = this.#deadline.silences
    }
  }

  /** Ends a connection on which an answer is overdue; what waits for it fails. */
  #giveUp(): void {
    if (this.#asked === 0) return
    if (this.#deadline.lifted) return void this.#timer!.refresh()
    this.#lost = true
    this.#deadline.noteSilence()
    const error = new Error(`the database did not answer within ${this.#deadline.ms} ms`)
    const { connection } = this.#client as unknown as { readonly connection: { readonly stream: Duplex } }
    connection.stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
  }

  async #ask(text: string, parameters: readonly unknown[]): Promise<NamedResult> {
    // First, because a value that cannot be written must not take the beginning of the transaction along.
    const values = encodeParams(parameters)
    const prepared = values.length > 0 ? prepare(text) : undefined
    const before = this.#before(values.length > 0 ? (prepared?.planning ?? 'custom') : null)
    statementSent(text)
    if (prepared && this.#readers.has(prepared.name)) return this.#named({ ...prepared, text, values, before })
    for (const each of before) await this.#client.query(each)
    if (prepared) return this.#named({ ...prepared, text, values, before: [] })
    if (values.length > 0) return this.#client.query({ text, values })
    if (ROLLBACK.test(text)) this.#planning = null
    const result: NamedResult | NamedResult[] = await this.#client.query(text)
    // Of several statements in one text the last one answers, as on the embedded database.
    return Array.isArray(result) ? result.at(-1)! : result
  }

  /** What the session has to do before a statement. @param planning that the statement needs; null where any will do */
  #before(planning: Planning | null): string[] {
    const before: string[] = []
    if (this.#begin !== null) {
      statementSent(this.#begin)
      before.push(this.#begin)
      this.#begin = null
    }
    if (planning !== null && this.#planning !== planning) {
      this.#planning = planning
      before.push(`set plan_cache_mode = force_${planning}_plan`)
    }
    return before
  }

  #named(statement: Statement): Promise<NamedResult> {
    return new Promise((done, fail) => {
      const failed = (error: unknown): void => {
        // Only a new connection prepares it anew.
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
