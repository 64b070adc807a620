import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { compareMigrations } from '../db/migrate.ts'
import type { PluginSpec } from '../plugin/plugin.ts'

const LIMIT_MS = 1500

/** Status of the database for /readyz. */
export type Readiness = 'ready' | 'database does not answer' | 'database is newer than this program'

/**
 * Creates the check for /readyz: whether the database answers reads and writes, and is compatible with this program. It returns within the
 * time limit, whatever the database does.
 */
export function createReadinessCheck(): (database: Database, plugins: readonly PluginSpec[]) => Promise<Readiness> {
  // One check at a time, so that concurrent requests do not each wait for a connection.
  let pendingCheck: Promise<Readiness> | null = null
  return async (database, plugins) => {
    pendingCheck ??= queryStatus(database, plugins).finally(() => (pendingCheck = null))
    const timeout = new AbortController()
    const before = countAnswers(database)
    const decide = (): Readiness => (countAnswers(database) > before ? 'ready' : 'database does not answer')
    try {
      return await Promise.race([pendingCheck, sleep(LIMIT_MS, null, { signal: timeout.signal }).then(decide)])
    } finally {
      timeout.abort()
    }
  }
}

/**
 * Returns the number of statements that the embedded engine has answered. It has one session, so a check may wait behind a long call
 * although the database works.
 */
function countAnswers({ embedded }: Database): number {
  return embedded?.load().answered ?? 0
}

async function queryStatus({ read, write }: Database, plugins: readonly PluginSpec[]): Promise<Readiness> {
  try {
    const [{ tooNew }] = await Promise.all([compareMigrations(write, plugins), sql`select 1`.execute(read)])
    return tooNew.length > 0 ? 'database is newer than this program' : 'ready'
  } catch {
    return 'database does not answer'
  }
}
