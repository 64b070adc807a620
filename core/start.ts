import type { FastifyServerOptions } from 'fastify'
import { dirname, resolve } from 'node:path'
import { loadSecret } from './auth/signing-key.ts'
import { databaseFolder, type Environment } from './config/environment.ts'
import { loadConfig } from './config/load.ts'
import { loadPlugins } from './config/plugins.ts'
import { checkProfileTools } from './config/profile-tools.ts'
import { buildHost, type Host } from './host.ts'

/** Builds the host that environment and config describe; it does not listen yet. */
export async function hostFrom(
  env: Environment,
  logger: FastifyServerOptions['logger'] = loggerOptions(env),
): Promise<Host> {
  const config = await loadConfig(env.configFile)
  const folder = configFolder(env)
  const plugins = await loadPlugins(config, folder)
  await checkProfileTools(
    config,
    folder,
    plugins.map(({ plugin }) => plugin.spec),
  )
  return buildHost({
    config,
    plugins,
    database: env.databaseUrl
      ? { engine: 'postgres', url: env.databaseUrl, replicaUrl: env.replicaUrl }
      : { engine: 'pglite', dataDir: databaseFolder(env) },
    secret: await loadSecret(env.secretKey, env.dataDir),
    dataDir: env.dataDir,
    baseUrl: () => originOf(env),
    logger,
  })
}

/** Where packages and paths in "plugins" are looked up. */
export function configFolder(env: Environment): string {
  return env.configFile === undefined ? process.cwd() : dirname(resolve(env.configFile))
}

/**
 * The origin that clients are told, and that the service takes for its own.
 * One name for this machine, also where it listens on one of its addresses: clients compare the address that they were given with ours.
 */
export function originOf({ baseUrl, host, port }: Pick<Environment, 'baseUrl' | 'host' | 'port'>): string {
  if (baseUrl !== null) return baseUrl
  const name = ['0.0.0.0', '::', '', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Settings of the log: what never belongs in it is left out. */
export function loggerOptions({ logLevel }: Pick<Environment, 'logLevel'>) {
  return {
    level: logLevel,
    redact: {
      paths: [
        'req.headers.authorization',
        'req.headers.cookie',
        'headers.authorization',
        'headers.cookie',
        '*.token',
        '*.password',
        '*.secret',
      ],
      censor: '[redacted]',
    },
    serializers: {
      // Addresses may carry one-time secrets in their query: only the path is logged.
      req: (request: { method: string; url: string; ip?: string }) => ({
        method: request.method,
        path: request.url.split('?', 1)[0],
        ip: request.ip,
      }),
    },
  }
}
