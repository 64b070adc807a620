import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import { readBodies } from '../http/bodies.ts'
import { registerCors } from '../http/cors.ts'
import { refuseWhileClosing } from '../http/refuse-while-closing.ts'
import { closeUnusedConnections } from '../http/last-connections.ts'
import { lazyCompilers } from '../http/lazy-compilers.ts'
import { trackOpenRequests } from '../http/open-requests.ts'
import { answerRouteError } from '../http/route-error.ts'
import { enforceBodyTimeout, enforceHeaderTimeout } from '../http/slow-requests.ts'
import { setTransportSecurity } from '../http/transport-security.ts'
import { warnOfUntrustedProxy } from '../http/untrusted-proxy.ts'
import { readTrustedProxies } from './config/trusted-proxies.ts'
import type { HostOptions } from './host-options.ts'
import { metrics } from './metrics.ts'
import { RequestLog, requestIds } from './request-log.ts'
import type { MeasuredParts } from './service-metrics.ts'
import { startTracing } from './tracing.ts'

/** What the server shows of the host. */
export interface ShownState {
  /** Returns null until the host is up. */
  parts(): MeasuredParts | null
  /** Returns the status for /readyz; every status except `ready` is sent with 503. */
  status(): Promise<string>
}

/** The server with its global hooks and observers. */
export interface Server {
  readonly app: FastifyInstance
  readonly requests: ReturnType<typeof trackOpenRequests>
  readonly observed: ReturnType<typeof metrics>
  readonly stopTracing: (() => Promise<void>) | null
}

/** Creates the server before the plugins are registered, so that its hooks apply to all plugins and no plugin can take its routes. */
export async function createServer(options: HostOptions, { parts, status: readStatus }: ShownState): Promise<Server> {
  const { config, database, metricsToken: token = null, ownMetrics: ownListener = false } = options
  const app = Fastify({
    logger: options.logger ?? false,
    bodyLimit: config.body_limit,
    forceCloseConnections: 'idle',
    // Fastify's default response has the wrong format; `refuseWhileClosing` responds instead.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
    // Fastify answers an address that cannot be decoded before all hooks, in JSON and with its text. Read literally, it is an unknown one.
    rewriteUrl(request: { url?: string | undefined; originalUrl?: string }) {
      // Fastify has set it; from an address that the OAuth server is given under another name, it would derive its base.
      delete request.originalUrl
      const { url = '/' } = request
      return isDecodable(url) ? url : url.replaceAll('%', '%25')
    },
    trustProxy: readTrustedProxies(config),
    logController: new RequestLog(),
    genReqId: requestIds(),
    http: enforceHeaderTimeout(config.request_timeout_ms),
    schemaController: lazyCompilers,
  })
  app.server.maxConnections = config.max_connections
  // Node forgets the address of a closed connection unless it was read before; limits and the audit trail need it.
  app.server.on('connection', socket => void socket.remoteAddress)
  // The default response and its log line contain the URL, which may include a secret.
  const answerNotFound = (reply: FastifyReply): FastifyReply => reply.code(404).send({ error: 'not found' })
  app.setNotFoundHandler((_request, reply) => answerNotFound(reply))
  // The message of an error without a status is for the log: it may quote what the database holds.
  app.setErrorHandler<Partial<FastifyError>>((error, request, reply) =>
    (error.statusCode ?? reply.statusCode) < 400 ? answerRouteError(error, request, reply) : reply.send(error),
  )
  const stopTracing = options.traces ? await startTracing(app) : null
  setTransportSecurity(app, options.baseUrl)
  readBodies(app)
  const requests = trackOpenRequests(app)
  enforceBodyTimeout(app, requests, config.request_timeout_ms)
  closeUnusedConnections(app)
  // First, because pages of an allowed origin could not read the refusal of a service that stops otherwise.
  await registerCors(app)
  refuseWhileClosing(app)
  const observed = metrics(app, { database, token, ownListener, parts })
  warnOfUntrustedProxy(app, config.trusted_proxies)
  // The handler above would answer only after the body, which a stranger sends as long as the limit allows.
  app.addHook('onRequest', (request, reply, done) => void (request.is404 ? answerNotFound(reply) : done()))
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const status = await readStatus()
    return reply.code(status === 'ready' ? 200 : 503).send({ status })
  })
  return { app, requests, observed, stopTracing }
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true
  try {
    return decodeURIComponent(url.split('?', 1)[0]!) !== ''
  } catch {
    return false
  }
}
