import { resolve } from 'node:path'
import { TOKEN_PATTERN } from '../../identity/token.ts'
import { HostError } from '../../plugin/errors.ts'
import { readSecretFiles } from './secret-files.ts'

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

/** Reads and validates the variables. @throws HostError that names the variable */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  readSecretFiles(env)
  const logLevel = env['LOG_LEVEL'] || 'info'
  if (!LEVELS.includes(logLevel))
    throw new HostError(`LOG_LEVEL must be one of ${LEVELS.join(', ')}, got "${logLevel}"`)
  const secretKey = env['SECRET_KEY'] || null
  if (secretKey !== null && secretKey.length < 32) throw new HostError('SECRET_KEY must have at least 32 characters')
  const bootstrapEmail = env['BOOTSTRAP_EMAIL'] || null
  if (bootstrapEmail !== null && !/^[^@\s]+@[^@\s]+$/.test(bootstrapEmail))
    throw new HostError(`BOOTSTRAP_EMAIL must be an e-mail address, got "${bootstrapEmail}"`)
  const bootstrapToken = env['BOOTSTRAP_TOKEN'] || null
  // The value is a secret and must not be shown.
  if (bootstrapToken !== null && !TOKEN_PATTERN.test(bootstrapToken))
    throw new HostError('BOOTSTRAP_TOKEN must be svc_pat_ and 32 to 200 letters and digits')
  const metricsToken = env['METRICS_TOKEN'] || null
  if (metricsToken !== null && !/^[\w.~+/=-]{16,}$/.test(metricsToken))
    throw new HostError('METRICS_TOKEN must have at least 16 letters and digits')
  const databaseUrl = parseDatabaseUrl('DATABASE_URL', env['DATABASE_URL'])
  const replicaUrl = parseDatabaseUrl('DATABASE_REPLICA_URL', env['DATABASE_REPLICA_URL'])
  if (replicaUrl !== null && databaseUrl === null)
    throw new HostError('DATABASE_REPLICA_URL is set without DATABASE_URL; set both or neither')
  return {
    host: env['HOST'] || '127.0.0.1',
    port: parsePort('PORT', env['PORT'] || '3000'),
    baseUrl: parseOrigin(env['BASE_URL']),
    dataDir: env['DATA_DIR'] || './data',
    databaseUrl,
    replicaUrl,
    configFile: env['CONFIG'] || undefined,
    logLevel,
    secretKey,
    bootstrapEmail,
    bootstrapToken,
    metricsToken,
    metricsPort: env['METRICS_PORT'] ? parsePort('METRICS_PORT', env['METRICS_PORT']) : null,
    logFormat: parseLogFormat(env['LOG_FORMAT']),
    traces: Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT']),
  }
}

function parsePort(name: string, value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
    throw new HostError(`${name} must be a whole number from 0 to 65535, got "${value}"`)
  return Number(value)
}

/** Chooses the log format; default: pretty in a terminal, else JSON. */
function parseLogFormat(value: string | undefined): 'json' | 'pretty' {
  if (!value) return process.stdout.isTTY ? 'pretty' : 'json'
  if (value !== 'json' && value !== 'pretty') throw new HostError(`LOG_FORMAT must be json or pretty, got "${value}"`)
  return value
}

function parseOrigin(value: string | undefined): string | null {
  if (!value) return null
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new HostError(`BASE_URL must be an http or https address, got "${value}"`)
  // A path is not supported: connected apps look for metadata at the root of the origin, and cookies of the pages apply to the whole
  // origin.
  if (!/^\/*$/.test(url.pathname) || url.search || url.hash || url.username || url.password) {
    throw new HostError(
      'BASE_URL must be an origin such as https://tasks.example.com, without user, path, query and fragment; give the service a host name of its own',
    )
  }
  return url.origin
}

/** The value may contain a password and must not be shown. */
function parseDatabaseUrl(name: string, value: string | undefined): string | null {
  if (!value) return null
  if (!/^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? ''))
    throw new HostError(`${name} must be an address such as postgres://user@host/database`)
  return value
}
