import { requireCommitted } from '../dialect.ts'
import { engineError } from './errors.ts'
import type { Session } from './session.ts'
import { runCommand } from './statement.ts'
import type { Result } from './values.ts'
import { formatCount } from '../../plugin/format-count.ts'

const UNKNOWN_OUTCOME = 'the embedded database stopped during the commit; whether it took place is unknown'

/** Runs a statement: in the database, or in one of its transactions. */
export type Query = <T>(sql: string, params?: readonly unknown[]) => Promise<Result<T>>

export interface Transaction {
  readonly query: Query
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** The session while one transaction has it. */
export interface HeldSession {
  readonly session: Session
  readonly query: Query
  /** Counts the callers that wait for the session. */
  waiting(): number
  release(): void
}

/**
 * Begins a transaction, which releases the session when it ends.
 * @param idleLimit milliseconds without a statement after which the transaction is rolled back
 */
export function beginTransaction({ session, query, waiting, release }: HeldSession, idleLimit: number): Transaction {
  /** Why statements are refused; null while the transaction is open. */
  let refusal: Error | null = null
  let inFlight = 0
  let idle: NodeJS.Timeout | undefined

  const control = (command: string) => runCommand(session, command, { inTransaction: true })
  const abandon = async (): Promise<void> => {
    refusal = idleError(idleLimit, waiting())
    await control('rollback').catch(() => undefined)
    release()
  }
  const watch = (): void => {
    clearTimeout(idle)
    if (inFlight === 0 && !refusal) idle = setTimeout(() => void abandon(), idleLimit)
  }
  const finish = async (command: 'commit' | 'rollback'): Promise<void> => {
    if (refusal) throw refusal
    // Set before the await, because a statement after the commit would run outside a transaction.
    refusal = engineError('25P01', 'the transaction has ended', false)
    clearTimeout(idle)
    try {
      const [result] = await control(command)
      if (command === 'commit') requireCommitted(result?.command)
    } catch (error) {
      throw session.ended && command === 'commit' ? engineError('08007', UNKNOWN_OUTCOME, false) : error
    } finally {
      release()
    }
  }

  // Not awaited, which saves a round trip. The first statement fails if the session has ended.
  control('begin').catch(() => undefined)
  watch()
  return {
    async query<T>(sql: string, params?: readonly unknown[]) {
      if (refusal) throw refusal
      inFlight++
      watch()
      try {
        return await query<T>(sql, params)
      } catch (error) {
        refusal ??= session.ended
        if (session.ended) release()
        throw error
      } finally {
        inFlight--
        watch()
      }
    },
    commit: () => finish('commit'),
    rollback: () => finish('rollback'),
  }
}

function idleError(limit: number, waiting: number): Error {
  const cause =
    waiting === 0
      ? ''
      : `; ${formatCount(waiting, 'other query', 'other queries')} waited for it: a query that is awaited inside a transaction must go through that transaction`
  return engineError('25P03', `the transaction was rolled back after ${limit} ms without a statement${cause}`, true)
}
