import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../identity/authenticator.ts'
import { flushTokenUses } from '../identity/token-uses.ts'
import type { AuditTrail } from '../runtime/audit/trail.ts'
import type { Archiver } from './archiver.ts'
import type { Config } from './config/schema.ts'
import type { Database } from '../db/database.ts'
import { CLAIMS_CHANNEL, readClaimsMessage, type Runner } from '../runtime/runner.ts'
import type { Queue } from '../runtime/job-queue.ts'
import { mcpEndpoint } from '../mcp/endpoint.ts'
import { toolCallObservers } from '../plugin/host-points.ts'
import type { Registry } from '../runtime/registry/types.ts'
import type { HostOptions } from './host-options.ts'
import { runEnabledHooks } from '../runtime/plugin-lifecycle.ts'
import { createServer } from './server.ts'
import {
  createParts,
  declarePlugins,
  endpointOptions,
  openStorage,
  serveAuthorization,
  shownState,
  type HostState,
} from './startup.ts'
import { observeToolCalls, type ToolCallObservation } from '../runtime/tool-call-observers.ts'

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
  /** Returns whether a request that came before a time, as `performance.now()`, has no response yet. Open streams do not count, because the shutdown ends them. */
  busy(before: number): boolean
}

/**
 * Builds a host that is ready to listen: plugins are registered and validated, the database is open and migrated.
 * @throws HostError if the deployment or the set of plugins is invalid
 */
export async function buildHost(options: HostOptions): Promise<Host> {
  const { config, reading = false, now = () => new Date() } = options
  const state: HostState = { running: null, draining: false }
  const server = await createServer(options, shownState(state))
  const { app, requests, observed } = server
  const closers = server.stopTracing ? [server.stopTracing] : []
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed())
      await close().catch((error: unknown) => app.log.warn({ err: error }, 'a part did not stop as it should'))
  }
  const startup = { options, server, closers, state, now }
  try {
    const declared = await declarePlugins(startup)
    const { registry } = declared
    const storage = await openStorage(startup, registry)
    const { database, trail, migrated } = storage
    const parts = await createParts(startup, declared, storage)
    const { authenticator, runner, queue, archiver } = parts
    const authorization = await serveAuthorization(startup, declared, parts)
    state.running = { ...parts, registry, authorization, open: requests.count }
    await database.listener.subscribe(CLAIMS_CHANNEL, payload => authenticator.forget(readClaimsMessage(payload)))
    database.listener.onState(authenticator.setListening)
    if (registry.jobs.length > 0 && !reading) await queue.prepare()
    if (!reading) await runEnabledHooks({ database, registry, runner, principals: authenticator, log: app.log })
    const observers = registry.all(toolCallObservers.point)
    const calls = observeToolCalls(observers, { runner, principals: authenticator, log: app.log })
    closers.push(calls.stop)
    await app.register(mcpEndpoint, endpointOptions(startup, declared, state.running, calls))
    closers.push(flushTokenUses(authenticator, database, app.log).stop)
    app.addHook('preClose', () => {
      state.draining = true
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
      drain: () => void (state.draining = true),
      busy: requests.busy,
    }
  } catch (error) {
    await stop()
    await app.close().catch(() => undefined)
    throw error
  }
}
