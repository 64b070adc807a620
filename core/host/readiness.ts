import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'

const LIMIT_MS = 1500

/** Makes the check whether the database answers, for reads and for writes; it decides in time, whatever the database does. */
export function readinessCheck(): (database: Database) => Promise<boolean> {
  // One at a time: while it waits, those that ask must not take a connection each.
  let asking: Promise<boolean> | null = null
  return async database => {
    asking ??= ask(database).finally(() => (asking = null))
    const late = new AbortController()
    try {
      return await Promise.race([asking, sleep(LIMIT_MS, false, { signal: late.signal })])
    } finally {
      late.abort()
    }
  }
}

async function ask({ read, write }: Database): Promise<boolean> {
  return Promise.all([read, write].map(db => sql`select 1`.execute(db))).then(
    () => true,
    () => false,
  )
}
