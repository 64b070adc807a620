import type { FastifyServerOptions } from 'fastify'
import type { Deployment } from '../plugin/context.ts'
import type { ConfiguredFastifyPlugin, ConfiguredPlugin } from './config/plugins.ts'
import type { Config } from './config/schema.ts'
import type { DatabaseOptions } from './open-database.ts'

export interface HostOptions {
  readonly config: Config
  readonly plugins: readonly ConfiguredPlugin[]
  /** Registered after the plugins, in this order. */
  readonly fastifyPlugins?: readonly ConfiguredFastifyPlugin[]
  readonly database: DatabaseOptions
  /** Secret of the deployment; see `loadSecret`. */
  readonly secret: Buffer
  /** Public origin without a trailing slash; a function because a free port is known only after listening. */
  readonly baseUrl: () => string
  /** Data folder of plugins, created on the first write. */
  readonly dataDir: string
  readonly logger: FastifyServerOptions['logger']
  /** Base folder of packages and paths of plugins; default: the working directory. */
  readonly configFolder?: string
  /** Token of /metrics; without one only this machine may read it. */
  readonly metricsToken?: string | null
  /** Serves /metrics with a separate app, `Host.metricsApp`. */
  readonly ownMetrics?: boolean
  /** Sends traces to the collector in the OpenTelemetry variables. */
  readonly traces?: boolean
  /** The operator's config file and the variables, to determine the source of settings. */
  readonly configFile?: Readonly<Record<string, unknown>>
  readonly variables?: NodeJS.ProcessEnv
  /** Clock of the host; default: the real time. */
  readonly now?: () => Date
  /** Answers `Deployment.fetchPublic`; default: the public internet. */
  readonly fetchPublic?: Deployment['fetchPublic']
  /** False = prepare nothing after listening; default true. */
  readonly warmUp?: boolean
  /** True = read-only access: nothing is created, migrated or stored, and only `runner.read` may be used. */
  readonly reading?: boolean
  /** Called before the database is migrated; if it throws, nothing is migrated. */
  readonly beforeMigrating?: () => Promise<void>
}
