import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify'
import { hash, timingSafeEqual } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Histogram, Registry as MetricsRegistry } from 'prom-client'
import type { Database } from '../db/database.ts'
import { bearerToken } from '../http/bearer.ts'

/** A start has better to do than to load what counts; until then times and statements are only kept. */
const LOAD_AFTER_MS = 2000
/** Times that are kept before they are observed: the histogram takes far less for each when it takes many. */
const KEPT = 500

export interface MetricsOptions {
  readonly database: Pick<Database, 'engine'>
  /** Bearer token that scrapers send; null = only this machine may read. */
  readonly token: string | null
}

/** Serves /metrics in the Prometheus text format. */
export function metrics(app: FastifyInstance, { database, token }: MetricsOptions): void {
  const times = new Map<string, Times>()
  let statements = 0
  let opening: Promise<MetricsRegistry> | undefined
  let requests: Histogram | undefined
  let timer: NodeJS.Timeout | undefined
  let failed = false

  const observe = (each: Times): void => {
    if (requests) each.observe(requests)
  }
  const open = async (): Promise<MetricsRegistry> => {
    const { collectDefaultMetrics, Counter, Histogram, Registry } = await import('prom-client')
    const register = new Registry()
    register.setDefaultLabels({ engine: database.engine })
    collectDefaultMetrics({ register, prefix: 'tasuki_' })
    requests = new Histogram({
      name: 'tasuki_http_request_seconds',
      help: 'Time from request to the end of the response.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [register],
      collect: () => times.forEach(observe),
    })
    let reported = 0
    register.registerMetric(
      new Counter({
        name: 'tasuki_statements_total',
        help: 'Statements sent to the database.',
        registers: [],
        collect() {
          this.inc(statements - reported)
          reported = statements
        },
      }),
    )
    return register
  }
  const openOnce = (): Promise<MetricsRegistry> => (opening ??= open())
  const giveUp = (error: unknown): void => {
    app.log.warn({ err: error }, 'no metrics')
    // Nothing will ever take them.
    failed = true
    times.clear()
  }
  const recordTime = (method: string, route: string, { statusCode, elapsedTime }: FastifyReply): void => {
    if (failed) return
    const key = `${method} ${statusCode} ${route}`
    let found = times.get(key)
    if (!found) times.set(key, (found = new Times({ method, route, status: String(statusCode) })))
    found.add(elapsedTime / 1000)
    if (found.waiting >= KEPT) observe(found)
  }
  const count = (): void => void statements++
  subscribe('tasuki.statement', count)

  // A hook of each route, because Fastify puts the answer to which one it was together anew each time.
  app.addHook('onRoute', route => {
    const { url, onResponse = [] } = route
    const hook: onResponseHookHandler = (request, reply, done) => {
      recordTime(request.method, url, reply)
      done()
    }
    route.onResponse = [hook, ...(Array.isArray(onResponse) ? onResponse : [onResponse])]
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) recordTime(request.method, 'none', reply)
    done()
  })
  app.addHook('onListen', done => {
    timer = setTimeout(() => void openOnce().catch(giveUp), LOAD_AFTER_MS).unref()
    done()
  })
  app.addHook('onClose', async () => {
    clearTimeout(timer)
    unsubscribe('tasuki.statement', count)
    await opening?.then(
      register => register.clear(),
      () => undefined,
    )
  })
  app.get('/metrics', async (request, reply) => {
    const refused = refuseReader(request, token)
    if (refused) return reply.code(refused.status).headers(refused.headers).send({ error: refused.message })
    const register = await openOnce()
    return reply.type(register.contentType).send(await register.metrics())
  })
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

/** With a token whoever sends it may read, without one this machine; a request that a proxy forwards comes from elsewhere. */
function refuseReader(request: FastifyRequest, token: string | null) {
  if (token === null) {
    const { remoteAddress = '' } = request.socket
    if (LOOPBACK.has(remoteAddress) && request.headers['x-forwarded-for'] === undefined) return null
    return { status: 403, headers: {}, message: 'Set METRICS_TOKEN to read the metrics from another machine' }
  }
  const sent = bearerToken(request.headers.authorization) ?? ''
  const isEqual = timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer'))
  const headers = { 'www-authenticate': 'Bearer' }
  return isEqual ? null : { status: 401, headers, message: 'Send METRICS_TOKEN as bearer token' }
}

/** Times of requests of one kind until they are observed, in seconds. */
class Times {
  readonly #labels: Readonly<Record<string, string>>
  #seconds: number[] = []
  constructor(labels: Readonly<Record<string, string>>) {
    this.#labels = labels
  }
  get waiting(): number {
    return this.#seconds.length
  }
  add(seconds: number): void {
    this.#seconds.push(seconds)
  }
  observe(histogram: Histogram): void {
    const seconds = this.#seconds
    this.#seconds = []
    const labelled = histogram.labels(this.#labels)
    for (const each of seconds) labelled.observe(each)
  }
}
