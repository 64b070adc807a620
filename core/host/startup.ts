import { startChangeFeed } from '../runtime/change-feed.ts'
import { createAdministration } from './administration.ts'
import { DESCRIPTION, ICONS } from './about.ts'
import { findCredentialOwner } from '../identity/audit.repository.ts'
import { createAuthenticator } from '../identity/authenticator.ts'
import { accounts } from '../identity/accounts.ts'
import { artifactKey } from '../identity/oauth/keys.ts'
import { authorizationServer } from '../identity/oauth/server.ts'
import { RESOURCE_METADATA, resourceOf } from '../identity/oauth/settings.ts'
import { derivedKey } from '../identity/signing-key.ts'
import { createAuditTrail } from '../runtime/audit/trail.ts'
import { createArchiver } from './archiver.ts'
import { createHostAudit } from './audit.ts'
import { findOffPluginOf } from './config/plugins.ts'
import { checkNamedTables } from './named-tables.ts'
import { migrate, requireMigrated } from '../db/migrate.ts'
import { systemScope } from '../runtime/system-scope.ts'
import { createRunner } from '../runtime/runner.ts'
import { resolveBaseUrl, hostGuard, LOOPBACK, originMatcher } from '../http/host-validation.ts'
import { createQueue } from '../runtime/job-queue.ts'
import { maintenanceJobs } from './maintenance.ts'
import type { McpOptions } from '../mcp/options.ts'
import { createRateLimits } from '../http/rate-limits.ts'
import type { MeasuredParts } from './service-metrics.ts'
import { HostError } from '../plugin/errors.ts'
import { signIn, type Authorization, type SignIn } from '../plugin/sign-in.ts'
import { compile } from '../runtime/registry/compile.ts'
import { importContributions } from '../runtime/registry/lazy-contributions.ts'
import type { Registry } from '../runtime/registry/types.ts'
import type { HostOptions } from './host-options.ts'
import { openDatabase } from './open-database.ts'
import { createReadinessCheck } from './readiness.ts'
import { registerPlugins } from './register-plugins.ts'
import { createDeployment } from './deployment.ts'
import type { Server, ShownState } from './server.ts'
import { backupJob } from './scheduled-backups.ts'
import { createServices } from './services.ts'
import { VERSION } from '../plugin/version.ts'
import type { ToolCallObservation } from '../runtime/tool-call-observers.ts'

/** What all stages of a start use. */
interface Startup {
  readonly options: HostOptions
  readonly server: Server
  /** Functions that stop the parts that are up; the last one is called first. */
  readonly closers: (() => Promise<void>)[]
  readonly state: HostState
  readonly now: () => Date
}

/** What requests see of the host. */
export interface HostState {
  /** Null until the host is up. */
  running: Running | null
  /** The host is about to stop. */
  draining: boolean
}

interface Running extends Parts, Omit<MeasuredParts, keyof Parts> {
  readonly registry: Registry
  /** Null if no plugin contributes `signIn`. */
  readonly authorization: Authorization | null
}

type Storage = Awaited<ReturnType<typeof openStorage>>
type Declared = Awaited<ReturnType<typeof declarePlugins>>
type Parts = Awaited<ReturnType<typeof createParts>>

export function shownState(state: HostState): ShownState {
  const readiness = createReadinessCheck()
  return {
    parts: () => state.running,
    status: async () => {
      const { running, draining } = state
      if (draining) return 'draining'
      return running ? readiness(running.database, running.registry.plugins) : 'database does not answer'
    },
  }
}

/** Checks and compiles the declarations of all plugins, and registers the plugins with the server. */
export async function declarePlugins({ options, server: { app }, state, now }: Startup) {
  const { config } = options
  const running = (): Running => {
    if (!state.running) throw new Error('the host is not up yet: open contexts when a request comes')
    return state.running
  }
  const deployment = createDeployment(options)
  const added = options.plugins.map(({ plugin, options: settings }) => ({ spec: plugin.spec, options: settings }))
  const registry = compile(await importContributions(added), config.profiles)
  const publicHost = new URL(options.baseUrl()).hostname
  const allowedHosts = [...LOOPBACK, publicHost, ...config.allowed_hosts]
  const allowedOrigins = [...LOOPBACK, publicHost, ...config.allowed_origins]
  const api = { hostFault: hostGuard(allowedHosts), isAllowedOrigin: originMatcher(allowedOrigins) }
  const audit = createHostAudit(app, {
    actions: registry.auditActions,
    keepDays: config.audit.keep_days,
    trail: () => running().trail,
  })
  // Uses a monotonic clock.
  const rateLimits = createRateLimits(config.limits, () => new Date(performance.now()))
  const administration = createAdministration(registry, options, () => state.running)
  const parts = { deployment, registry, api, rateLimits, audit: audit.service, administration, log: app.log, now }
  await registerPlugins(app, registry.plugins, options, createServices(parts, running))
  return { deployment, registry, allowedHosts, allowedOrigins, audit, rateLimits }
}

/** Opens the database and migrates it. */
export async function openStorage({ options, server: { app }, closers, now }: Startup, registry: Registry) {
  const lacking = registry.plugins.find(
    ({ entities, migrations = {} }) => entities && Object.keys(migrations).length === 0,
  )
  if (lacking)
    throw new HostError(
      `plugin ${lacking.name} has entities, but no migration for them: tasuki migration new ${lacking.name} init`,
    )
  const database = await openDatabase(options, registry.plugins, app.log)
  closers.push(database.close)
  if (options.reading) await requireMigrated(database.read, registry.plugins)
  await options.beforeMigrating?.()
  const migrated = options.reading ? [] : await migrate(database, registry.plugins, app.log)
  await checkNamedTables(database.read, registry)
  const { auditActions: actions } = registry
  const trail = createAuditTrail({ database, actions, findOwner: findCredentialOwner, log: app.log, now })
  closers.push(trail.stop)
  return { database, migrated, trail }
}

/** Creates the parts that authenticate callers, and that run and publish work. */
export async function createParts(
  { options, server: { app, observed }, closers, now }: Startup,
  { registry, deployment }: Declared,
  { database, trail }: Storage,
) {
  const { config, secret } = options
  const { dataDir } = deployment
  const pages = options.reading ? null : findSignInPages(registry)
  const audience = pages && (() => resourceOf(options.baseUrl()))
  const authenticator = createAuthenticator({ database, claims: registry.claims, log: app.log, now, audience })
  const archiver = createArchiver({ database, registry, dataDir, secret, now })
  const backup = backupJob(config.backups, { archiver, dataDir })
  const queue = createQueue({
    database,
    jobs: [...registry.jobs, ...maintenanceJobs(database, config, backup)],
    principals: authenticator,
    log: app.log,
    onEnded: observed.jobEnded,
  })
  closers.push(queue.stop)
  const changes = await startChangeFeed(database, app.log)
  closers.push(async () => changes.stop())
  const { enqueue } = queue
  const { forget } = authenticator
  const { publish } = changes
  const runner = createRunner({ database, registry, deployment, accounts, now, enqueue, forget, publish })
  return { database, trail, pages, authenticator, archiver, queue, changes, runner }
}

/** Returns the sign-in pages, or null if no plugin has them. @throws HostError if two plugins have them */
function findSignInPages({ all }: Registry): SignIn | null {
  const [pages, other] = all(signIn)
  if (other) throw new HostError('two plugins have sign-in pages; set one of them to false under "plugins"')
  return pages ?? null
}

/** Serves the authorization server; null if no plugin has the pages to sign in on. */
export async function serveAuthorization(
  { options, server: { app }, now }: Startup,
  { allowedHosts }: Declared,
  { pages, database, authenticator, trail, runner }: Parts,
): Promise<Authorization | null> {
  if (!pages) return null
  return authorizationServer(app, {
    signIn: pages,
    settings: options.config.oauth,
    database,
    key: artifactKey(options.secret),
    baseUrl: options.baseUrl,
    allowedHosts,
    forget: authenticator.forget,
    trail,
    write: ({ id, ip }, work) =>
      runner.write({ ...systemScope(authenticator, 'oauth', app.log), requestId: id, peer: { ip } }, work),
    warmUp: options.warmUp !== false,
    log: app.log,
    now,
  })
}

export function endpointOptions(
  { options, server: { observed }, now }: Startup,
  { registry, allowedHosts, allowedOrigins, audit, rateLimits }: Declared,
  { database, runner, authenticator, pages, changes, authorization }: Running,
  calls: ToolCallObservation,
): McpOptions {
  const { config, baseUrl } = options
  return {
    registry,
    runner,
    authenticate: authenticator.authenticate,
    server: { name: 'tasuki', title: 'tasuki', version: VERSION },
    presentation: { description: DESCRIPTION, icons: ICONS, baseUrl, hasPages: pages !== null },
    // The resource's path follows the well-known path (RFC 9728 §3.1).
    metadataUrl: request => (authorization ? `${resolveBaseUrl(baseUrl(), request)}${RESOURCE_METADATA}/mcp` : null),
    allowedHosts,
    allowedOrigins,
    confirm: config.confirm,
    confirmationUrl: pages?.confirmationPath && (id => baseUrl() + pages.confirmationPath!(id)),
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
  }
}
