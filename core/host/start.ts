import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { KEY_FILE, loadSecret, readSecret } from '../identity/signing-key.ts'
import { databaseFolder, type Environment } from './config/environment.ts'
import { loadConfig, readConfigFile } from './config/load.ts'
import type { Config } from './config/schema.ts'
import { describeMisfits, loadFastifyPlugins, loadPlugins } from './config/plugins.ts'
import { checkProfileTools } from './config/profile-tools.ts'
import { checkFolder, movedMark } from '../db/pglite/folder-lock.ts'
import { hasCluster } from '../db/pglite/preopen.ts'
import { databasePaths, restrictAccess } from '../db/pglite/private-folder.ts'
import type { HostOptions } from './host-options.ts'
import type { Host } from './host.ts'
import { HostError } from '../plugin/errors.ts'
import { databaseOptionsFrom } from './open-database.ts'

/** Builds the host that serves, without listening. */
export async function hostFrom(env: Environment, beforeMigrating: () => Promise<void>): Promise<Host> {
  const { createLogStream, loggerOptions } = await import('./log-stream.ts')
  const entries = await loadEntries(env)
  const warnings = await describeWarnings(env, entries)
  const logger = { ...loggerOptions(env), stream: await createLogStream(env) }
  const host = await build({ ...(await writerOptionsFrom(env, entries)), beforeMigrating, logger })
  for (const warning of warnings) host.app.log.warn(warning)
  return host
}

/**
 * Builds the host of a command, which must not measure or trace beside a running server. @throws HostError if there is no database: a wrong
 * DATA_DIR would otherwise get one
 */
export async function commandHostFrom(env: Environment): Promise<Host> {
  requireDatabase(env)
  return build({ ...(await writerOptionsFrom(env)), logger: false, ownMetrics: false, traces: false })
}

/** Loads the options of a host that writes; creates the secret if there is none. */
async function writerOptionsFrom(env: Environment, entries?: Entries): Promise<Omit<HostOptions, 'logger'>> {
  const secret = await loadSecret(env.secretKey, env.dataDir)
  const options = await hostOptionsFrom(env, entries)
  const names = options.plugins.map(({ plugin }) => plugin.spec.name)
  restrictAccess(privatePaths(env, names))
  return { ...options, secret }
}

/**
 * Lists the paths in DATA_DIR that only the owner of the process may access. @param plugins names of plugins, whose data folders have the
 * same name
 */
export function privatePaths(env: Environment, plugins: readonly string[]): readonly string[] {
  return [
    ...databasePaths(databaseFolder(env)),
    ...[KEY_FILE, ...plugins].map(name => join(resolve(env.dataDir), name)),
  ]
}

/** Builds a read-only host. @throws HostError if there is no database, or it is older or newer than the program */
export async function readerFrom(env: Environment): Promise<Host> {
  requireDatabase(env)
  const secret = await readSecret(env.secretKey, env.dataDir)
  return build({ ...(await hostOptionsFrom(env)), secret, logger: false, reading: true, traces: false })
}

/** Builds a host, whose module is imported on demand: it brings the web server and the job queue, which most commands do not need. */
async function build(options: HostOptions): Promise<Host> {
  const { buildHost } = await import('./host.ts')
  return buildHost(options)
}

/** @throws HostError if the embedded database does not exist or has moved */
export function requireDatabase(env: Environment): void {
  if (env.databaseUrl !== null || !checkFolder(databaseFolder(env))) return
  throw new HostError(
    `there is no database in ${databaseFolder(env)}: start the service once, which makes it, ` +
      'or set DATA_DIR or DATABASE_URL to where your data is',
  )
}

export async function hostOptionsFrom(
  env: Environment,
  entries?: Entries,
): Promise<Omit<HostOptions, 'secret' | 'logger'>> {
  const { config, folder, plugins } = entries ?? (await loadEntries(env))
  const specs = plugins.map(({ plugin }) => plugin.spec)
  await checkProfileTools(config, folder, specs)
  return {
    config,
    configFolder: folder,
    plugins,
    fastifyPlugins: await loadFastifyPlugins(config, folder),
    database: databaseOptionsFrom(env),
    configFile: await readConfigFile(env.configFile),
    variables: process.env,
    dataDir: env.dataDir,
    metricsToken: env.metricsToken,
    ownMetrics: env.metricsPort !== null,
    traces: env.traces,
    baseUrl: () => originOf(env),
  }
}

/** The config and its enabled plugins. */
interface Entries {
  readonly config: Config
  /** Base folder of packages and paths. */
  readonly folder: string
  readonly plugins: Awaited<ReturnType<typeof loadPlugins>>
}

export async function loadEntries(env: Environment): Promise<Entries> {
  const config = await loadConfig(env.configFile)
  const folder = configFolder(env)
  return { config, folder, plugins: await loadPlugins(config, folder) }
}

/** Describes plugins that do not fit their package, and an embedded database that is unused because DATABASE_URL is set. */
export async function describeWarnings(env: Environment, entries?: Entries): Promise<readonly string[]> {
  const { plugins, folder: base } = entries ?? (await loadEntries(env))
  const misfits = await describeMisfits(plugins, base)
  const folder = databaseFolder(env)
  if (env.databaseUrl === null || !hasCluster(folder) || existsSync(movedMark(folder))) return misfits
  return [
    ...misfits,
    `DATABASE_URL is set, so the embedded database in ${folder} is not used, and what is in it is not served: ` +
      'to move it, run tasuki copy --to <that address> without DATABASE_URL; unset DATABASE_URL to serve it here, ' +
      'or move the folder away when nothing in it is needed',
  ]
}

/** Returns the base folder of packages and paths in "plugins". */
export function configFolder(env: Environment): string {
  return env.configFile === undefined ? process.cwd() : dirname(resolve(env.configFile))
}

/**
 * Returns the origin of the service. All loopback and wildcard addresses become `localhost`, because clients compare the URL that they were
 * given with ours.
 */
export function originOf({ baseUrl, host, port }: Pick<Environment, 'baseUrl' | 'host' | 'port'>): string {
  if (baseUrl !== null) return baseUrl
  const name = ['0.0.0.0', '::', '', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
