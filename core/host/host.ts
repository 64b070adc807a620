import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { startChangeFeed } from '../runtime/change-feed.ts'
import { createAdministration } from './administration.ts'
import { DESCRIPTION, ICONS } from './about.ts'
import { findCredentialOwner } from '../identity/audit.repository.ts'
import { createAuthenticator, type Authenticator } from '../identity/authenticator.ts'
import { accounts } from '../identity/accounts.ts'
import { authorizationServer } from '../identity/oauth/server.ts'
import { metadataOf, resourceOf } from '../identity/oauth/settings.ts'
import { flushTokenUses } from '../identity/token-uses.ts'
import { derivedKey } from '../identity/signing-key.ts'
import { createAuditTrail, type AuditTrail } from '../runtime/audit/trail.ts'
import { createArchiver, type Archiver } from './archiver.ts'
import { createHostAudit } from './audit.ts'
import type { Config } from './config/schema.ts'
import { findOffPluginOf, type ConfiguredFastifyPlugin, type ConfiguredPlugin } from './config/plugins.ts'
import type { Database } from '../db/database.ts'
import { migrate, requireMigrated } from '../db/migrate.ts'
import { systemScope } from '../runtime/system-scope.ts'
import { createRunner, CLAIMS_CHANNEL, readClaimsMessage, type Runner } from '../runtime/runner.ts'
import { resolveBaseUrl, hostGuard, LOOPBACK, originMatcher } from '../http/host-validation.ts'
import { registerCors } from '../http/cors.ts'
import { createQueue, type Queue } from '../runtime/job-queue.ts'
import { maintenanceJobs } from './maintenance.ts'
import { mcpEndpoint } from '../mcp/endpoint.ts'
import { createRateLimits } from '../http/rate-limits.ts'
import type { MeasuredParts } from './service-metrics.ts'
import { toolCallObservers } from '../plugin/host-points.ts'
import { compile } from '../runtime/registry/compile.ts'
import { importContributions } from '../runtime/registry/lazy-contributions.ts'
import { checkSpec } from '../runtime/registry/spec.ts'
import type { Registry } from '../runtime/registry/types.ts'
import { openDatabase, type DatabaseOptions } from './open-database.ts'
import { createReadinessCheck } from './readiness.ts'
import { registerPlugins } from './register-plugins.ts'
import { runEnabledHooks } from '../runtime/plugin-lifecycle.ts'
import { createDeployment } from './deployment.ts'
import { createServer } from './server.ts'
import { createConfirmationUrl, findSignInPages } from './sign-in-pages.ts'
import { backupJob } from './scheduled-backups.ts'
import { createServices, type RunningParts } from './services.ts'
import { VERSION } from '../plugin/version.ts'
import { observeToolCalls, type ToolCallObservation } from '../runtime/tool-call-observers.ts'

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
  readonly now?: () => Date
  /** False = prepare nothing after listening; default true. */
  readonly warmUp?: boolean
  /** True = read-only access: nothing is created, migrated or stored, and only `runner.read` may be used. */
  readonly reading?: boolean
}

/** A running host, for the command line and tests. */
export interface Host {
  readonly app: FastifyInstance
  /** Null unless `ownMetrics` is set. */
  readonly metricsApp: FastifyInstance | null
  readonly registry: Registry
  readonly database: Database
  readonly runner: Runner
  readonly authenticator: Authenticator
  readonly queue: Queue
  readonly calls: ToolCallObservation
  readonly audit: AuditTrail
  readonly config: Config
  /** Writes archives of this deployment. */
  readonly archiver: Archiver
  /** Options that the host was built with. */
  readonly options: HostOptions
  /** Migrations that ran during this start. */
  readonly migrated: readonly string[]
  /** Makes /readyz fail, so that load balancers stop sending requests before the process stops. */
  drain(): void
  /** Returns whether a request has no response yet. Open streams do not count, because the shutdown ends them. */
  busy(): boolean
}

/**
 * Builds a host that is ready to listen: plugins are registered and validated, the database is open and migrated.
 * @throws HostError if the deployment or the set of plugins is invalid
 */
export async function buildHost(options: HostOptions): Promise<Host> {
  const { config, now = () => new Date() } = options
  let database: Database | null = null
  let registered: Registry | null = null
  let running: (RunningParts & { readonly queue: Queue }) | null = null
  let trail: AuditTrail | null = null
  let draining = false
  let measured: MeasuredParts | null = null
  const readiness = createReadinessCheck()
  const { app, requests, observed, stopTracing } = await createServer({
    config,
    logger: options.logger,
    baseUrl: options.baseUrl,
    metrics: {
      database: options.database,
      token: options.metricsToken ?? null,
      ownListener: options.ownMetrics ?? false,
      parts: () => measured,
    },
    traces: options.traces ?? false,
    status: async () => {
      if (draining) return 'draining'
      return database && registered ? readiness(database, registered.plugins) : 'database does not answer'
    },
  })
  const closers = stopTracing ? [stopTracing] : []
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed())
      await close().catch((error: unknown) => app.log.warn({ err: error }, 'a part did not stop as it should'))
  }
  try {
    const deployment = createDeployment(options)
    const added = options.plugins.map(({ plugin, options: settings }) => ({ spec: plugin.spec, options: settings }))
    for (const { spec } of added) checkSpec(spec)
    const registry = compile(await importContributions(added), { profiles: config.profiles })
    registered = registry
    const publicHost = new URL(options.baseUrl()).hostname
    const allowedHosts = [...LOOPBACK, publicHost, ...config.allowed_hosts]
    const allowedOrigins = [...LOOPBACK, publicHost, ...config.allowed_origins]
    const api = { hostFault: hostGuard(allowedHosts), isAllowedOrigin: originMatcher(allowedOrigins) }
    const audit = createHostAudit(app, {
      actions: registry.auditActions,
      keepDays: config.audit.keep_days,
      trail: () => trail!,
    })
    // Uses a monotonic clock.
    const rateLimits = createRateLimits(config.limits, () => new Date(performance.now()))
    const administration = createAdministration(registry, options, () => running)
    const parts = { deployment, registry, api, rateLimits, audit: audit.service, administration, log: app.log, now }
    const services = createServices(parts, () => {
      if (!running) throw new Error('the host is not up yet: open contexts when a request comes')
      return running
    })
    await registerCors(app)
    await registerPlugins(app, registry.plugins, options, services)
    database = await openDatabase(options, registry.plugins, app.log)
    closers.push(database.close)
    const { reading = false } = options
    if (reading) await requireMigrated(database.read, registry.plugins)
    const migrated = reading ? [] : await migrate(database, registry.plugins)
    trail = createAuditTrail({
      database,
      actions: registry.auditActions,
      findOwner: findCredentialOwner,
      log: app.log,
      now,
    })
    closers.push(trail.stop)
    const pages = reading ? null : findSignInPages(registry)
    const audience = pages && (() => resourceOf(options.baseUrl()))
    const authenticator = createAuthenticator({ database, claims: registry.claims, log: app.log, now, audience })
    const archiver = createArchiver({ database, registry, dataDir: deployment.dataDir, secret: options.secret, now })
    const backup = backupJob(config.backups, { archiver, dataDir: deployment.dataDir })
    const queue = createQueue({
      database,
      jobs: [...registry.jobs, ...maintenanceJobs(database, config, backup)],
      principals: authenticator,
      log: app.log,
      onEnded: observed.jobEnded,
    })
    closers.push(queue.stop)
    measured = { database, queue, authenticator, open: requests.count }
    const { forget } = authenticator
    const changes = await startChangeFeed(database, app.log)
    closers.push(async () => changes.stop())
    const { publish } = changes
    const runner = createRunner({
      database,
      registry,
      deployment,
      accounts,
      now,
      enqueue: queue.enqueue,
      forget,
      publish,
    })
    const authorization =
      pages &&
      (await authorizationServer(app, {
        signIn: pages,
        settings: config.oauth,
        database,
        key: derivedKey(options.secret, 'oauth artifacts'),
        baseUrl: options.baseUrl,
        allowedHosts,
        forget,
        trail,
        write: ({ id, ip }, work) =>
          runner.write({ ...systemScope(authenticator, 'oauth', app.log), requestId: id, address: ip }, work),
        warmUp: options.warmUp !== false,
        log: app.log,
        now,
      }))
    running = { database, authenticator, runner, authorization, queue, archiver }
    await database.listener.subscribe(CLAIMS_CHANNEL, payload => authenticator.forget(readClaimsMessage(payload)))
    database.listener.onState(authenticator.setListening)
    if (registry.jobs.length > 0 && !reading) await queue.prepare()
    if (!reading) await runEnabledHooks({ database, registry, runner, principals: authenticator, log: app.log })
    const calls = observeToolCalls(registry.all(toolCallObservers.point), {
      runner,
      principals: authenticator,
      log: app.log,
    })
    closers.push(calls.stop)
    await app.register(mcpEndpoint, {
      registry,
      runner,
      authenticate: authenticator.authenticate,
      server: { name: 'tasuki', title: 'tasuki', version: VERSION },
      presentation: {
        description: DESCRIPTION,
        icons: ICONS,
        baseUrl: options.baseUrl,
        hasPages: pages !== null,
      },
      metadataUrl: request => (authorization ? metadataOf(resolveBaseUrl(options.baseUrl(), request)) : null),
      allowedHosts,
      allowedOrigins,
      confirm: config.confirm,
      confirmationUrl: createConfirmationUrl(pages, options.baseUrl),
      resultSizeLimit: config.result_ceiling,
      rateLimits,
      bodyLimit: config.body_limit,
      // On PostgreSQL two connections are left for other callers; on the embedded database one call is prepared while another runs.
      concurrentCalls: database.embedded ? 2 : Math.max(2, config.pool_size - 2),
      signingKey: derivedKey(options.secret, 'mcp request state'),
      listChanged: registry.plugins.some(plugin => plugin.publishes),
      sessions: config.sessions,
      callFinished: calls.onFinished,
      callRefused: audit.refuseCall,
      callEnded: observed.callEnded,
      offPluginOf: tool => findOffPluginOf(config, tool),
      changes,
      now,
    })
    const uses = flushTokenUses(authenticator, database, app.log)
    closers.push(uses.stop)
    app.addHook('preClose', () => {
      draining = true
    })
    app.addHook('onClose', stop)
    await app.ready()
    return {
      app,
      metricsApp: observed.app,
      registry,
      database,
      runner,
      authenticator,
      queue,
      calls,
      audit: trail,
      config,
      archiver,
      options,
      migrated,
      drain: () => void (draining = true),
      busy: requests.busy,
    }
  } catch (error) {
    await stop()
    await app.close().catch(() => undefined)
    throw error
  }
}
