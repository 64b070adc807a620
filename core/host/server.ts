import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { readBodies } from '../http/bodies.ts'
import { refuseWhileClosing } from '../http/closing.ts'
import { endLastConnections } from '../http/last-connections.ts'
import { lazyCompilers } from '../http/lazy-compilers.ts'
import { openRequests } from '../http/open-requests.ts'
import { enforceBodyTimeout, enforceHeaderTimeout } from '../http/slow-requests.ts'
import { transportSecurity } from '../http/transport-security.ts'
import { warnOfUntrustedProxy } from '../http/untrusted-proxy.ts'
import type { Config } from './config/schema.ts'
import { trustedProxies } from './config/trusted-proxies.ts'
import { metrics } from './metrics.ts'
import { RequestLog, requestIds } from './request-log.ts'
import { startTracing } from './tracing.ts'

export interface ServerOptions {
  readonly config: Config
  readonly logger: FastifyServerOptions['logger']
  readonly baseUrl: () => string
  readonly metrics: Parameters<typeof metrics>[1]
  /** Sends traces to the collector that the variables of OpenTelemetry name. */
  readonly traces: boolean
  /** What /readyz answers; all but `ready` with 503. */
  status(): Promise<string>
}

/** The server with what holds for all requests, and what is open, measured and to be stopped of it. */
export interface Server {
  readonly app: FastifyInstance
  readonly requests: ReturnType<typeof openRequests>
  readonly observed: ReturnType<typeof metrics>
  readonly stopTracing: (() => Promise<void>) | null
}

/** Creates the server, before the plugins: hooks hold for what is registered after them, and no plugin can take these addresses. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { config } = options
  const app = Fastify({
    logger: options.logger ?? false,
    bodyLimit: config.body_limit,
    forceCloseConnections: 'idle',
    // Its answer would have no endpoint's shape; the hook below says the same.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    trustProxy: trustedProxies(config),
    logController: new RequestLog(),
    genReqId: requestIds(),
    http: enforceHeaderTimeout(config.request_timeout_ms),
    schemaController: lazyCompilers,
  })
  app.server.maxConnections = config.max_connections
  // The default answer and its log line repeat the address, which may carry a secret.
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not found' }))
  const stopTracing = options.traces ? await startTracing(app) : null
  transportSecurity(app, options.baseUrl)
  readBodies(app)
  refuseWhileClosing(app)
  const requests = openRequests(app)
  enforceBodyTimeout(app, requests, config.request_timeout_ms)
  endLastConnections(app)
  const observed = metrics(app, options.metrics)
  warnOfUntrustedProxy(app, config.trusted_proxies)
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const status = await options.status()
    return reply.code(status === 'ready' ? 200 : 503).send({ status })
  })
  return { app, requests, observed, stopTracing }
}
