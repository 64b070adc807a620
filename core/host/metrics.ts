import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onResponseHookHandler,
} from 'fastify'
import { hash, timingSafeEqual } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Database } from '../db/database.ts'
import { bearerToken } from '../http/bearer.ts'
import { hostGuard, LOOPBACK } from '../http/host-validation.ts'
import type { ObservedCall } from '../mcp/observed-call.ts'
import type { ObservedJob } from '../runtime/observed-job.ts'
import { logCall, logJob } from './call-log.ts'
import { BufferedHistogram } from './buffered-histogram.ts'
import { registerMeasures, type MeasuredParts } from './service-metrics.ts'

/** The metrics library is loaded after the start; until then values are only buffered. */
const LOAD_AFTER_MS = 2000
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

export interface MetricsOptions {
  readonly database: Pick<Database, 'engine'>
  /** Bearer token of scrapers; null = only this machine may read, or everyone who can reach the separate listener. */
  readonly token: string | null
  /** Serves the metrics with a separate app. */
  readonly ownListener?: boolean
  /** Returns null until the host is up. */
  readonly parts?: () => MeasuredParts | null
}

/** The values of this process; the times are buffered until the metrics library is loaded. */
interface Values {
  readonly requests: BufferedHistogram
  readonly calls: BufferedHistogram
  readonly jobs: BufferedHistogram
  /** Calls by tool and outcome, with the number of their statements. */
  readonly outcomes: Map<string, { readonly tool: string; readonly outcome: string; calls: number; statements: number }>
  statements: number
}

/** Collects metrics, logs a line per call and serves /metrics in the Prometheus text format. */
export function metrics(
  app: FastifyInstance,
  { database, token, ownListener = false, parts = () => null }: MetricsOptions,
) {
  const [requests, calls, jobs] = [new BufferedHistogram(), new BufferedHistogram(), new BufferedHistogram()]
  const values: Values = { requests, calls, jobs, outcomes: new Map(), statements: 0 }
  // The line contains no secrets, and checking for them takes half of its time.
  const callLog = app.log.child({}, { redact: [] })
  let loading: ReturnType<typeof loadClient> | undefined
  let timer: NodeJS.Timeout | undefined
  const loadOnce = (): ReturnType<typeof loadClient> => (loading ??= loadClient(database.engine, values))
  const disable = (error: unknown): void => {
    app.log.warn({ err: error }, 'no metrics')
    for (const each of [requests, calls, jobs]) each.drop()
  }
  const count = (): void => void values.statements++
  subscribe('tasuki.statement', count)
  measureRequests(app, requests)
  app.addHook('onListen', done => {
    timer = setTimeout(() => void loadOnce().catch(disable), LOAD_AFTER_MS).unref()
    done()
  })
  app.addHook('onClose', async () => {
    clearTimeout(timer)
    unsubscribe('tasuki.statement', count)
    await separateApp?.close()
    await loading?.then(
      ({ register }) => register.clear(),
      () => undefined,
    )
  })
  const separateApp = ownListener ? Fastify({ forceCloseConnections: true }) : null
  const metricsHost = separateApp ?? app
  metricsHost.get('/metrics', async (request, reply) => {
    const rejection = rejectReader(request, token, separateApp !== null)
    if (rejection) return reply.code(rejection.status).headers(rejection.headers).send({ error: rejection.message })
    const { register, measure } = await loadOnce()
    const measured = parts()
    if (measured) await measure(measured, app.log)
    return reply.type(register.contentType).send(await register.metrics())
  })
  return {
    /** Serves only the metrics; null if the service itself serves them. */
    app: separateApp,
    callEnded(call: ObservedCall): void {
      logCall(callLog, call)
      recordCall(values, call)
    },
    jobEnded(ended: ObservedJob): void {
      logJob(app.log, ended)
      const { job, outcome, ms } = ended
      jobs.add(`${job} ${outcome}`, () => ({ job, outcome }), ms / 1000)
    },
  }
}

function recordCall({ calls, outcomes }: Values, { tool, outcome, ms, statements }: ObservedCall): void {
  calls.add(tool, () => ({ tool }), ms / 1000)
  const key = `${tool} ${outcome}`
  let found = outcomes.get(key)
  if (!found) outcomes.set(key, (found = { tool, outcome, calls: 0, statements: 0 }))
  found.calls++
  found.statements += statements
}

function measureRequests(app: FastifyInstance, requests: BufferedHistogram): void {
  const record = (method: string, route: string, { statusCode, elapsedTime }: FastifyReply): void =>
    requests.add(
      `${method} ${statusCode} ${route}`,
      () => ({ method, route, status: String(statusCode) }),
      elapsedTime / 1000,
    )
  // A hook per route, because Fastify's `routeOptions` builds a new object on each access.
  app.addHook('onRoute', route => {
    const { url, onResponse = [] } = route
    const hook: onResponseHookHandler = (request, reply, done) => {
      record(request.method, url, reply)
      done()
    }
    route.onResponse = [hook, ...(Array.isArray(onResponse) ? onResponse : [onResponse])]
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) record(request.method, 'none', reply)
    done()
  })
}

/** Loads the metrics library and registers the values with it. */
async function loadClient(engine: Database['engine'], values: Values) {
  const client = await import('prom-client')
  const register = new client.Registry()
  const registers = [register]
  register.setDefaultLabels({ engine })
  client.collectDefaultMetrics({ register, prefix: 'tasuki_' })
  const histogram = (name: string, help: string, labelNames: string[]) => (collect: () => void) =>
    new client.Histogram({ name: `tasuki_${name}_seconds`, help, labelNames, buckets: BUCKETS, registers, collect })
  const requestHelp = 'Time from request to the end of the response.'
  values.requests.flow(histogram('http_request', requestHelp, ['method', 'route', 'status']))
  values.calls.flow(histogram('tool_call', 'Time of tool calls.', ['tool']))
  values.jobs.flow(histogram('job', 'Time of runs of background jobs.', ['job', 'outcome']))
  const count = <L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    fill: (of: InstanceType<typeof client.Counter<L>>) => void,
  ) =>
    new client.Counter({
      name: `tasuki_${name}_total`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        fill(this)
      },
    })
  count('statements', 'Statements sent to the database.', [], of => of.inc(values.statements))
  const callHelp = 'Tool calls by outcome: ok, asked, refused, failed, or the code of the error.'
  count('tool_calls', callHelp, ['tool', 'outcome'], of =>
    values.outcomes.forEach(({ tool, outcome, calls }) => of.inc({ tool, outcome }, calls)),
  )
  count('tool_statements', 'Statements that tool calls sent.', ['tool'], of =>
    values.outcomes.forEach(({ tool, statements }) => of.inc({ tool }, statements)),
  )
  return { register, measure: registerMeasures(client, registers) }
}

const LOOPBACK_ADDRESSES = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

const isForeign = hostGuard(LOOPBACK)

/**
 * Checks whether a request may read the metrics: with the token, or without one from this machine. A forwarded request is not from this
 * machine, nor is one of a page whose own name leads here (DNS rebinding).
 */
function rejectReader(request: FastifyRequest, token: string | null, isOwn: boolean) {
  if (token === null) {
    const { remoteAddress = '' } = request.socket
    const isLocal = LOOPBACK_ADDRESSES.has(remoteAddress) && !isForeign(request)
    if (isOwn || (isLocal && request.headers['x-forwarded-for'] === undefined)) return null
    return {
      status: 403,
      headers: {},
      message: 'Set METRICS_TOKEN or METRICS_PORT to read the metrics from another machine',
    }
  }
  const sentToken = bearerToken(request.headers.authorization) ?? ''
  const isEqual = timingSafeEqual(hash('sha256', sentToken, 'buffer'), hash('sha256', token, 'buffer'))
  const headers = { 'www-authenticate': 'Bearer' }
  return isEqual ? null : { status: 401, headers, message: 'Send METRICS_TOKEN as bearer token' }
}
