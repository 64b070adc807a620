import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'

const ROUTES = [
  ['GET', '/sign-in'],
  ['GET', '/'],
  ['GET', '/nowhere'],
  ['GET', '/%'],
  ['GET', '/healthz'],
  ['GET', '/metrics'],
  ['GET', '/mcp'],
  ['POST', '/mcp'],
  ['POST', '/oauth/token'],
  ['GET', '/oauth/authorize'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/.well-known/oauth-protected-resource/mcp'],
  ['OPTIONS', '/mcp'],
  ['PURGE', '/'],
] as const

/** Lists routes whose answers lack the header or have it twice; `mcp` stands for a call whose answer is a stream. */
async function without(
  host: TestHost,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const missing: string[] = []
  const note = (what: string, answer: string): void => {
    if ([...answer.matchAll(/^strict-transport-security: max-age=31536000\r$/gim)].length !== 1) missing.push(what)
  }
  for (const [method, path] of ROUTES) note(`${method} ${path}`, await answerOf(url, method, path, headers))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'projects_list' } })
  const call = {
    authorization: `Bearer ${host.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }
  note('call', await answerOf(url, 'POST', '/mcp', call, body))
  return missing
}

/** Reads head and body of an answer from the wire. */
async function answerOf(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(entry => entry.join(': '))
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

test('a service whose address is https says so in every answer', async t => {
  const host = await testHost(t, { baseUrl: 'https://tasuki.example' })
  assert.deepEqual(await without(host, await host.listen()), [])
})

test('only a trusted proxy can declare that its request used https', async t => {
  const https = { 'x-forwarded-proto': 'https' }
  const trusting = await testHost(t, { config: { trusted_proxies: ['loopback'] } })
  const url = await trusting.listen()
  assert.deepEqual(await without(trusting, url, https), [])
  const all = [...ROUTES.map(route => route.join(' ')), 'call']
  assert.deepEqual(await without(trusting, url), all)
  const host = await testHost(t)
  assert.deepEqual(await without(host, await host.listen(), https), all)
})
