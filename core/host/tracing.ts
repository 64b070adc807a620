import type * as OpenTelemetry from '@opentelemetry/api'
import type { Context, Span, Tracer } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { StatementMessage } from '../db/statements.ts'
import { HostError } from '../plugin/errors.ts'
import type { ObservedCall } from '../mcp/observed-call.ts'
import { TRACE, type ObservedJob } from '../runtime/observed-job.ts'
import { VERSION } from '../plugin/version.ts'

type Api = typeof OpenTelemetry

const PACKAGES =
  '@opentelemetry/sdk-trace@3.1.0 @opentelemetry/resources@3.1.0 @opentelemetry/core@3.1.0 @opentelemetry/exporter-trace-otlp-http@0.301.0'
/** Longer statements are truncated: a batch of a thousand rows is useless in a trace. */
const MAX_SQL_LENGTH = 2000
const UNTRACED = ['/healthz', '/readyz', '/metrics']

/**
 * Exports spans of requests, tool calls, statements and jobs to the collector in the OpenTelemetry variables. The libraries are imported
 * only here, so without those variables they are not loaded.
 * @returns a function that exports the remaining spans and stops
 * @throws HostError if the packages are not installed
 */
export async function startTracing(app: FastifyInstance): Promise<() => Promise<void>> {
  const { api, provider, contexts } = await loadSdk()
  const tracer = api.trace.getTracer('tasuki', VERSION)
  const trace = <M extends object>(name: string, spans: ChannelSpans<M>) => traceChannel(name, contexts, spans, api)
  traceRequests(app, api, tracer, contexts)
  const stops = [
    trace<ObservedCall>('tasuki.call', {
      begin: ({ tool, requestId, userId }, parent) =>
        tracer.startSpan(
          `tools/call ${tool}`,
          { attributes: { 'gen_ai.tool.name': tool, 'tasuki.request_id': requestId, 'user.id': userId } },
          parent,
        ),
      end: (span, { outcome, statements }) => {
        span.setAttributes({ 'tasuki.outcome': outcome, 'tasuki.statements': statements })
        if (outcome === 'internal' || outcome === 'unavailable') span.setStatus({ code: api.SpanStatusCode.ERROR })
      },
    }),
    trace<StatementMessage>('tasuki.query', {
      begin: ({ sql }, parent) =>
        tracer.startSpan(
          sql.slice(0, 30).trimStart().split(/\s/, 1)[0]!.toLowerCase(),
          {
            kind: api.SpanKind.CLIENT,
            attributes: { 'db.system.name': 'postgresql', 'db.query.text': sql.slice(0, MAX_SQL_LENGTH) },
          },
          parent,
        ),
    }),
    trace<ObservedJob>('tasuki.job', {
      begin: ({ job, trace: traceparent }) =>
        tracer.startSpan(
          `job ${job}`,
          { kind: api.SpanKind.CONSUMER, attributes: { 'tasuki.job': job } },
          api.propagation.extract(api.ROOT_CONTEXT, traceparent === null ? {} : { traceparent }),
        ),
      end: (span, { statements }) => span.setAttribute('tasuki.statements', statements),
    }),
    continueInJobs(api, contexts),
  ]
  return async () => {
    for (const stop of stops) stop()
    await provider.shutdown()
    for (const part of [api.trace, api.context, api.propagation]) part.disable()
  }
}

async function loadSdk() {
  try {
    const [api, sdk, { OTLPTraceExporter }, resources, { W3CTraceContextPropagator }] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/core'),
    ])
    const contexts = new AsyncLocalStorage<Context>()
    const { OTEL_TRACES_SAMPLER_ARG: ratio, OTEL_SERVICE_NAME: name = 'tasuki' } = process.env
    const provider = new sdk.TracerProvider({
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
      resource: resources
        .resourceFromAttributes({ 'service.version': VERSION })
        .merge(resources.detectResources({ detectors: [resources.envDetector] }))
        .merge(resources.resourceFromAttributes({ 'service.name': name })),
      ...(ratio && {
        sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(Number(ratio)) }),
      }),
    })
    api.trace.setGlobalTracerProvider(provider)
    api.propagation.setGlobalPropagator(new W3CTraceContextPropagator())
    // Spans that plugins create with the API become part of the same traces.
    api.context.setGlobalContextManager({
      active: () => contexts.getStore() ?? api.ROOT_CONTEXT,
      with: (context, work, self, ...args) => contexts.run(context, () => work.apply(self, args)),
      bind: (context, target) =>
        typeof target === 'function'
          ? (((...args: unknown[]) => contexts.run(context, target as never, ...args)) as never)
          : target,
      enable() {
        return this
      },
      disable() {
        return this
      },
    })
    return { api, provider, contexts }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new HostError(
      `traces are asked for by OTEL_EXPORTER_OTLP_ENDPOINT, and what sends them is not installed: npm install ${PACKAGES}`,
      { cause: error },
    )
  }
}

/** Creates a span per request, which continues the client's trace. */
function traceRequests(app: FastifyInstance, api: Api, tracer: Tracer, contexts: AsyncLocalStorage<Context>): void {
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions } = request
    const { url: route = 'none' } = routeOptions
    if (UNTRACED.includes(route)) return done()
    const parent = api.propagation.extract(api.ROOT_CONTEXT, request.headers)
    const attributes = { 'http.request.method': method, 'http.route': route, 'tasuki.request_id': request.id }
    const span = tracer.startSpan(`${method} ${route}`, { kind: api.SpanKind.SERVER, attributes }, parent)
    spans.set(request, span)
    return contexts.run(api.trace.setSpan(parent, span), done)
  })
  app.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request)
    span?.setAttribute('http.response.status_code', statusCode)
    if (statusCode >= 500) span?.setStatus({ code: api.SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}

interface ChannelSpans<M> {
  readonly begin: (message: M, parent: Context) => Span
  readonly end?: (span: Span, message: M) => void
}

/** Creates a span for each event of a tracing channel; nested work uses it as its parent. @returns a function that stops tracing */
function traceChannel<M extends object>(
  name: string,
  contexts: AsyncLocalStorage<Context>,
  { begin, end }: ChannelSpans<M>,
  api: Api,
): () => void {
  const traced = tracingChannel<unknown, M>(name)
  const spans = new WeakMap<M, Span>()
  traced.start.bindStore(contexts, message => {
    const parent = contexts.getStore() ?? api.ROOT_CONTEXT
    const span = begin(message, parent)
    spans.set(message, span)
    return api.trace.setSpan(parent, span)
  })
  const asyncEnd = (message: M): void => {
    const span = spans.get(message)
    if (!span) return
    end?.(span, message)
    span.end()
  }
  const error = (message: M & { error?: unknown }): void => {
    const { code } = (message.error ?? {}) as { readonly code?: unknown }
    // Messages of the database may contain user data.
    spans.get(message)?.setStatus({ code: api.SpanStatusCode.ERROR, message: String(code ?? 'error') })
  }
  const handlers = { asyncEnd, error } as unknown as Parameters<typeof traced.subscribe>[0]
  traced.subscribe(handlers)
  return () => {
    traced.start.unbindStore(contexts)
    traced.unsubscribe(handlers)
  }
}

/** Makes jobs continue the trace of the call that enqueued them. @returns a function that stops tracing */
function continueInJobs(api: Api, contexts: AsyncLocalStorage<Context>): () => void {
  const queued = channel('tasuki.enqueue')
  const injectTrace = (data: unknown): void => {
    const carrier: { traceparent?: string } = {}
    api.propagation.inject(contexts.getStore() ?? api.ROOT_CONTEXT, carrier)
    if (carrier.traceparent !== undefined) Object.assign(data as object, { [TRACE]: carrier.traceparent })
  }
  queued.subscribe(injectTrace)
  return () => queued.unsubscribe(injectTrace)
}
