import { databaseFolder, type Environment } from '../host/config/environment.ts'
import type { Database } from '../db/database.ts'
import { quietLog } from '../host/quiet-log.ts'

/** Opens the database as it is: nothing is migrated, and no plugin is noted as switched on or off. */
export async function openAsItIs(env: Environment): Promise<Database> {
  const common = { queryTimeout: 60_000, plugins: [], log: quietLog }
  // Every command loads this file, also the one that serves, which needs one of them.
  if (env.databaseUrl !== null) {
    const { openPostgres } = await import('../db/postgres.ts')
    return openPostgres({ ...common, url: env.databaseUrl, replicaUrl: null, poolSize: 2 })
  }
  const { openEmbeddedDatabase } = await import('../db/embedded.ts')
  return openEmbeddedDatabase({ ...common, dataDir: databaseFolder(env) })
}
