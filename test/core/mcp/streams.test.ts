import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { plugin } from '../../fixtures/plugins/conformance.ts'
import { listen, post, until } from './events.ts'
import { errorOf, legacyHeaders, modernHeaders, modernMeta, resultOf, rpc, send, startDemo, type Demo } from './stub.ts'

let demo: Demo
let url: string
before(async () => {
  demo = await startDemo({ plugins: [plugin.spec], listChanged: true })
  void plugin.spec.routes?.(demo.app, {} as never)
  url = await listen(demo.app)
})
after(() => demo.app.close())
beforeEach(() => {
  demo.world.ran.length = 0
})

const modernCall = (name: string, meta: Readonly<Record<string, unknown>> = {}, id = 1) =>
  post(
    url,
    rpc('tools/call', { name, arguments: {}, _meta: modernMeta({}, meta) }, id),
    modernHeaders('tools/call', name),
  )
const legacyCall = (
  name: string,
  meta: Readonly<Record<string, unknown>> = {},
  id = 1,
  more: Record<string, string> = {},
) => post(url, rpc('tools/call', { name, arguments: {}, _meta: meta }, id), { ...legacyHeaders('2025-11-25'), ...more })
const notify = (
  method: string,
  params: object,
  headers: Readonly<Record<string, string>> = legacyHeaders('2025-11-25'),
) => send(demo.app, { body: JSON.stringify({ jsonrpc: '2.0', method, params }), headers })

describe('progress and log lines', () => {
  for (const [era, call] of [
    ['2026-07-28', modernCall],
    ['2025-11-25', legacyCall],
  ] as const) {
    test(`progress precedes the answer on its stream in ${era}`, async () => {
      const stream = await call('test_tool_with_progress', { progressToken: 'p1' })
      assert.equal(stream.contentType, 'text/event-stream')
      assert.equal(stream.headers['x-accel-buffering'], 'no')
      const messages = await stream.rest()
      assert.deepEqual(
        messages.map(({ method, params, id }) => [
          method ?? 'answer',
          params?.['progressToken'] ?? id,
          params?.['progress'],
        ]),
        [
          ['notifications/progress', 'p1', 0],
          ['notifications/progress', 'p1', 50],
          ['notifications/progress', 'p1', 100],
          ['answer', 1, undefined],
        ],
      )
    })
  }

  test('without a progress token the answer is plain JSON', async () => {
    const { contentType } = await modernCall('test_tool_with_progress')
    assert.match(contentType, /^application\/json/)
  })

  test('a client that accepts no event stream gets plain JSON', async () => {
    const { contentType } = await legacyCall('test_tool_with_progress', { progressToken: 1 }, 1, {
      accept: 'application/json',
    })
    assert.match(contentType, /^application\/json/)
  })

  test('a client that accepts only an event stream gets its answer as an event', async () => {
    const stream = await legacyCall('test_simple_text', {}, 1, { accept: 'text/event-stream' })
    assert.deepEqual(
      (await stream.rest()).map(({ id }) => id),
      [1],
    )
  })

  test('a modern request gets log messages of the level it names, and none without a level', async () => {
    const logLevel = (level: string) => ({ 'io.modelcontextprotocol/logLevel': level })
    const count = async (meta: Readonly<Record<string, unknown>>) => {
      const stream = await modernCall('test_logging_tool', meta)
      const isStream = stream.contentType === 'text/event-stream'
      return isStream ? (await stream.rest()).filter(({ method }) => method === 'notifications/message').length : 0
    }
    assert.equal(await count({}), 0)
    assert.equal(await count(logLevel('debug')), 1)
    assert.equal(await count(logLevel('error')), 0)
  })

  test('a legacy client sets its level once', async () => {
    const isStream = async () => (await legacyCall('test_logging_tool')).contentType === 'text/event-stream'
    assert.equal(await isStream(), true)
    await send(demo.app, { body: rpc('logging/setLevel', { level: 'error' }), headers: legacyHeaders('2025-11-25') })
    assert.equal(await isStream(), false)
  })
})

describe('cancellation', () => {
  test('a modern client cancels by closing the connection', async () => {
    const stream = await modernCall('slow_get', { progressToken: 1 })
    assert.equal((await stream.next())?.method, 'notifications/progress')
    stream.drop()
    await until('the handler hears of it', () => demo.world.ran.length > 0)
    assert.deepEqual(demo.world.ran, ['slow_get aborted: The client closed the connection'])
  })

  test('a legacy client cancels by a notification, after which no answer comes', async () => {
    const stream = await legacyCall('slow_get', { progressToken: 1 }, 71)
    await stream.next()
    await notify(
      'notifications/cancelled',
      { requestId: 71, reason: 'changed my mind' },
      { ...legacyHeaders('2025-11-25') },
    )
    assert.deepEqual(await stream.rest(), [])
    assert.deepEqual(demo.world.ran, ['slow_get aborted: The client cancelled the request: changed my mind'])
  })

  for (const [what, requestId, headers] of [
    ['another id', 99, {}],
    ['the id as a string', '72', {}],
    ['another credential', 72, { authorization: 'Bearer other' }],
    ['another client', 72, { 'user-agent': 'someone else' }],
  ] as const) {
    test(`a cancellation with ${what} cancels nothing`, async () => {
      const stream = await legacyCall('slow_get', { progressToken: 1 }, 72)
      await stream.next()
      await notify('notifications/cancelled', { requestId }, { ...legacyHeaders('2025-11-25'), ...headers })
      assert.deepEqual(demo.world.ran, [])
      await notify('notifications/cancelled', { requestId: 72 }, { ...legacyHeaders('2025-11-25') })
      await stream.rest()
    })
  }

  test('a legacy client that disconnects cancels nothing', async () => {
    const stream = await legacyCall('slow_get', { progressToken: 1 }, 73)
    await stream.next()
    stream.drop()
    await new Promise(resolve => setTimeout(resolve, 100))
    assert.deepEqual(demo.world.ran, [])
    await notify('notifications/cancelled', { requestId: 73 }, { ...legacyHeaders('2025-11-25') })
    await until('it is cancelled in the end', () => demo.world.ran.length > 0)
  })
})

describe('subscriptions', () => {
  const subscribe = (notifications: object, id: number | string = 's1') =>
    post(
      url,
      rpc('subscriptions/listen', { notifications, _meta: modernMeta() }, id),
      modernHeaders('subscriptions/listen'),
    )

  test('are acknowledged first, then receive exactly what was requested', async () => {
    const stream = await subscribe({ toolsListChanged: true, resourceSubscriptions: ['demo://about'] })
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 's1' }
    assert.deepEqual((await stream.next())!.params, {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['demo://about'] },
      _meta,
    })
    demo.app.mcpPublisher.promptsChanged()
    demo.app.mcpPublisher.resourceUpdated('demo://other')
    demo.app.mcpPublisher.resourceUpdated('demo://about')
    await modernCall('test_trigger_tool_change')
    const updated = await stream.next()
    assert.deepEqual(
      [updated!.method, updated!.params],
      ['notifications/resources/updated', { uri: 'demo://about', _meta }],
    )
    assert.equal((await stream.next())!.method, 'notifications/tools/list_changed')
    stream.drop()
  })

  test('keep a bounded number of bytes of addresses', async () => {
    const uris = Array.from({ length: 130 }, (_, n) => `demo://${n}/${'x'.repeat(1024)}`)
    const ask = (resourceSubscriptions: readonly string[]) =>
      send(demo.app, {
        body: rpc('subscriptions/listen', { notifications: { resourceSubscriptions }, _meta: modernMeta() }),
        headers: modernHeaders('subscriptions/listen'),
      })
    const { code, message } = errorOf(await ask(uris))
    assert.deepEqual([code, message], [-32602, 'Invalid params: resourceSubscriptions must be at most 131072 bytes'])
  })

  test('are limited per user, whatever the number of credentials', async t => {
    const host = await testHost(t, { only: ['projects'] })
    const address = new URL(await host.listen())
    const open = async (token: string): Promise<{ readonly isOpen: boolean; readonly stop: () => void }> => {
      const abort = new AbortController()
      const response = await fetch(address, {
        method: 'POST',
        signal: abort.signal,
        headers: {
          ...modernHeaders('subscriptions/listen'),
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: rpc('subscriptions/listen', { notifications: {}, _meta: modernMeta() }, 's'),
      })
      return { isOpen: response.headers.get('content-type') === 'text/event-stream', stop: () => abort.abort() }
    }
    const streams = []
    for (let n = 0; n < 5; n++) {
      const { token } = await host.credential({})
      for (let m = 0; m < 15; m++) streams.push(await open(token))
    }
    const opened = streams.filter(({ isOpen }) => isOpen).length
    const other = await open((await host.user('other@example.com')).token)
    for (const { stop } of [...streams, other]) stop()
    assert.deepEqual([opened, other.isOpen], [64, true])
  })

  test('are limited per credential, and closing one makes room for another', async () => {
    const open = await Promise.all(Array.from({ length: 16 }, (_, id) => subscribe({}, id)))
    await Promise.all(open.map(stream => stream.next()))
    const refused = () =>
      send(demo.app, {
        body: rpc('subscriptions/listen', { _meta: modernMeta() }),
        headers: modernHeaders('subscriptions/listen'),
      })
    assert.equal(errorOf(await refused()).code, -32603)
    for (const stream of open) stream.drop()
    await new Promise(resolve => setTimeout(resolve, 50))
    const stream = await subscribe({}, 'again')
    assert.ok(await stream.next())
    stream.drop()
  })

  test('end with a result when the server stops', async () => {
    const other = await startDemo()
    const address = await listen(other.app)
    const stream = await post(
      address,
      rpc('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: modernMeta() }),
      modernHeaders('subscriptions/listen'),
    )
    // A server whose lists never change promises no notifications.
    assert.deepEqual((await stream.next())!.params!['notifications'], {})
    const [messages] = await Promise.all([stream.rest(), other.app.close()])
    assert.equal(messages[0]!.result!['resultType'], 'complete')
  })

  test('need a client that accepts an event stream', async () => {
    const headers = { ...modernHeaders('subscriptions/listen'), accept: 'application/json' }
    assert.equal(
      (await send(demo.app, { body: rpc('subscriptions/listen', { _meta: modernMeta() }), headers })).statusCode,
      406,
    )
  })

  test('changes are offered to modern clients only', async () => {
    const modern = resultOf(
      await send(demo.app, {
        body: rpc('server/discover', { _meta: modernMeta() }),
        headers: modernHeaders('server/discover'),
      }),
    )
    assert.deepEqual((modern['capabilities'] as { tools: object }).tools, { listChanged: true })
    const legacy = resultOf(await send(demo.app, { body: rpc('initialize', { protocolVersion: '2025-11-25' }) }))
    assert.deepEqual((legacy['capabilities'] as { tools: object }).tools, {})
  })
})
