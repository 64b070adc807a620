import { setTimeout as sleep } from 'node:timers/promises'
import { isConflict } from '../db/failure.ts'

const MOST_ATTEMPTS = 5
/** Milliseconds before the second attempt, doubled with each further one; two that collided must not collide again. */
const FIRST_PAUSE_MS = 8

/**
 * Runs a transaction, and runs it again when another one got in its way: after a deadlock, or where a row that it relies on was taken away
 * or added meanwhile, it then sees what became of it and can say so.
 * @param before what has to be done before it is run again
 */
export async function retryRaces<T>(transaction: () => Promise<T>, before?: () => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !isConflict(error)) throw error
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
      before?.()
    }
  }
}
