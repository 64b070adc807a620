import { databaseFolder, type Environment } from '../host/config/environment.ts'
import type { Database } from '../db/database.ts'
import { quietLog } from '../host/quiet-log.ts'

/** Opens the database without migrating it or storing which plugins are enabled. */
export async function openUnmigrated(env: Environment): Promise<Database> {
  const common = { queryTimeout: 60_000, plugins: [], log: quietLog }
  // Imported lazily, because every command loads this file and needs at most one engine.
  if (env.databaseUrl !== null) {
    const { openPostgres } = await import('../db/postgres.ts')
    return openPostgres({ ...common, url: env.databaseUrl, replicaUrl: null, poolSize: 2 })
  }
  const { openEmbeddedDatabase } = await import('../db/embedded.ts')
  return openEmbeddedDatabase({ ...common, dataDir: databaseFolder(env) })
}
