import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { plugin as slow } from '../../fixtures/plugins/slow.ts'
import { sharedHost } from '../../shared-host.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: { readonly error?: { readonly code?: unknown; readonly message?: string }; readonly result?: object }
}

function sender(host: Pick<TestHost, 'app' | 'token'>) {
  return async (payload: string | Buffer, headers: object = {}, url = '/mcp'): Promise<Answer> => {
    const response = await host.app.inject({
      method: 'POST',
      url,
      headers: {
        host: 'localhost',
        authorization: `Bearer ${host.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        ...headers,
      },
      payload,
    })
    return { status: response.statusCode, headers: response.headers, body: JSON.parse(response.body) as Answer['body'] }
  }
}

const call = (title: string, more = ''): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"items_create","arguments":{"project_key":"INBOX","title":${JSON.stringify(title)}${more}}}}`

test('unread bodies are refused, in the error format of their endpoint', async t => {
  const host = await testHost(t, { only: ['items', 'conversations'] })
  const send = sender(host)
  await host.call('items_create', { project_key: 'INBOX', title: 'Warm' })

  const latin1 = Buffer.from(call('Caf\u00e9'), 'latin1')
  const wrong = await send(latin1)
  assert.deepEqual([wrong.status, wrong.body.error?.code], [400, -32700])
  assert.match(wrong.body.error!.message!, /UTF-8/)
  assert.equal((await send(call('Caf\u00e9'))).status, 200)
  const titles = await host.sql<{ title: string }>`select title from items.items order by number`
  assert.deepEqual(
    titles.map(({ title }) => title),
    ['Warm', 'Caf\u00e9'],
  )

  for (const headers of [
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'br' },
    { 'content-type': 'application/json; charset=utf-16' },
    { 'content-type': 'application/json;charset="iso-8859-1"' },
  ]) {
    const origin = 'http://localhost:5173'
    const refused = await send(call('No'), { ...headers, origin })
    assert.deepEqual([refused.status, refused.body.error?.code], [415, 415], JSON.stringify(headers))
    const api = await send('{}', { ...headers, origin }, '/api/threads')
    assert.deepEqual([api.status, api.body.error?.code], [415, 'unsupported_media_type'])
    // Otherwise a page would see a network error.
    for (const answer of [refused, api]) assert.equal(answer.headers['access-control-allow-origin'], origin)
  }
  for (const headers of [
    { 'content-encoding': 'identity' },
    { 'content-type': 'application/json; charset=UTF-8' },
    { 'content-type': 'application/json; charset="utf8"' },
  ])
    assert.equal((await send(call('Yes'), headers)).status, 200, JSON.stringify(headers))
})

test('a body that is too large does not close the connection, on which a proxy still sends it', async t => {
  const { app, token } = await testHost(t, { only: ['conversations', 'portal'] })
  const json = { host: 'localhost', 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const form = { ...json, 'content-type': 'application/x-www-form-urlencoded' }
  for (const [url, headers] of [
    ['/mcp', json],
    ['/api/threads', json],
    ['/sign-in', form],
  ] as const) {
    const answer = await app.inject({ method: 'POST', url, headers, payload: 'x'.repeat(21_000_000) })
    assert.deepEqual([answer.statusCode, answer.headers['connection']], [413, undefined], url)
  }
})

test('a content type without a body changes no answer', async t => {
  const { app, token } = await testHost(t, { only: ['conversations', 'portal'] })
  for (const url of ['/healthz', '/sign-in', '/mcp', '/api/threads/x', '/oauth/token', '/nowhere'])
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST', 'PUT'] as const) {
      const ask = async (type?: string) => {
        const headers = {
          host: 'localhost',
          authorization: `Bearer ${token}`,
          ...(type !== undefined && { 'content-type': type }),
        }
        const { statusCode, headers: answered } = await app.inject({ method, url, headers })
        return [statusCode, answered['content-type']]
      }
      const without = await ask()
      for (const type of ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'garbage'])
        assert.deepEqual(await ask(type), without, `${method} ${url} with ${type}`)
    }
})

test('deep and wide bodies are refused fast, and long texts are not', async t => {
  const host = await testHost(t, { only: ['items'] })
  const send = sender(host)
  const around = (value: string): string => call('x', `,"labels":${value}`)
  const deep = around('['.repeat(4_000_000) + ']'.repeat(4_000_000))
  const wideList = around(`[${'0,'.repeat(4_000_000)}0]`)
  const wideObject = around(`{${Array.from({ length: 600_000 }, (_, n) => `"k${n}":0`).join(',')}}`)
  const quotes = around(`"${'\\"'.repeat(4_000_000)}"`)
  const lists = around(`[${'{"a":'.repeat(500)}0${'}'.repeat(500)}]`)
  for (const [name, body] of Object.entries({ deep, wideList, wideObject, quotes, lists })) {
    // Repeated until it is fast, because other load makes single runs slow.
    let fastest = Infinity
    for (let n = 0; n < 30 && fastest >= 100; n++) {
      const since = performance.now()
      const { status, body: answer } = await send(body)
      fastest = Math.min(fastest, performance.now() - since)
      assert.ok(status === 400 || 'isError' in answer.result!, `${name} ${status}`)
    }
    t.diagnostic(`${name}: ${body.length} bytes in ${Math.round(fastest)} ms`)
    assert.ok(fastest < 100, `${name}: ${fastest} ms`)
  }
  const brackets = 'a "[{,' + '[[{{,,'.repeat(30_000)
  assert.equal((await send(call('Long', `,"detail":${JSON.stringify(brackets.slice(0, 20_000))}`))).status, 200)
})

test('a closing instance refuses in the error format of the endpoint', async t => {
  const host = await testHost(t, { only: ['projects'], plugins: [slow] })
  const { port } = new URL(await host.listen())
  const post = (body: string): string =>
    `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${host.token}\r\nContent-Type: application/json\r\n` +
    `Origin: http://localhost:5173\r\n` +
    `Accept: application/json\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const socket = connect(Number(port), 'localhost')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  const ended = once(socket, 'close')
  // Both requests are on the connection before the first is answered.
  socket.write(
    post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow_wait","arguments":{"ms":1500}}}'),
  )
  await sleep(200)
  const closed = host.close()
  // Requests that arrive at once are still served, until none has come for a quarter of a second.
  await sleep(700)
  socket.write(post('{"jsonrpc":"2.0","id":2,"method":"ping"}'))
  await closed
  await ended
  const [, first, second] = text.split('HTTP/1.1 ')
  assert.match(first!, /^200 /)
  assert.match(second ?? 'nothing', /^503 /)
  assert.match(second!, /"jsonrpc":"2.0"/)
  assert.match(second!, /retry-after: 2/i)
  // Otherwise a page would see a network error, not when to try again.
  assert.match(second!, /access-control-allow-origin: http:\/\/localhost:5173/i)
})

test('a body that was read and refused does not close the connection, and the refusal names what it may hold', async t => {
  const { app, token } = await testHost(t, { only: ['conversations'] })
  const headers = { host: 'localhost', 'content-type': 'application/json', authorization: `Bearer ${token}` }
  for (const url of ['/mcp', '/api/threads'])
    for (const payload of ['{"jsonrpc":', Buffer.from([0xff]), '{"constructor":{"prototype":{}}}']) {
      const answer = await app.inject({ method: 'POST', url, headers, payload })
      const { error } = answer.json() as Answer['body'] & { error: { field?: string } }
      assert.deepEqual([answer.statusCode, answer.headers['connection']], [400, undefined], `${url} ${String(payload)}`)
      assert.equal(error.field, url === '/mcp' ? undefined : 'body')
      if (payload.includes('prototype')) assert.match(answer.body, /__proto__ or constructor\.prototype/)
    }
})

forEachEngine('errors of calls', engine => {
  const shared = sharedHost(engine)

  test('stay below the limit, whatever the caller sent', async () => {
    const user = await shared.newUser()
    const long = 'A\u3042'.repeat(300_000)
    for (const [name, args] of [
      ['items_create', { project_key: long, title: 'x' }],
      ['items_create', { project_key: 'INBOX', title: long }],
      ['items_create', { project_key: 'INBOX', title: 'x', [long]: 1 }],
      ['items_get', { item_ref: long }],
      ['tasks_list', { query: long }],
      ['tasks_list', { query: `is:${long}` }],
      ['tasks_list', { [long]: long }],
      ['items_grep', { pattern: 'x', cursor: long }],
      [long, {}],
    ] as const) {
      const { body } = await user.rpc('tools/call', { name, arguments: args })
      assert.ok(JSON.stringify(body).length < 10_000, `${name.slice(0, 20)}: ${JSON.stringify(body).length}`)
    }
    for (const [method, params] of [
      ['prompts/get', { name: long }],
      ['resources/read', { uri: `tasuki://item/${long}` }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: long }, argument: { name: long, value: long } }],
      [long, {}],
    ] as const) {
      const { body } = await user.rpc(method, params)
      assert.ok(JSON.stringify(body).length < 10_000, `${method.slice(0, 20)}: ${JSON.stringify(body).length}`)
    }
  })
})
