import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Histogram, Registry as MetricsRegistry } from 'prom-client'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Database } from './db/database.ts'

/** Serves /metrics in the Prometheus text format. Reach it only from inside: put it behind your proxy's rules. */
export function metrics(app: FastifyInstance, { database }: { readonly database: Pick<Database, 'engine'> }): void {
  const register = new MetricsRegistry()
  register.setDefaultLabels({ engine: database.engine })
  collectDefaultMetrics({ register, prefix: 'tasuki_' })
  const requests = new Histogram({
    name: 'tasuki_http_request_seconds',
    help: 'Time from request to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [register],
  })
  // Looking up labels anew costs as much as all the rest of the observation.
  const observed = new Map<string, { observe(seconds: number): void }>()
  const statements = new Counter({
    name: 'tasuki_statements_total',
    help: 'Statements sent to the database.',
    registers: [register],
  })
  const count = (): void => statements.inc()
  subscribe('tasuki.statement', count)
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'none'
    const status = String(reply.statusCode)
    const labels = `${method} ${status} ${route}`
    let one = observed.get(labels)
    if (!one) observed.set(labels, (one = requests.labels(method, route, status)))
    one.observe(reply.elapsedTime / 1000)
    done()
  })
  app.addHook('onClose', () => {
    unsubscribe('tasuki.statement', count)
    register.clear()
  })
  app.get('/metrics', async (_request, reply) => reply.type(register.contentType).send(await register.metrics()))
}
