import { auth } from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { createServer, request, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import https from 'node:https'
import { isIP, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, mock, test } from 'node:test'
import { definePlugin, type HostServices } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { safeFetch } from '../../../../core/http/safe-fetch.ts'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import { clientMemory } from './client-memory.ts'
import { oauthServer, pkce, type OAuthServer } from './server.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Makes every name lead to these addresses. */
function answerNames(mocked: typeof mock, addresses: readonly string[]) {
  const answer = (family: 4 | 6) => async () => {
    const own = addresses.filter(address => isIP(address) === family)
    if (own.length === 0) throw Object.assign(new Error('queryA ENODATA'), { code: 'ENODATA' })
    return own
  }
  return [
    mocked.method(Resolver.prototype, 'resolve4', answer(4)),
    mocked.method(Resolver.prototype, 'resolve6', answer(6)),
  ]
}

/** Simulates the internet: https requests to any host go to a server of the test. */
function internet() {
  const sites = new Map<string, Answer>()
  let visits = 0
  const server = createServer((asked, response) => {
    visits++
    const site = sites.get(`https://${asked.headers.host}${asked.url}`)
    if (site) site(asked, response)
    else response.writeHead(404).end()
  })
  before(async () => {
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    answerNames(mock, ['93.184.216.34'])
    mock.method(https, 'request', ({ method, host, path, headers, signal }: https.RequestOptions) =>
      request({
        method: method!,
        host: '127.0.0.1',
        port,
        path,
        headers: { ...(headers as OutgoingHttpHeaders), host: String(host) },
        ...(signal && { signal }),
      }),
    )
  })
  after(() => {
    mock.restoreAll()
    server.close()
    server.closeAllConnections()
  })
  return {
    serve: (address: string, answer: Answer | object) =>
      void sites.set(
        address,
        typeof answer === 'function'
          ? (answer as Answer)
          : (_request, response) =>
              void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      ),
    remove: (address: string) => void sites.delete(address),
    visits: () => visits,
  }
}

const DOCUMENT = 'https://claude.example/oauth/claude-code-client-metadata'
const document = (address: string, more: object = {}) => ({
  client_id: address,
  client_name: 'Claude Code',
  client_uri: 'https://claude.example',
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...more,
})

forEachEngine('clients with a metadata document', engine => {
  const scope = suiteScope()
  const web = internet()
  let server: OAuthServer
  before(async () => {
    server = await oauthServer(scope, { engine })
  })
  beforeEach(() => web.serve(DOCUMENT, document(DOCUMENT)))
  const open = (clientId: string, redirect = 'http://localhost:61234/callback') =>
    server
      .browser()
      .authorize(server.authorizeUrl(clientId, { redirect_uri: redirect, code_challenge: pkce().challenge }))

  verifies(
    ['oauth.metadata_documents', 'oauth.consent_facts', 'oauth.redirects'],
    'the official client connects without registering, and its host is verified',
    async () => {
      const memory = clientMemory({}, DOCUMENT)
      assert.equal(await auth(memory.provider, { serverUrl: server.mcp }), 'REDIRECT')
      assert.equal(memory.authorizationUrl().searchParams.get('client_id'), DOCUMENT)
      const { callback, asked } = await server.browser().authorize(memory.authorizationUrl())
      assert.equal(asked!.client.verifiedHost, 'claude.example')
      assert.equal(asked!.client.name, 'Claude Code')
      assert.equal(asked!.loopback, true)
      const done = await auth(memory.provider, {
        serverUrl: server.mcp,
        authorizationCode: callback!.searchParams.get('code')!,
        iss: callback!.searchParams.get('iss')!,
      })
      assert.equal(done, 'AUTHORIZED')
      assert.equal((await server.list(memory.tokens()!.access_token)).status, 200)
    },
  )

  verifies(
    'oauth.last_document',
    'an approved client still refreshes while its host is down, also on a new instance',
    async t => {
      const address = 'https://app.example/client.json'
      web.serve(address, document(address))
      const client = { client_id: address, redirect_uris: ['http://127.0.0.1:7/callback'] }
      const first = await server.connect({ client })
      web.remove(address)
      // A second instance simulates a new process with an empty cache.
      const { databaseOptions } = server.host
      if (databaseOptions.engine === 'pglite') return t.diagnostic('the embedded database has one instance')
      const second = await oauthServer(t, { engine, database: databaseOptions, baseUrl: server.origin })
      const before = web.visits()
      const response = await second.host.app.inject({
        method: 'POST',
        url: '/oauth/token',
        headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
        payload: String(
          new URLSearchParams({ grant_type: 'refresh_token', refresh_token: first.refresh_token, client_id: address }),
        ),
      })
      assert.equal(response.statusCode, 200, response.body)
      assert.ok(web.visits() > before, 'it has tried')
      const { error, reason } = JSON.parse((await open('https://app.example/unknown.json')).text)
      assert.deepEqual([error, reason], ['invalid_client', 'unread_app'])
    },
  )

  for (const [name, more] of Object.entries({
    'of another address': { client_id: 'https://other.example/c.json' },
    'with a shared secret': { token_endpoint_auth_method: 'client_secret_post' },
    'that holds a secret': { client_secret: 'x'.repeat(32) },
    'with a hostile redirect': { redirect_uris: ['javascript:alert(1)'] },
    'without redirects': { redirect_uris: [] },
    'whose site is a script': { client_uri: 'javascript:alert(1)' },
  })) {
    verifies('oauth.metadata_documents', `a document ${name} is refused`, async () => {
      const address = `https://bad.example/${encodeURIComponent(name)}`
      web.serve(address, document(address, more))
      assert.equal((await open(address)).status, 400)
    })
  }

  verifies(
    ['oauth.metadata_documents', 'oauth.open_redirect'],
    'a redirect that is not in the document is refused',
    async () => {
      const outcome = await open(DOCUMENT, 'https://evil.example/callback')
      assert.equal(outcome.callback, null)
      assert.equal(outcome.status, 400)
    },
  )

  for (const address of [
    'https://claude.example/',
    'https://claude.example',
    'https://claude.example:8443/c.json',
    'http://claude.example/c.json',
    'https://user@claude.example/c.json',
    'https://claude.example/c.json#x',
    'https://127.0.0.1/c.json',
    'https://localhost/c.json',
  ]) {
    verifies(
      ['oauth.metadata_documents', 'oauth.safe_fetch'],
      `${address} is not a client address and is not fetched`,
      async () => {
        web.serve(address, document(address))
        const before = web.visits()
        assert.equal((await open(address)).status, 400)
        assert.equal(web.visits(), before)
      },
    )
  }

  verifies('oauth.safe_fetch', 'redirects, endless answers and missing answers are aborted', async () => {
    const limits = { mostBytes: 64 * 1024, timeoutMs: 300 }
    const site = 'https://odd.example/c.json'
    web.serve(site, (_request, response) => void response.writeHead(302, { location: DOCUMENT }).end())
    await assert.rejects(safeFetch(site, limits), /redirects/)
    web.serve(site, (_request, response) => void response.writeHead(200).end('x'.repeat(65 * 1024)))
    await assert.rejects(safeFetch(site, limits), /more than 65536 bytes/)
    web.serve(site, () => undefined)
    await assert.rejects(safeFetch(site, limits), { name: /Abort|Timeout/ })
    web.serve(site, (_request, response) => void response.writeHead(200).write('slow'))
    await assert.rejects(safeFetch(site, limits))
    web.serve(site, (_request, response) => void response.writeHead(200).end('x'.repeat(64 * 1024)))
    assert.equal((await safeFetch(site, limits)).body.length, 64 * 1024)
  })

  test('a plugin posts to an address of a user, with its headers, and cannot reach the network of the operator', async t => {
    let services: HostServices | undefined
    const plugin = definePlugin({
      name: 'hooks',
      version: '1.0.0',
      api: 1,
      routes: (_app, given) => void (services = given),
    })
    await testHost(t, { only: [], plugins: [plugin] })
    const { fetchPublic } = services!
    web.serve('https://hook.example/in', (asked, response) => {
      const { method, headers } = asked
      void text(asked).then(body => response.writeHead(202).end(`${method} ${headers['content-type']} ${body}`))
    })
    const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' } as const
    const limits = { mostBytes: 1024, timeoutMs: 2000 }
    const { status, body } = await fetchPublic('https://hook.example/in', { ...post, ...limits })
    assert.deepEqual([status, body.toString()], [202, 'POST application/json {"a":1}'])
    await assert.rejects(fetchPublic('https://localhost/in', { ...post, ...limits }), /not a public one/)
  })
})

describe('documents by config', () => {
  test('can be turned off; then they are not offered and nothing is fetched', async t => {
    const fetched = t.mock.method(https, 'request')
    const server = await oauthServer(t, { config: { oauth: { client_metadata_documents: false } } })
    const metadata = (await (await fetch(`${server.origin}/.well-known/oauth-authorization-server`)).json()) as object
    assert.ok(!('client_id_metadata_document_supported' in metadata))
    const address = server.authorizeUrl(DOCUMENT, {
      redirect_uri: 'http://localhost/callback',
      code_challenge: pkce().challenge,
    })
    const refused = await server.browser().authorize(address)
    assert.equal(refused.status, 400)
    assert.equal(JSON.parse(refused.text).reason, 'unknown_app')
    assert.equal(fetched.mock.callCount(), 0)
  })
})

describe('fetching an address of a stranger', () => {
  const limits = { mostBytes: 1024, timeoutMs: 2000 }
  for (const address of [
    'http://example.com/x',
    'https://example.com:8443/x',
    'https://user:secret@example.com/x',
    'https://example.com/x#y',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://localhost/x',
    'https://intranet/x',
    'https://printer.local/x',
    'https://db.internal/x',
    'https://foo.localhost./x',
    'ftp://example.com/x',
    'file:///etc/passwd',
  ]) {
    verifies('oauth.safe_fetch', `${address} is not resolved`, async t => {
      const lookups = answerNames(t.mock, ['93.184.216.34'])
      await assert.rejects(safeFetch(address, limits))
      for (const lookup of lookups) assert.equal(lookup.mock.callCount(), 0)
    })
  }

  for (const answer of [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['192.168.1.1'],
    ['100.64.0.1'],
    ['0.0.0.0'],
    ['::1'],
    ['fd00::1'],
    ['fe80::1'],
    ['::ffff:10.0.0.1'],
    ['::10.0.0.1'],
    ['::7f00:1'],
    ['4000::1'],
    ['64:ff9b::a00:1'],
    ['93.184.216.34', '127.0.0.1'],
    [],
  ]) {
    verifies('oauth.safe_fetch', `a name that resolves to [${answer.join(', ')}] is not connected to`, async t => {
      answerNames(t.mock, answer)
      const reason = answer.length === 0 ? /cannot be resolved/ : /public internet/
      await assert.rejects(safeFetch('https://rebind.example/x', limits), reason)
    })
  }
})
