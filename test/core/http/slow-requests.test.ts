import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { before, describe, test } from 'node:test'
import { definePlugin, defineTool, Type } from 'tasuki/plugin'
import { testHost, type TestHost } from 'tasuki/testing'
import { suiteScope } from '../suite-scope.ts'

const TIMEOUT_MS = 1000
/** Longer than the timeout plus the interval in which Node checks connections. */
const LONG_MS = 2 * TIMEOUT_MS + 500

const patience = definePlugin({
  name: 'patience',
  version: '1.0.0',
  api: 1,
  group: 'patience',
  tools: [
    defineTool({
      name: 'patience_wait',
      class: 'R',
      title: 'Wait',
      summary: 'Answers late.',
      input: Type.Object({}, { additionalProperties: false }),
      output: Type.Object({ waited: Type.Boolean() }),
      run: async () => {
        await sleep(LONG_MS)
        return { waited: true }
      },
    }),
  ],
})

interface TalkResult {
  readonly answer: string
  /** Milliseconds until the server closed the connection. */
  readonly closedAfter: number
  /** Whether the client still had data to send. */
  readonly interrupted: boolean
}

test('the service starts with a longer limit than the one of Node for a whole request', async t => {
  const host = await testHost(t, { only: [], config: { request_timeout_ms: 3_600_000 } })
  assert.equal((await fetch(new URL('/healthz', await host.listen()))).status, 200)
})

describe('a slow client', () => {
  const scope = suiteScope()
  let host: TestHost
  let port: number

  before(async () => {
    host = await testHost(scope, {
      plugins: [patience],
      config: { request_timeout_ms: TIMEOUT_MS, max_connections: 50 },
    })
    port = Number(new URL(await host.listen()).port)
  })

  /**
   * Sends one part after the other, and collects the answer until the server closes the connection, without a time limit.
   * The tests assert the order of events, because a busy machine delays both sides.
   */
  const talk = (parts: readonly string[], everyMs: number): Promise<TalkResult> =>
    new Promise(done => {
      const began = performance.now()
      const socket = connect(port, '127.0.0.1')
      let answer = ''
      let n = 0
      const send = (): void => {
        if (n < parts.length && socket.writable) socket.write(parts[n++]!)
      }
      const timer = setInterval(send, everyMs)
      socket.on('connect', send)
      socket.on('data', bytes => (answer += bytes.toString()))
      // The server may also close with a reset.
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearInterval(timer)
        done({ answer, closedAfter: performance.now() - began, interrupted: n < parts.length })
      })
    })
  const head = (method: string, path: string, ...more: string[]): string =>
    [`${method} ${path} HTTP/1.1`, `host: localhost:${port}`, ...more, '', ''].join('\r\n')
  /** Takes many times the timeout, at ten parts per second. */
  const drops = Array.from({ length: 300 }, () => 'x')
  const inTime = ({ closedAfter, interrupted }: TalkResult): boolean => interrupted && closedAfter >= TIMEOUT_MS * 0.9

  test('is disconnected if its body arrives too slowly, on every route that reads bodies without a credential', async () => {
    const json = 'content-type: application/json'
    const form = 'content-type: application/x-www-form-urlencoded'
    const hook = `/hooks/github/${crypto.randomUUID()}`
    const slow: readonly (readonly [string, string])[] = [
      ['/mcp', json],
      ['/oauth/register', json],
      ['/oauth/token', form],
      ['/oauth/revoke', form],
      ['/sign-in', form],
      ['/setup', form],
      [hook, json],
      ['/nowhere', json],
    ]
    await Promise.all(
      slow.flatMap(([path, type]) =>
        [`content-length: ${drops.length}`, 'transfer-encoding: chunked'].map(async framing => {
          const chunked = framing.startsWith('transfer')
          const parts = [head('POST', path, type, framing), ...drops.map(x => (chunked ? `1\r\n${x}\r\n` : x))]
          const exchange = await talk(parts, 100)
          assert.ok(inTime(exchange), `POST ${path} with ${framing}: ${JSON.stringify(exchange)}`)
          assert.match(exchange.answer, /^HTTP\/1\.1 4\d\d /, path)
        }),
      ),
    )
  })

  test('gets an answer that it was too slow', async () => {
    const { answer } = await talk(
      [head('POST', '/setup', 'content-type: application/x-www-form-urlencoded', 'content-length: 9')],
      100,
    )
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
  })

  test('is disconnected if its headers arrive too slowly or not at all', async () => {
    const [dripping, silent] = await Promise.all([
      talk(['GET /healthz HTTP/1.1\r\n', ...drops.map(x => `x-${x}: 1\r\n`)], 100),
      talk([], 100),
    ])
    assert.ok(inTime(dripping), JSON.stringify(dripping))
    assert.ok(silent.closedAfter >= TIMEOUT_MS * 0.9, JSON.stringify(silent))
  })

  test('may wait long for the answer to a complete request', async () => {
    const message = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'patience_wait', arguments: {} },
    })
    const headers = [
      `authorization: Bearer ${host.token}`,
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      'mcp-protocol-version: 2025-11-25',
      `content-length: ${message.length}`,
      'connection: close',
    ]
    const { answer } = await talk([head('POST', '/mcp', ...headers) + message], 100)
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.match(answer, /"waited":true/)
  })

  test('may upload a file for minutes', async () => {
    const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'With a file' })
    const { upload_url, attachment } = await host.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: item.ref,
      filename: 'a.txt',
      mime_type: 'text/plain',
    })
    const bytes = Array.from({ length: 20 }, () => 'abcd')
    const { pathname, search } = new URL(upload_url)
    const request = head(
      'PUT',
      pathname + search,
      'content-type: text/plain',
      'content-length: 80',
      'connection: close',
    )
    const { answer } = await talk([request, ...bytes], Math.ceil(LONG_MS / 20))
    assert.match(answer, /^HTTP\/1\.1 201 /)
    const stored = await host.call('attachments_get', { attachment_id: attachment.id })
    assert.equal(stored.attachment.size, 80)
  })

  test('is disconnected if it goes on to send a file that was refused', async () => {
    const put = head('PUT', '/attachments/upload/a/b', 'content-type: text/plain', `content-length: ${drops.length}`)
    const exchange = await talk([put, ...drops], 100)
    assert.ok(inTime(exchange), JSON.stringify(exchange))
    assert.match(exchange.answer, /^HTTP\/1\.1 403 /)
  })

  test('is disconnected if too many others are connected', async () => {
    const crowd = await Promise.all(Array.from({ length: 60 }, () => talk([], 100)))
    // Requests that were admitted get an answer that they were too slow.
    const refused = crowd.filter(({ answer }) => answer === '')
    assert.ok(refused.length >= 10 && refused.length < 60, `${refused.length} of 60`)
  })
})
