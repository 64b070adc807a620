import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import Fastify, { type FastifyInstance, type FastifyPluginCallback } from 'fastify'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { definePlugin, definePoint, HostError, type PluginBody, type PluginSpec, ToolError } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const makePlugin = (name: string, spec: Partial<PluginSpec>, body?: PluginBody) =>
  definePlugin({ name, version: '1.0.0', api: 1, group: name, ...spec }, body)

/** Adds a route that returns the posted body. */
const echo =
  (path: string) =>
  (app: FastifyInstance): void =>
    void app.post(path, async ({ body }) => ({ body }))

/** Creates a folder for modules. @returns a function that writes a module and returns its path */
function modules(t: TestContext): (name: string, text: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-fastify-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return (name, text) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
}

describe('a plugin is a Fastify plugin', () => {
  test('a request that does not match the schema of its route is refused with what is wrong', async t => {
    const days = makePlugin('days', {
      routes(app, services) {
        app.setErrorHandler(services.answerRouteError)
        const querystring = { type: 'object', required: ['day'], properties: { day: { type: 'string' } } }
        app.get('/days', { schema: { querystring } }, async () => 'ok')
      },
    })
    const host = await testHost(t, { only: ['projects'], plugins: [days] })
    const { statusCode, body } = await host.app.inject('/days')
    assert.equal(statusCode, 400)
    assert.match(JSON.parse(body).error.message, /querystring must have required property 'day'/)
  })

  test('an unexpected error of a route does not show its message, unlike one with a status', async t => {
    const boom = makePlugin('boom', {
      routes(app) {
        app.get('/boom', () => Promise.reject(new Error('secret')))
        app.get('/boom/bigint', async () => ({ amount: 1n }))
        app.get('/boom/status', () => Promise.reject(Object.assign(new Error('come later'), { statusCode: 503 })))
        app.get('/boom/coded', (_request, reply) => reply.code(409).send(new Error('taken')))
        app.get('/boom/tool', () => Promise.reject(new ToolError('not_found', 'No such risk.')))
      },
    })
    const { app } = await testHost(t, { only: [], plugins: [boom] })
    const sent = async (url: string): Promise<unknown> => {
      const { statusCode, body } = await app.inject(url)
      const { error, message } = JSON.parse(body)
      return [statusCode, error.code ?? message]
    }
    assert.deepEqual(await sent('/boom'), [500, 'internal'])
    assert.deepEqual(await sent('/boom/bigint'), [500, 'internal'])
    assert.deepEqual(await sent('/boom/status'), [503, 'come later'])
    assert.deepEqual(await sent('/boom/coded'), [409, 'taken'])
    assert.deepEqual(await sent('/boom/tool'), [404, 'not_found'])
  })

  test('its routes have a separate scope, in which it uses plugins of the Fastify ecosystem', async t => {
    const forms = makePlugin('forms', {
      async routes(app) {
        await app.register(formbody)
        app.addHook('onSend', async (_request, reply) => void reply.header('x-forms', 'yes'))
        echo('/forms')(app)
      },
    })
    const { app } = await testHost(t, { plugins: [forms, makePlugin('plain', { routes: echo('/plain') })], only: [] })
    const send = (url: string) => app.inject({ method: 'POST', url, headers: FORM, payload: 'a=1&b=2' })
    const taken = await send('/forms')
    assert.deepEqual([taken.json(), taken.headers['x-forms']], [{ body: { a: '1', b: '2' } }, 'yes'])
    const refused = await send('/plain')
    assert.deepEqual([refused.statusCode, refused.headers['x-forms']], [415, undefined])
  })

  test('its body runs on the server itself: its decorators and hooks apply to plugins that depend on it', async t => {
    const order: string[] = []
    const cookies = makePlugin('cookies', {}, async (app, { now }) => {
      await app.register(cookie)
      app.decorate('started', now())
      app.addHook('onRequest', async ({ url }) => void order.push(url))
    })
    const reading = makePlugin('reading', {
      dependsOn: ['cookies'],
      routes(app) {
        app.get('/reading', async request => ({
          cookies: request.cookies,
          started: app.getDecorator<Date>('started').toISOString(),
        }))
      },
    })
    const now = new Date('2026-11-23T10:00:00Z')
    const { app, call } = await testHost(t, { plugins: [reading, cookies], only: [], now: () => now })
    const answer = await app.inject({ url: '/reading', headers: { cookie: 'theme=dark' } })
    assert.deepEqual(answer.json(), { cookies: { theme: 'dark' }, started: now.toISOString() })
    await assert.rejects(call('no_such_tool'))
    assert.deepEqual(order, ['/reading', '/mcp'])
  })

  test('all declarations are read and frozen before any body runs', async t => {
    const words = definePoint<string>('first.words')
    let found: readonly string[] = []
    const first = makePlugin('first', { points: [words] }, (_app, { all }) => void (found = all(words)))
    const second = makePlugin('second', { dependsOn: ['first'], contributes: [words('from the second')] })
    await testHost(t, { plugins: [second, first], only: [] })
    assert.deepEqual(found, ['from the second'])
    assert.ok(Object.isFrozen(first.spec) && Object.isFrozen(found))
  })

  test('it does not run on a plain server, and its errors name it', async t => {
    const app = Fastify()
    t.after(() => app.close())
    await assert.rejects(async () => app.register(makePlugin('alone', {})), /hostServices.*alone/)
    const failing = makePlugin('failing', {}, () => {
      throw new Error('no luck')
    })
    await assert.rejects(testHost(t, { plugins: [failing], only: [] }), {
      name: 'HostError',
      message: 'plugin failing could not be registered: no luck',
    })
  })
})

describe('a plugin whose registration fails stops the start with its name', () => {
  const refused = async (t: TestContext, spec: Partial<PluginSpec>, message: string, body?: PluginBody) =>
    assert.rejects(testHost(t, { only: [], plugins: [makePlugin('late', spec, body)] }), {
      name: 'HostError',
      message,
    })
  const start = 'plugin late could not be registered: '

  test('when a Fastify plugin with a callback throws in its body or its routes', async t => {
    const fails: FastifyPluginCallback = () => {
      throw new Error('no key given')
    }
    const register: PluginBody = app => {
      app.register(fails)
    }
    await refused(t, {}, `${start}no key given`, async app => {
      await app.register(fails)
    })
    await refused(t, {}, `${start}no key given`, register)
    await refused(t, { routes: register }, `${start}no key given`)
  })
})

describe('a plain Fastify plugin that the config names', () => {
  test('gets its settings as options, and the decorators of plugins, because it is registered after them', async t => {
    const write = modules(t)
    const greeting = write(
      'greeting.mjs',
      `export default async (app, { path, word }) => void app.get(path, async () => word + ' ' + app.name)`,
    )
    const naming = makePlugin('naming', {}, app => void app.decorate('name', 'Ada'))
    const config = { plugins: { [greeting]: { path: '/greeting', word: 'Hello' } } }
    const { app } = await testHost(t, { config, plugins: [naming], only: [] })
    assert.equal((await app.inject('/greeting')).body, 'Hello Ada')
  })

  test('may be a package, true = without options', async t => {
    const write = modules(t)
    const route = write('route.mjs', `export default async app => void app.post('/posted', async ({ body }) => body)`)
    const { app } = await testHost(t, { config: { plugins: { '@fastify/formbody': true, [route]: true } }, only: [] })
    const answer = await app.inject({ method: 'POST', url: '/posted', headers: FORM, payload: 'a=1' })
    assert.deepEqual(answer.json(), { a: '1' })
  })

  test('stops the start with one clear error when it fails, and not when it is off', async t => {
    const failing = modules(t)(
      'failing.mjs',
      `export default (app, options, done) => { throw new Error('no key given') }`,
    )
    await assert.rejects(testHost(t, { config: { plugins: { [failing]: {} } }, only: [] }), (error: unknown) => {
      assert.ok(error instanceof HostError)
      assert.equal(error.message, `Fastify plugin "${failing}" could not be registered: no key given`)
      return true
    })
    await testHost(t, { config: { plugins: { [failing]: false } }, only: [] })
  })
})
