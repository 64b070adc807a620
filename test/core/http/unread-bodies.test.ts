import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { testHost } from 'tasuki/testing'

/** Larger than any form that a person without a session sends. */
const BYTES = 1_000_000
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/octet-stream',
]

// A service that first stores what anybody sends runs out of memory when sixty connections send the largest body.
test('a stranger gets the answer to a long request before its body is read', async t => {
  const routes: { readonly method: string; readonly url: string }[] = [
    { method: 'POST', url: '/unknown' },
    { method: 'POST', url: '/healthz' },
    { method: 'PUT', url: '/unknown/of/the/api' },
  ]
  const collect = (message: unknown): void => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
      for (const each of [method].flat()) if (/^(?:POST|PUT|PATCH)$/.test(each)) routes.push({ method: each, url })
    })
  }
  subscribe('fastify.initialization', collect)
  t.after(() => unsubscribe('fastify.initialization', collect))
  const host = await testHost(t)
  const { port } = new URL(await host.listen())
  assert.ok(routes.length > 50, `${routes.length} routes`)

  const waiting: string[] = []
  for (const { method, url } of routes) {
    for (const type of TYPES) {
      const path = url.replaceAll(/:\w+/g, () => randomUUID())
      const status = await statusBeforeBody(Number(port), method, path, type)
      if (status === null || status < 300) waiting.push(`${method} ${url} as ${type}: ${status}`)
    }
  }
  assert.deepEqual(waiting, [])
})

test('a stranger who goes on sending after the answer may send further requests', async t => {
  const host = await testHost(t, { only: ['portal'] })
  const { port } = new URL(await host.listen())
  const head = (method: string, path: string, ...more: string[]): string =>
    [`${method} ${path} HTTP/1.1`, `host: localhost:${port}`, ...more, '', ''].join('\r\n')
  for (const [path, type] of [
    ['/oauth/register', 'application/json'],
    ['/oauth/token', 'application/x-www-form-urlencoded'],
    ['/sign-in', 'application/x-www-form-urlencoded'],
    ['/unknown', 'application/json'],
  ] as const) {
    const socket = connect(Number(port), '127.0.0.1')
    let answers = ''
    const answered = new Promise<void>((resolve, reject) => {
      socket.on('data', bytes => {
        answers += bytes.toString('latin1')
        if (answers.includes('{"status":"ok"}')) resolve()
      })
      socket.on('close', () => reject(new Error(`${path} closed the connection`)))
      setTimeout(() => reject(new Error(`${path} no longer reads`)), 10_000).unref()
    })
    socket.write(head('POST', path, `content-type: ${type}`, 'transfer-encoding: chunked'))
    for (let n = 0; n < 10; n++) socket.write(`100000\r\n${'x'.repeat(0x100000)}\r\n`)
    socket.write(`0\r\n\r\n${head('GET', '/healthz')}`)
    await answered.finally(() => socket.removeAllListeners('close').destroy())
    assert.match(answers, /^HTTP\/1\.1 4\d\d /, path)
  }
})

test('a stranger whose connection has closed is counted by address, and no failure of the service', async t => {
  const lines: string[] = []
  const logger = { level: 'error', stream: { write: (line: string) => void lines.push(line) } }
  const host = await testHost(t, { only: ['portal'], logger })
  const { port } = new URL(await host.listen())
  for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke']) {
    const socket = connect(Number(port), '127.0.0.1')
    // Node closes the connection as soon as it has read the broken length, while the hooks of the request run.
    socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost:${port}\r\ntransfer-encoding: chunked\r\n\r\nbroken\r\n`)
    await once(socket.resume(), 'close')
  }
  const { status } = await fetch(new URL('/oauth/jwks', `http://localhost:${port}`))
  assert.equal(status, 200)
  assert.deepEqual(lines, [])
})

/** Sends the head of a request only. @returns the status of the answer; null if the service waits for the body */
async function statusBeforeBody(port: number, method: string, path: string, type: string): Promise<number | null> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: ${type}\r\nContent-Length: ${BYTES}\r\n\r\n`,
  )
  const timer = setTimeout(() => socket.destroy(), 3000)
  try {
    const [data] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [Buffer | boolean]
    return Buffer.isBuffer(data) ? Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1]) : null
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}
