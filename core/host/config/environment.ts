import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { TOKEN_PATTERN } from '../../identity/token.ts'
import { HostError } from '../../plugin/errors.ts'
import { EMAIL } from '../../plugin/users.ts'
import { readSecretFiles, SECRETS } from './secret-files.ts'

/** Settings from environment variables, whose names are part of the public interface. */
export interface Environment {
  readonly host: string
  readonly port: number
  /** Public origin without a trailing slash; null = derived from host and port. */
  readonly baseUrl: string | null
  readonly dataDir: string
  /** Null = the embedded database. */
  readonly databaseUrl: string | null
  readonly replicaUrl: string | null
  readonly configFile: string | undefined
  readonly logLevel: string
  readonly secretKey: string | null
  readonly bootstrapEmail: string | null
  readonly bootstrapToken: string | null
  /** Null = only this machine may read /metrics. */
  readonly metricsToken: string | null
  /** Null = /metrics is on the same port as the service. */
  readonly metricsPort: number | null
  readonly logFormat: 'json' | 'pretty'
  /** Whether an OpenTelemetry collector is configured. */
  readonly traces: boolean
}

/** Returns the folder of the embedded database. */
export function databaseFolder({ dataDir }: Pick<Environment, 'dataDir'>): string {
  return resolve(dataDir, 'database')
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
/** Variables with the pattern of their value, and the problem of another value. */
const TEXTS = {
  HOST: [/^(?!.*[/[\]\s])(?:[^:]+|.*:.*:.*)$/, 'must be an address or a host name, without scheme and port'],
  // Below /proc, the recursive mkdir of Node never returns.
  DATA_DIR: [/^(?!\/+proc(?:\/|$))/, 'must be a folder on a disk, not below /proc'],
  LOG_FORMAT: [/^(?:json|pretty)$/, 'must be json or pretty'],
  LOG_LEVEL: [new RegExp(`^(?:${LEVELS.join('|')})$`), `must be one of ${LEVELS.join(', ')}`],
  SECRET_KEY: [/^.{32,}$/s, 'must have at least 32 characters'],
  BOOTSTRAP_EMAIL: [EMAIL, 'must be an e-mail address'],
  BOOTSTRAP_TOKEN: [TOKEN_PATTERN, 'must be svc_pat_ and 32 to 200 letters and digits'],
  METRICS_TOKEN: [/^[\w.~+/=-]{16,}$/, 'must have at least 16 letters and digits'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [/^https?:\/\/[^\s/]/, 'must be an http or https address'],
} as const

/** Reads and validates the variables. @throws HostError that names the variable */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  readSecretFiles(env)
  const databaseUrl = parseDatabaseUrl('DATABASE_URL', env['DATABASE_URL'])
  const replicaUrl = parseDatabaseUrl('DATABASE_REPLICA_URL', env['DATABASE_REPLICA_URL'])
  const port = parsePort('PORT', env['PORT'] || '3000')
  const metricsPort = env['METRICS_PORT'] ? parsePort('METRICS_PORT', env['METRICS_PORT']) : null
  if (metricsPort !== null && metricsPort === port && port > 0)
    throw new HostError(`METRICS_PORT and PORT are both ${port}; give the metrics a port of their own`)
  if (replicaUrl !== null && databaseUrl === null)
    throw new HostError('DATABASE_REPLICA_URL is set without DATABASE_URL; set both or neither')
  return {
    host: readText(env, 'HOST') ?? '127.0.0.1',
    port,
    baseUrl: parseOrigin(env['BASE_URL']),
    dataDir: readText(env, 'DATA_DIR') ?? './data',
    databaseUrl,
    replicaUrl,
    configFile: env['CONFIG'] || undefined,
    logLevel: readText(env, 'LOG_LEVEL') ?? 'info',
    secretKey: readText(env, 'SECRET_KEY'),
    bootstrapEmail: readText(env, 'BOOTSTRAP_EMAIL'),
    bootstrapToken: readText(env, 'BOOTSTRAP_TOKEN'),
    metricsToken: readText(env, 'METRICS_TOKEN'),
    metricsPort,
    logFormat: (readText(env, 'LOG_FORMAT') as 'json' | 'pretty' | null) ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    traces: readText(env, 'OTEL_EXPORTER_OTLP_ENDPOINT') !== null,
  }
}

function readText(env: NodeJS.ProcessEnv, name: keyof typeof TEXTS): string | null {
  const value = env[name] || null
  const [pattern, problem] = TEXTS[name]
  if (value === null || pattern.test(value)) return value
  throw new HostError(`${name} ${problem}${SECRETS.includes(name) ? '' : `, got "${value}"`}`)
}

function parsePort(name: string, value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new HostError(`${name} must be a whole number from 0 to 65535, got "${value}"`)
  return Number(value)
}

function parseOrigin(value: string | undefined): string | null {
  if (!value) return null
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new HostError(`BASE_URL must be an http or https address, got "${value}"`)
  // A path is not supported: connected apps look for metadata at the root of the origin, and cookies of the pages apply to the whole
  // origin.
  if (!/^\/*$/.test(url.pathname) || url.search || url.hash || url.username || url.password)
    throw new HostError(
      'BASE_URL must be an origin such as https://tasks.example.com, without user, path, query and fragment; give the service a host name of its own',
    )
  return url.origin
}

/** The value may contain a password and must not be shown. */
function parseDatabaseUrl(name: string, value: string | undefined): string | null {
  if (!value) return null
  const url = URL.parse(value)
  if (!/^postgres(ql)?:$/.test(url?.protocol ?? ''))
    throw new HostError(
      `${name} must be an address such as postgres://user@host/database; write special characters of a password as in %23 for #`,
    )
  for (const parameter of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = url!.searchParams.get(parameter)
    try {
      if (file) accessSync(file, constants.R_OK)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new HostError(`${name} names ${file} as ${parameter}, which cannot be read (${code})`, { cause: error })
    }
  }
  return value
}
