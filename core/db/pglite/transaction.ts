import { engineError } from './errors.ts'
import type { Result, RowMode } from './values.ts'

export interface QueryOptions {
  readonly rowMode?: RowMode
}

/** Runs statements: the database or one of its transactions. */
export interface Executor {
  query<T>(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<Result<T>>
  /** Runs several statements without parameters and returns the result of each. */
  exec(sql: string): Promise<Result<Record<string, unknown>>[]>
}

export interface Transaction extends Executor {
  rollback(): Promise<void>
  readonly closed: boolean
}

/** Exclusive access of one transaction to the session. */
export interface Exclusive {
  readonly executor: Executor
  /** Why the session ended; null while it is alive. */
  readonly ended: Error | null
  /** Number of other callers that wait for the session. */
  readonly waiting: number
  /** `begin`, `commit` or `rollback`. */
  control(command: string): Promise<void>
  release(): void
}

/**
 * Runs `work` in a transaction with exclusive use of the session.
 * @param idleLimit milliseconds without a statement after which the transaction is rolled back
 * @throws the error of `work`, or the reason why the commit failed
 */
export async function runTransaction<T>(
  acquire: () => Promise<Exclusive>,
  idleLimit: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let session: Exclusive | null = null
  /** Why statements are refused; null while the transaction is open. */
  let refusal: Error | null = null
  let inFlight = 0
  let idle: NodeJS.Timeout | undefined

  const abandon = async (): Promise<void> => {
    refusal = idleError(idleLimit, session?.waiting ?? 0)
    await session?.control('rollback').catch(() => undefined)
    session?.release()
  }
  const watch = (): void => {
    clearTimeout(idle)
    if (inFlight === 0 && !refusal) idle = setTimeout(() => void abandon(), idleLimit)
  }
  const step = async <R>(run: (executor: Executor) => Promise<R>): Promise<R> => {
    if (refusal || !session) throw refusal ?? endedError()
    inFlight++
    watch()
    try {
      return await run(session.executor)
    } catch (error) {
      refusal ??= session.ended
      if (session.ended) session.release()
      throw error
    } finally {
      inFlight--
      watch()
    }
  }
  const finish = async (command: 'commit' | 'rollback'): Promise<void> => {
    if (refusal || !session) throw refusal ?? endedError()
    // Set before the await, because a statement after the commit would run outside a transaction.
    refusal = endedError()
    clearTimeout(idle)
    try {
      await session.control(command)
    } catch (error) {
      throw session.ended && command === 'commit' ? unknownOutcome() : error
    } finally {
      session.release()
    }
  }

  try {
    session = await acquire()
    // Not awaited, which saves a round trip. The first statement fails if the session has ended.
    session.control('begin').catch(() => undefined)
    watch()
  } catch (error) {
    // Kysely waits until `work` is called, so throwing here would block it forever. The first statement throws the error instead.
    refusal = error instanceof Error ? error : new Error(String(error))
  }
  let rolledBack = false
  const tx: Transaction = {
    query: (sql, params, options) => step(executor => executor.query(sql, params, options)),
    exec: sql => step(executor => executor.exec(sql)),
    async rollback() {
      await finish('rollback')
      rolledBack = true
    },
    get closed() {
      return refusal !== null
    },
  }
  try {
    const result = await work(tx)
    if (!rolledBack) await finish('commit')
    return result
  } catch (error) {
    if (!refusal) await finish('rollback').catch(() => undefined)
    throw error
  }
}

function endedError(): Error {
  return engineError('25P01', 'the transaction has ended', false)
}

function unknownOutcome(): Error {
  return engineError(
    '08007',
    'the embedded database stopped during the commit; whether it took place is unknown',
    false,
  )
}

function idleError(limit: number, waiting: number): Error {
  const cause =
    waiting === 0
      ? ''
      : `; ${waiting} other ${waiting === 1 ? 'query' : 'queries'} waited for it: a query that is awaited inside a transaction must go through that transaction`
  return engineError('25P03', `the transaction was rolled back after ${limit} ms without a statement${cause}`, true)
}
