import { HostError } from '../plugin/errors.ts'

/** What the process is told by its environment; the names of the variables are part of the contract with operators. */
export interface Environment {
  readonly host: string
  readonly port: number
  /** Public origin without a trailing slash; null = made from host and port. */
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
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Reads and checks the variables. @throws HostError naming the variable. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const port = Number(env['PORT'] || 3000)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new HostError(`PORT must be a whole number from 0 to 65535, got "${env['PORT']}"`)
  const logLevel = env['LOG_LEVEL'] || 'info'
  if (!LEVELS.includes(logLevel))
    throw new HostError(`LOG_LEVEL must be one of ${LEVELS.join(', ')}, got "${logLevel}"`)
  const secretKey = env['SECRET_KEY'] || null
  if (secretKey !== null && secretKey.length < 32) throw new HostError('SECRET_KEY must have at least 32 characters')
  return {
    host: env['HOST'] || '127.0.0.1',
    port,
    baseUrl: origin(env['BASE_URL']),
    dataDir: env['DATA_DIR'] || './data',
    databaseUrl: env['DATABASE_URL'] || null,
    replicaUrl: env['DATABASE_REPLICA_URL'] || null,
    configFile: env['CONFIG'] || undefined,
    logLevel,
    secretKey,
    bootstrapEmail: env['BOOTSTRAP_EMAIL'] || null,
    bootstrapToken: env['BOOTSTRAP_TOKEN'] || null,
  }
}

function origin(value: string | undefined): string | null {
  if (!value) return null
  const url = URL.canParse(value) ? new URL(value) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new HostError(`BASE_URL must be an http or https address, got "${value}"`)
  return url.href.replace(/\/+$/, '')
}
