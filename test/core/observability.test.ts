import { parser } from '@prometheus-io/lezer-promql'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolFailure, testHost, type TestHost } from 'tasuki/testing'
import { parse } from 'yaml'
import { loggerOptions } from '../../core/host/log-stream.ts'
import { forEachEngine } from '../engines.ts'
import { diaryPlugin } from '../fixtures/plugins/diary.ts'
import { httpCaller } from '../http-caller.ts'
import { serve, shownToken, TASUKI } from '../processes.ts'
import { suiteScope } from './suite-scope.ts'

const MONITORING = join(import.meta.dirname, '../../config/monitoring')
const MAX_WAIT_MS = 15_000

type Line = Readonly<Record<string, unknown>>
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

/** Waits until `look` returns a value. */
async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; await sleep(50)) {
    const found = look()
    if (found !== undefined) return found
  }
  throw new Error('it did not come')
}

/** Starts an OpenTelemetry collector that stores all spans. */
async function collector(): Promise<{ readonly url: string; readonly spans: Span[]; close(): void }> {
  const spans: Span[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[]
      }
      for (const { scopeSpans } of resourceSpans) for (const each of scopeSpans) spans.push(...each.spans)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () => server.close().closeAllConnections(),
  }
}

forEachEngine('observability', engine => {
  const scope = suiteScope()
  const lines: Line[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) }
  const calls = (): Line[] => lines.filter(({ msg }) => msg === 'tool call')
  let host: TestHost
  let received: Awaited<ReturnType<typeof collector>>

  before(async () => {
    received = await collector()
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = received.url
    const trace = { ran: [], found: [] }
    host = await testHost(scope, {
      engine,
      plugins: [diaryPlugin(trace)],
      logger: { level: 'info', stream },
      traces: true,
    })
    await host.queue.start(host.runner)
  })
  after(() => {
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
    received.close()
  })

  test('the log has one line per call, without arguments and texts', async () => {
    lines.length = 0
    const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Sell the horse' })
    await host.call('items_get', { item_ref: item.ref })
    await assert.rejects(host.call('items_get', { item_ref: 'INBOX#999' }), ToolFailure)
    await host.rpc('tools/call', { name: 'no_such_tool', arguments: {} }).catch(() => undefined)
    const logged = calls()
    assert.deepEqual(
      logged.map(({ tool, outcome, level }) => [tool, outcome, level]),
      [
        ['items_create', 'ok', 30],
        ['items_get', 'ok', 30],
        ['items_get', 'not_found', 30],
        ['none', 'refused', 30],
      ],
    )
    const [created, got] = logged
    assert.ok(Number(created!['statements']) > Number(got!['statements']), JSON.stringify(logged))
    assert.equal(
      got!['statements'],
      (await host.statements(() => host.call('items_get', { item_ref: item.ref }))).length,
    )
    for (const line of logged) {
      assert.match(String(line['user']), /^[0-9a-f-]{36}$/)
      assert.match(String(line['credential']), /^[0-9a-f-]{36}$/)
      assert.ok(Number(line['ms']) >= 0 && line['reqId'])
      assert.deepEqual(Object.keys(line).toSorted(), LINE)
    }
    assert.doesNotMatch(JSON.stringify(logged), /horse|no_such_tool|owner@example/)
  })
  const LINE = [
    'credential',
    'hostname',
    'level',
    'ms',
    'msg',
    'outcome',
    'pid',
    'reqId',
    'statements',
    'time',
    'tool',
    'user',
  ]

  test('every metric and label of the dashboard and the alert rules is in a scrape', async () => {
    await host.call('items_create', { project_key: 'INBOX', title: 'x' })
    await host.call('diary_queue', { job: 'record', text: 'measured' })
    let scraped = ''
    await eventually(() => received.spans.find(({ name }) => name === 'job diary.record'))
    ;({ body: scraped } = await host.app.inject('/metrics'))
    const series = new Map<string, Set<string>>()
    for (const line of scraped.split('\n')) {
      const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
      if (name === undefined) continue
      const known = series.get(name) ?? new Set()
      for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!)
      series.set(name, known)
    }
    const asked = [...dashboardExpressions(), ...alertExpressions()]
    assert.ok(asked.length > 25)
    for (const expression of asked) {
      const { metrics, labels } = namesIn(expression)
      assert.ok(metrics.length > 0, expression)
      for (const metric of metrics.filter(name => name !== 'up')) {
        const known = series.get(metric)
        assert.ok(known, `${metric} of ${expression} is not in the scrape`)
        for (const label of labels) assert.ok(known.has(label) || OF_PROMETHEUS.has(label), `${label} of ${expression}`)
      }
    }
    for (const [name, value] of [
      ['tasuki_database_up', 1],
      ['tasuki_tool_calls_total', 1],
      ['tasuki_database_bytes', 1e6],
      ['tasuki_tool_statements_total', 1],
    ] as const)
      assert.ok(Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(scraped)?.[1]) >= value, name)
    const pools = engine === 'pglite' ? ['session'] : ['autonomous', 'read', 'write']
    for (const pool of pools) assert.match(scraped, new RegExp(`tasuki_pool_waiting\\{pool="${pool}"`))
  })
  /** Labels that Prometheus itself adds to a target. */
  const OF_PROMETHEUS = new Set(['instance', 'job', 'le'])

  test('a trace leads from the request to the call, its statements and the job that it queued', async () => {
    received.spans.length = 0
    const remote = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
    const answer = await host.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        host: 'localhost',
        authorization: `Bearer ${host.token}`,
        accept: 'application/json, text/event-stream',
        traceparent: `00-${remote.trace}-${remote.span}-01`,
      },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'diary_queue', arguments: { job: 'record', text: 'a secret thought' } },
      },
    })
    assert.equal(answer.statusCode, 200)
    const job = await eventually(() => received.spans.find(({ name }) => name === 'job diary.record'))
    const ours = await eventually(() => {
      const found = received.spans.filter(({ traceId }) => traceId === remote.trace)
      return found.some(({ name }) => name === 'POST /mcp') && found.includes(job) ? found : undefined
    })
    const spanNamed = (name: string): Span => {
      const found = ours.find(each => each.name === name)
      assert.ok(found, `${name} is not among ${ours.map(each => each.name).join(', ')}`)
      return found
    }
    const under = (parent: Span): string[] =>
      ours.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map(({ name }) => name)
    const request = spanNamed('POST /mcp')
    const call = spanNamed('tools/call diary_queue')
    assert.equal(request.parentSpanId, remote.span)
    assert.equal(call.parentSpanId, request.spanId)
    assert.equal(job.parentSpanId, call.spanId)
    assert.ok(under(call).includes('commit'), under(call).join())
    assert.ok(under(job).includes('insert'), under(job).join())
    const attributes = Object.fromEntries(call.attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
    assert.equal(attributes['tasuki.outcome'], 'ok')
    assert.ok(Number(attributes['tasuki.statements']) >= 2)
    assert.doesNotMatch(JSON.stringify(ours), /secret thought/)
  })

  if (engine === 'postgres') return

  test('without a token, metrics are read under a name of this machine only', async t => {
    const own = await testHost(t, { only: ['projects'] })
    const statusAs = async (name: string): Promise<number> =>
      (await own.app.inject({ url: '/metrics', headers: { host: name } })).statusCode
    assert.deepEqual(
      [await statusAs('localhost:3000'), await statusAs('127.0.0.1'), await statusAs('rebound.example:3000')],
      [200, 200, 403],
    )
  })

  test('a line of the log has only the beginning of a long path', async t => {
    let longest = 0
    const stream = { write: (line: string) => void (longest = Math.max(longest, line.length)) }
    const logger = { ...loggerOptions({ logLevel: 'info' }), stream }
    const own = await testHost(t, { only: ['projects'], logger })
    assert.equal((await own.app.inject(`/${'x'.repeat(15_000)}`)).statusCode, 404)
    assert.ok(longest > 200 && longest < 1000, `${longest}`)
  })

  test('METRICS_PORT opens a separate listener, and LOG_FORMAT formats lines for people', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-metrics-'))
    try {
      const port = await freePort()
      const env = { DATA_DIR: join(folder, 'data'), METRICS_PORT: String(port), HOST: '127.0.0.1' }
      const server = await serve(TASUKI, { cwd: folder, env })
      const { status, body } = await fetched(`http://127.0.0.1:${port}/metrics`)
      assert.equal(status, 200)
      assert.match(body, /^tasuki_database_up\{engine="pglite"\} 1$/m)
      assert.equal((await fetched(`${server.origin}/metrics`)).status, 404)
      assert.equal((await fetched(`http://127.0.0.1:${port}/mcp`)).status, 404)
      const token = shownToken(server)
      assert.equal(await server.stop(), 0)
      const pretty = await serve(TASUKI, { cwd: folder, env: { ...env, LOG_FORMAT: 'pretty' } })
      await httpCaller(pretty.origin, token).rpc('tools/call', { name: 'me_overview', arguments: {} })
      await eventually(() => /INFO.*: me_overview ok [\d.]+ ms, \d+ statements/.exec(pretty.output.stdout) ?? undefined)
      assert.doesNotMatch(pretty.output.stdout, /"msg"/)
      assert.equal(await pretty.stop(), 0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

async function fetched(url: string): Promise<{ status: number; body: string }> {
  const answer = await fetch(url)
  return { status: answer.status, body: await answer.text() }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}

function dashboardExpressions(): string[] {
  const dashboard = JSON.parse(readFileSync(join(MONITORING, 'grafana-dashboard.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[]
  }
  // Replaces the variables of Grafana.
  const fill = (expr: string): string => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')
  return dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => fill(expr)))
}

function alertExpressions(): string[] {
  const { groups } = parse(readFileSync(join(MONITORING, 'alerts.yml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: { summary: string; action: string } }[] }[]
  }
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr, annotations }) => {
      assert.ok(alert && annotations.summary && annotations.action, alert)
      return expr
    }),
  )
}

/** Returns the metrics and labels of an expression. @throws if Prometheus could not parse it */
function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const metrics: string[] = []
  const labels: string[] = []
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      assert.ok(!type.isError, `${expression} is no PromQL at ${from}`)
      const text = expression.slice(from, to)
      if (type.name === 'Identifier' && node.parent?.type.name === 'VectorSelector') metrics.push(text)
      if (type.name === 'LabelName') labels.push(text)
    },
  })
  return { metrics, labels }
}
