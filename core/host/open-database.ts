import type { Database } from '../db/database.ts'
import type { PostgresOptions } from '../db/postgres.ts'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import { databaseFolder, type Environment } from './config/environment.ts'
import type { Config } from './config/schema.ts'
import { quietLog } from './quiet-log.ts'

/** Location of the database. */
export type DatabaseOptions =
  | { readonly engine: 'pglite'; readonly dataDir: string | null; readonly snapshot?: Uint8Array }
  | ({ readonly engine: 'postgres' } & Pick<PostgresOptions, 'url' | 'replicaUrl' | 'variable'>)

/** Returns which database the variables name. */
export function databaseOptionsFrom(env: Pick<Environment, 'databaseUrl' | 'replicaUrl' | 'dataDir'>): DatabaseOptions {
  return env.databaseUrl
    ? { engine: 'postgres', url: env.databaseUrl, replicaUrl: env.replicaUrl }
    : { engine: 'pglite', dataDir: databaseFolder(env) }
}

/** Opens the database. Imports only the engine that is used, because loading the other would slow the start down. */
export async function openDatabase(
  {
    database,
    config,
  }: { readonly database: DatabaseOptions; readonly config: Pick<Config, 'query_timeout_ms' | 'pool_size'> },
  plugins: readonly PluginSpec[],
  log: Log,
): Promise<Database> {
  const common = { queryTimeout: config.query_timeout_ms, plugins, log }
  if (database.engine === 'postgres') {
    const { openPostgres } = await import('../db/postgres.ts')
    return openPostgres({ ...common, ...database, poolSize: config.pool_size })
  }
  const { openEmbeddedDatabase } = await import('../db/embedded.ts')
  return openEmbeddedDatabase({ ...common, ...database })
}

/** Opens the database for a command, without migrating it or storing which plugins are enabled. @param ms limit of a statement */
export function openUnmigrated(env: Environment, ms: number, plugins: readonly PluginSpec[] = []): Promise<Database> {
  const options = { database: databaseOptionsFrom(env), config: { query_timeout_ms: ms, pool_size: 2 } }
  return openDatabase(options, plugins, quietLog)
}
