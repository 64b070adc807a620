import type { Database } from '../db/database.ts'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Config } from './config/schema.ts'

/** Location of the database. */
export type DatabaseOptions =
  | { readonly engine: 'pglite'; readonly dataDir: string | null; readonly snapshot?: Uint8Array }
  | { readonly engine: 'postgres'; readonly url: string; readonly replicaUrl: string | null }

/** Opens the database. Imports only the engine that is used, because loading the other would slow the start down. */
export async function openDatabase(
  { database, config }: { readonly database: DatabaseOptions; readonly config: Config },
  plugins: readonly PluginSpec[],
  log: Log,
): Promise<Database> {
  const common = { queryTimeout: config.query_timeout_ms, plugins, log }
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('../db/postgres.ts')
    return openPostgres({ ...common, url: database.url, replicaUrl: database.replicaUrl, poolSize: config.pool_size })
  }
  const { openEmbeddedDatabase } = await import('../db/embedded.ts')
  return openEmbeddedDatabase({
    ...common,
    dataDir: database.dataDir,
    ...(database.snapshot && { snapshot: database.snapshot }),
  })
}
