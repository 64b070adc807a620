import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { compareMigrations } from '../db/migrate.ts'
import type { PluginSpec } from '../plugin/plugin.ts'

const LIMIT_MS = 1500

/** What /readyz says of the database. */
export type Readiness = 'ready' | 'database does not answer' | 'database is newer than this program'

/**
 * Makes the check whether the database answers, for reads and for writes, and is still one that this program can work on; it decides in
 * time, whatever the database does.
 */
export function readinessCheck(): (database: Database, plugins: readonly PluginSpec[]) => Promise<Readiness> {
  // One at a time: while it waits, those that ask must not take a connection each.
  let asking: Promise<Readiness> | null = null
  return async (database, plugins) => {
    asking ??= ask(database, plugins).finally(() => (asking = null))
    const late = new AbortController()
    const before = answersOf(database)
    const decide = (): Readiness => (answersOf(database) > before ? 'ready' : 'database does not answer')
    try {
      return await Promise.race([asking, sleep(LIMIT_MS, null, { signal: late.signal }).then(decide)])
    } finally {
      late.abort()
    }
  }
}

/** Statements that the embedded engine answered. It has one session: while a call has it, what others ask waits behind a working database. */
function answersOf({ embedded }: Database): number {
  return embedded?.load().answered ?? 0
}

async function ask({ read, write }: Database, plugins: readonly PluginSpec[]): Promise<Readiness> {
  try {
    const [{ tooNew }] = await Promise.all([compareMigrations(write, plugins), sql`select 1`.execute(read)])
    return tooNew.length > 0 ? 'database is newer than this program' : 'ready'
  } catch {
    return 'database does not answer'
  }
}
