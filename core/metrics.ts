import type { FastifyInstance, FastifyReply, onResponseHookHandler } from 'fastify'
import { collectDefaultMetrics, Counter, Histogram, Registry as MetricsRegistry } from 'prom-client'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Database } from './db/database.ts'

/** Serves /metrics in the Prometheus text format. Reach it only from inside: put it behind your proxy's rules. */
export function metrics(app: FastifyInstance, { database }: { readonly database: Pick<Database, 'engine'> }): void {
  const register = new MetricsRegistry()
  register.setDefaultLabels({ engine: database.engine })
  collectDefaultMetrics({ register, prefix: 'tasuki_' })
  const times = new Map<string, Times>()
  const requests = new Histogram({
    name: 'tasuki_http_request_seconds',
    help: 'Time from request to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [register],
    collect: () => times.forEach(each => each.observe()),
  })
  const statements = new Counter({
    name: 'tasuki_statements_total',
    help: 'Statements sent to the database.',
    registers: [register],
  })
  const count = (): void => statements.inc()
  subscribe('tasuki.statement', count)
  const timed = (method: string, route: string, { statusCode, elapsedTime }: FastifyReply): void => {
    const labels = `${method} ${statusCode} ${route}`
    let found = times.get(labels)
    if (!found) times.set(labels, (found = new Times(requests.labels(method, route, String(statusCode)))))
    found.add(elapsedTime / 1000)
  }
  // A hook of each route, because Fastify puts the answer to which one it was together anew each time.
  app.addHook('onRoute', route => {
    const { url, onResponse = [] } = route
    const hook: onResponseHookHandler = (request, reply, done) => {
      timed(request.method, url, reply)
      done()
    }
    route.onResponse = [hook, ...(Array.isArray(onResponse) ? onResponse : [onResponse])]
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) timed(request.method, 'none', reply)
    done()
  })
  app.addHook('onClose', () => {
    unsubscribe('tasuki.statement', count)
    register.clear()
  })
  app.get('/metrics', async (_request, reply) => reply.type(register.contentType).send(await register.metrics()))
}

const KEPT = 500

/** Times of requests of one kind, observed some hundreds at a time: the histogram takes far less for each when it takes many. */
class Times {
  readonly #histogram: { observe(seconds: number): void }
  #seconds: number[] = []
  constructor(histogram: { observe(seconds: number): void }) {
    this.#histogram = histogram
  }
  add(seconds: number): void {
    this.#seconds.push(seconds)
    if (this.#seconds.length === KEPT) this.observe()
  }
  observe(): void {
    const seconds = this.#seconds
    this.#seconds = []
    for (const each of seconds) this.#histogram.observe(each)
  }
}
