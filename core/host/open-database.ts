import type { Database } from '../db/database.ts'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Config } from './config/schema.ts'

/** Where the database is. */
export type DatabaseOptions =
  | { readonly engine: 'pglite'; readonly dataDir: string | null; readonly snapshot?: Uint8Array }
  | { readonly engine: 'postgres'; readonly url: string; readonly replicaUrl: string | null }

/** Loads the one engine that is used: each takes its part of the time of a start. */
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
