import type { FastifyServerOptions } from 'fastify'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import type { HostPlugin } from 'tasuki/plugin'
import type { Engine } from 'tasuki/testing'
import { loadConfig } from '../../core/host/config/load.ts'
import { loadFastifyPlugins, loadPlugins } from '../../core/host/config/plugins.ts'
import { buildHost, type Host } from '../../core/host/host.ts'
import type { HostOptions } from '../../core/host/host-options.ts'
import { createTestDatabase, templateSnapshot, type NewDatabase } from '../../core/testing/database.ts'
import type { suiteScope } from './suite-scope.ts'

type Scope = ReturnType<typeof suiteScope>

export interface BareOptions {
  readonly config?: Readonly<Record<string, unknown>>
  readonly plugins?: readonly HostPlugin[]
  readonly logger?: FastifyServerOptions['logger']
  readonly now?: () => Date
}

/** Opens a host as an operator starts it, without the users that `testHost` creates. */
export async function bareHost(
  scope: Scope,
  database: HostOptions['database'],
  { config: overrides, plugins = [], logger = false, now }: BareOptions = {},
): Promise<Host> {
  const config = await loadConfig(undefined, overrides)
  const configured = await loadPlugins(config, process.cwd())
  const host = await buildHost({
    config,
    plugins: [...configured, ...plugins.map(plugin => ({ plugin, options: {} }))],
    fastifyPlugins: await loadFastifyPlugins(config, process.cwd()),
    database,
    dataDir: tmpdir(),
    secret: randomBytes(32),
    baseUrl: () => 'http://localhost:3000',
    logger,
    ...(now && { now }),
  })
  scope.after(() => host.app.close().then(() => undefined))
  return host
}

/** Creates a database without users, or also without tables. */
export async function bareDatabase(
  scope: Scope,
  engine: Engine,
  how: NewDatabase = {},
): Promise<HostOptions['database']> {
  if (engine === 'pglite') {
    const snapshot = how.empty ? undefined : await templateSnapshot()
    return { engine, dataDir: null, ...(snapshot && { snapshot }) }
  }
  const database = await createTestDatabase(how)
  scope.after(database.drop)
  return { engine, url: database.url, replicaUrl: null }
}
