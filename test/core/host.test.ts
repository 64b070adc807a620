import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin, defineTool, HostError, sql, Type, type PluginSpec, type WriteContext } from 'tasuki/plugin'
import { testHost, type TestHost } from 'tasuki/testing'
import { createTestDatabase } from '../../core/testing/database.ts'
import { loggerOptions } from '../../core/host/log-stream.ts'
import { itemFilters } from '../../plugins/items/points.ts'
import { forEachEngine } from '../engines.ts'
import { verifies } from '../verifies.ts'
import { bareDatabase, bareHost } from './bare-host.ts'
import { suiteScope } from './suite-scope.ts'

/** A plugin with these parts. */
const pluginWith = (name: string, parts: Partial<PluginSpec>) =>
  definePlugin({ name, version: '1.0.0', api: 1, group: name, ...parts })

const echo = (name: string, dependsOn: string[] = [], started: string[] = []) =>
  definePlugin({
    name,
    version: '1.0.0',
    api: 1,
    group: name,
    dependsOn,
    routes(app) {
      started.push(name)
      app.get(`/${name}/:word`, request => ({ plugin: name, word: (request.params as { word: string }).word }))
      const schema = {
        querystring: Type.Object({ n: Type.Integer({ minimum: 1 }) }),
        response: { 200: Type.Object({ twice: Type.Integer() }) },
      }
      app.get(`/${name}`, { schema }, request => ({ twice: (request.query as { n: number }).n * 2, secret: 1 }))
      app.addHook('onRequest', (_request, reply, done) => {
        void reply.header(`x-${name}`, 'yes')
        done()
      })
    },
  })

const whoAmI = pluginWith('who', {
  routes(app) {
    app.get('/who', request => request.ip)
  },
})

forEachEngine('a host', engine => {
  const scope = suiteScope()
  const lines: string[] = []
  let host: TestHost

  before(async () => {
    const logger = {
      ...loggerOptions({ logLevel: 'trace' }),
      stream: { write: (line: string) => void lines.push(line) },
    }
    host = await testHost(scope, { engine, plugins: [echo('echo')], logger })
  })

  verifies('http.healthz', 'answers /healthz and /readyz', async () => {
    const health = await host.app.inject('/healthz')
    assert.deepEqual([health.statusCode, health.json()], [200, { status: 'ok' }])
    const ready = await host.app.inject('/readyz')
    assert.deepEqual([ready.statusCode, ready.json()], [200, { status: 'ready' }])
  })

  test('a failed call of a test has the error of the tool as its cause', async t => {
    const fault = defineTool({
      name: 'fault_get',
      class: 'R',
      title: 'Fault',
      summary: 'Has a bug.',
      input: {},
      output: {},
      run: () => Promise.reject(new TypeError('no list')),
    })
    const broken = pluginWith('fault', { tools: [fault] })
    const other = await testHost(t, { engine, plugins: [broken] })
    await assert.rejects(other.call('fault_get'), (error: Error) => {
      assert.doesNotMatch(error.message, /no list/)
      assert.match((error.cause as Error).message, /no list/)
      return true
    })
  })

  test('stops on a filter key with capitals, which no query could use', async t => {
    const filter = itemFilters({
      key: 'Risk',
      type: 'flag',
      summary: 'risk',
      example: 'Risk:yes',
      sql: () => sql<boolean>`true`,
    })
    const risky = pluginWith('risky', { dependsOn: ['items'], contributes: [filter] })
    await assert.rejects(testHost(t, { engine, plugins: [risky] }), /filter key "Risk" is not one word in lower case/)
  })

  test('logs errors of the database without the values of rows', () => {
    const err = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (name)=(Acme) already exists.',
    })
    host.app.log.error({ err }, 'call failed')
    assert.match(lines.at(-1)!, /duplicate key.*"code":"23505"/)
    assert.doesNotMatch(lines.at(-1)!, /Acme/)
  })

  test('serves the routes of each plugin in its own scope', async () => {
    const answer = await host.app.inject('/echo/hello')
    assert.deepEqual(answer.json(), { plugin: 'echo', word: 'hello' })
    assert.equal(answer.headers['x-echo'], 'yes')
    assert.equal((await host.app.inject('/healthz')).headers['x-echo'], undefined, 'its hooks stay its own')
  })

  test('validates requests and answers of plugin routes that have schemas', async () => {
    assert.deepEqual((await host.app.inject('/echo?n=21')).json(), { twice: 42 })
    assert.equal((await host.app.inject('/echo?n=none')).statusCode, 400)
  })

  verifies('http.metrics', 'counts requests, also to plugin routes, and statements', async () => {
    await host.call('tasks_list')
    await host.app.inject('/echo/hello')
    await host.app.inject('/nowhere?token=x')
    const answer = await host.app.inject('/metrics')
    assert.match(String(answer.headers['content-type']), /^text\/plain.*version=/)
    const value = (metric: string, ...labels: string[]): number => {
      const line = answer.body
        .split('\n')
        .find(text => text.startsWith(`${metric}{`) && labels.every(label => text.includes(label)))
      assert.ok(line, `${metric} ${labels.join()}`)
      assert.ok(line.includes(`engine="${engine}"`))
      return Number(line.split(' ').at(-1))
    }
    assert.ok(value('tasuki_http_request_seconds_count', 'method="POST"', 'route="/mcp"', 'status="200"') >= 1)
    assert.ok(value('tasuki_http_request_seconds_count', 'route="/echo/:word"') >= 1)
    assert.ok(value('tasuki_http_request_seconds_count', 'route="none"', 'status="404"') >= 1)
    assert.ok(value('tasuki_statements_total') >= 1)
    assert.ok(value('tasuki_process_resident_memory_bytes') > 1e6)
    assert.ok(!answer.body.includes('token'))
  })

  test('shows the counts to this machine only, unless a token is set', async t => {
    const elsewhere = { url: '/metrics', remoteAddress: '198.51.100.7' }
    const proxied = { url: '/metrics', headers: { 'x-forwarded-for': '198.51.100.7' } }
    for (const request of [elsewhere, proxied]) {
      const refused = await host.app.inject(request)
      assert.equal(refused.statusCode, 403)
      assert.match(refused.json().error, /METRICS_TOKEN/)
    }
    const guarded = await testHost(t, { engine, only: [], metricsToken: 'scraper-of-the-house' })
    const as = (authorization: string) => guarded.app.inject({ ...elsewhere, headers: { authorization } })
    assert.equal((await guarded.app.inject('/metrics')).statusCode, 401)
    assert.equal((await as('Bearer scraper-of-the-other')).statusCode, 401)
    assert.equal((await as('Bearer scraper-of-the-house')).statusCode, 200)
  })

  verifies('auth.not_in_query', 'logs no token, wherever a request carries it', async () => {
    const secret = host.token
    await host.call('tasks_list')
    await host.app.inject({
      method: 'POST',
      url: `/mcp?token=${secret}&profile=full-access`,
      headers: { host: 'localhost' },
      payload: {},
    })
    await host.app.inject({
      url: `/nowhere?access_token=${secret}`,
      headers: { authorization: `Bearer ${secret}`, cookie: `s=${secret}` },
    })
    await host.app.inject(`/echo/x?token=${secret}`)
    await host.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { host: 'localhost', authorization: `Bearer ${secret}` },
      payload: '{',
    })
    await host.call('items_create', { project_key: 'INBOX' }).catch(() => undefined)
    const log = lines.join('')
    for (const path of ['/mcp', '/nowhere', '/echo/x']) assert.ok(log.includes(`"path":"${path}"`), `${path} is logged`)
    for (const part of [secret, secret.slice(8, 30)]) assert.ok(!log.includes(part))
  })

  test('answers unknown addresses without repeating them', async () => {
    const answer = await host.app.inject('/nowhere?token=abc')
    assert.deepEqual([answer.statusCode, answer.json()], [404, { error: 'not found' }])
  })

  test('gives each request an id that is unique across instances', async () => {
    await host.app.inject('/healthz')
    const ids = lines.flatMap(line => (JSON.parse(line) as { reqId?: string }).reqId ?? [])
    assert.ok(ids.length > 0)
    for (const id of ids) assert.match(id, /^[\w-]{12}-[0-9a-z]+$/)
  })

  verifies('http.readyz', 'is not ready while it stops, or while its database does not answer', async t => {
    const other = await bareHost(
      { after: work => t.after(work) },
      await bareDatabase({ after: work => t.after(work) }, engine),
    )
    other.drain()
    const draining = await other.app.inject('/readyz')
    assert.deepEqual([draining.statusCode, draining.json()], [503, { status: 'draining' }])
    assert.equal((await other.app.inject('/healthz')).statusCode, 200, 'but lives')

    const gone = engine === 'postgres' ? await createTestDatabase() : null
    const database = gone
      ? ({ engine: 'postgres', url: gone.url, replicaUrl: null } as const)
      : await bareDatabase({ after: work => t.after(work) }, engine)
    const third = await bareHost({ after: work => t.after(work) }, database)
    assert.equal((await third.app.inject('/readyz')).statusCode, 200)
    await (gone ? gone.drop() : third.database.close())
    const silent = await third.app.inject('/readyz')
    assert.deepEqual([silent.statusCode, silent.json()], [503, { status: 'database does not answer' }])
  })
})

test('is ready while a call keeps the embedded session busy, and not while a call holds it idle', async t => {
  const host = await testHost(t, { engine: 'pglite', only: ['projects'] })
  const readyWhile = async (work: (ctx: WriteContext) => Promise<unknown>): Promise<number> => {
    const { promise: held, resolve: holds } = Promise.withResolvers<void>()
    const call = host.write(async ctx => {
      holds()
      for (const until = performance.now() + 2500; performance.now() < until;) await work(ctx)
    })
    await held
    const { statusCode } = await host.app.inject('/readyz')
    await call
    assert.equal((await host.app.inject('/readyz')).statusCode, 200)
    return statusCode
  }
  assert.equal(await readyWhile(async ctx => Promise.all([sql`select 1`.execute(ctx.db), sleep(20)])), 200)
  assert.equal(await readyWhile(() => sleep(20)), 503)
})

describe('plugins of a host', () => {
  test('uses the forwarded address of trusted proxies only', async t => {
    const behind = (trusted: readonly string[]) =>
      testHost(t, { only: ['projects'], config: { trusted_proxies: trusted }, plugins: [whoAmI] })
    const seen = async (host: TestHost, remoteAddress: string): Promise<string> =>
      (await host.app.inject({ url: '/who', remoteAddress, headers: { 'x-forwarded-for': '203.0.113.7' } })).body
    const [open, closed] = [await behind(['10.0.0.0/8']), await behind([])]
    assert.equal(await seen(open, '10.1.2.3'), '203.0.113.7')
    assert.equal(await seen(open, '192.0.2.1'), '192.0.2.1')
    assert.equal(await seen(closed, '10.1.2.3'), '10.1.2.3')
    for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0.0/x'])
      await assert.rejects(behind([wrong]), /trusted_proxies has/)
  })

  const inMemory = { engine: 'pglite', dataDir: null } as const
  const refused = (
    t: { after(work: () => Promise<void> | void): void },
    plugins: Parameters<typeof bareHost>[2],
    message: RegExp,
  ) =>
    assert.rejects(bareHost({ after: work => t.after(work) }, inMemory, plugins), (error: unknown) => {
      assert.ok(error instanceof HostError, String(error))
      assert.match(error.message, message)
      return true
    })

  test('start in the order of their dependencies, whatever the order of the config', async t => {
    const orders = await Promise.all(
      [0, 1].map(async turn => {
        const started: string[] = []
        const plugins = [echo('a', ['c'], started), echo('b', [], started), echo('c', ['b'], started)]
        const host = await bareHost(
          { after: work => t.after(work) },
          await bareDatabase({ after: work => t.after(work) }, 'pglite'),
          {
            plugins: turn ? plugins.toReversed() : plugins,
          },
        )
        return [started, host.registry.plugins.map(plugin => plugin.name)]
      }),
    )
    assert.deepEqual(orders[0]![0], ['b', 'c', 'a'])
    assert.deepEqual(orders[0], orders[1])
  })

  test('that cannot be registered stop the boot by name, before a database is opened', async t => {
    const throwing = definePlugin({ ...echo('bad').spec, routes: () => assert.fail('no luck') })
    await refused(t, { plugins: [throwing] }, /plugin bad could not be registered: no luck/)
    const taking = definePlugin({ ...echo('bad').spec, routes: app => void app.get('/healthz', () => 'mine') })
    await refused(t, { plugins: [taking] }, /plugin bad could not be registered: .*\/healthz/)
    await refused(
      t,
      { plugins: [definePlugin({ ...echo('bad').spec, api: 2 })] },
      /plugin bad was written for contract level 2/,
    )
    await refused(
      t,
      { plugins: [echo('bad', ['missing'])] },
      /plugin bad needs plugin missing, which is off; add "missing": \{\}, or the package that has it, to/,
    )
    await refused(t, { plugins: [echo('bad', ['item'])] }, /which is off; did you mean items\?/)
    await refused(t, { config: { plugins: { items: false } } }, /needs plugin items, which is off/)
    await refused(
      t,
      { config: { plugins: { labels: { color: 'red' } } } },
      /config of plugin labels: it has no settings.*color/,
    )
  })
})
