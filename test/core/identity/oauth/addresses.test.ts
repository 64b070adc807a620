import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { definePlugin, signIn } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { signInPlugin, WITHOUT_PORTAL } from '../../../fixtures/plugins/sign-in.ts'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import { oauthServer, type OAuthServer } from './server.ts'

const SERVER_DOCUMENTS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/mcp/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/mcp',
  '/mcp/.well-known/openid-configuration',
]
const RESOURCE_DOCUMENTS = [
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource',
  '/mcp/.well-known/oauth-protected-resource',
]
const PAGE = 'http://localhost:6274'
type Json = Record<string, unknown>

forEachEngine('addresses of the authorization server', engine => {
  const scope = suiteScope()
  let server: OAuthServer
  before(async () => {
    server = await oauthServer(scope, { engine })
  })
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${server.origin}${path}`, { headers })
  const document = async (path: string) => (await (await get(path)).json()) as Json
  /** Sends raw bytes, because `fetch` would correct them. */
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = ''
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1', () => socket.write(text))
      socket.setEncoding('utf8').on('data', chunk => {
        answer += chunk
        socket.destroy()
      })
      socket.on('close', () => resolve(answer)).on('error', reject)
    })

  for (const path of SERVER_DOCUMENTS) {
    verifies(['oauth.well_known', 'oauth.issuer'], `${path} describes the server`, async () => {
      const { origin } = server
      const response = await get(path)
      assert.match(response.headers.get('cache-control')!, /^public, max-age=300$/)
      const metadata = (await response.json()) as Json
      assert.equal(metadata['issuer'], origin)
      assert.equal(metadata['authorization_endpoint'], `${origin}/oauth/authorize`)
      assert.equal(metadata['token_endpoint'], `${origin}/oauth/token`)
      assert.equal(metadata['registration_endpoint'], `${origin}/oauth/register`)
      assert.equal(metadata['revocation_endpoint'], `${origin}/oauth/revoke`)
      assert.deepEqual(metadata['code_challenge_methods_supported'], ['S256'])
      assert.deepEqual(metadata['scopes_supported'], ['read', 'write', 'offline_access'])
      assert.ok((metadata['token_endpoint_auth_methods_supported'] as string[]).includes('none'))
      assert.equal(metadata['authorization_response_iss_parameter_supported'], true)
      assert.equal(metadata['client_id_metadata_document_supported'], true)
    })
  }

  for (const path of RESOURCE_DOCUMENTS) {
    verifies(['oauth.well_known', 'oauth.metadata', 'oauth.issuer'], `${path} describes the resource`, async () => {
      const metadata = await document(path)
      assert.equal(metadata['resource'], server.mcp)
      assert.deepEqual(metadata['authorization_servers'], [server.origin])
      // `offline_access` concerns only the client and the authorization server.
      assert.deepEqual(metadata['scopes_supported'], ['read', 'write'])
    })
  }

  verifies(['oauth.metadata', 'oauth.challenges'], 'the 401 of every method leads to the metadata', async () => {
    for (const method of ['initialize', 'tools/list', 'server/discover']) {
      const response = await fetch(server.mcp, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
      })
      assert.equal(response.status, 401)
      const challenge = response.headers.get('www-authenticate')!
      assert.match(challenge, /scope="read write"/)
      const address = /resource_metadata="([^"]+)"/.exec(challenge)![1]!
      assert.equal(((await (await fetch(address)).json()) as Json)['resource'], server.mcp)
    }
  })

  verifies(
    ['oauth.metadata', 'oauth.challenges'],
    'a client that uses another name of this machine gets the resource under that name, also in a scope challenge',
    async () => {
      const name = server.mcp.replace('localhost', '127.0.0.1')
      const reader = await server.host.reader()
      for (const [token, status] of [
        [undefined, 401],
        [reader.token, 403],
      ] as const) {
        const response = await fetch(name, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(token && { authorization: `Bearer ${token}` }),
            'mcp-protocol-version': '2025-11-25',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'items_create', arguments: { title: 'Note' } },
          }),
        })
        assert.equal(response.status, status)
        const address = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate')!)![1]!
        const metadata = (await (await fetch(address)).json()) as Json
        assert.equal(metadata['resource'], name)
        assert.deepEqual(metadata['authorization_servers'], [server.origin])
      }
    },
  )

  test('a known address with another method is 405 and says which method to send', async () => {
    for (const [method, path, allowed] of [
      ['GET', '/oauth/token', 'POST'],
      ['HEAD', '/oauth/token', 'POST'],
      ['GET', '/oauth/register', 'POST'],
      ['DELETE', '/oauth/revoke', 'POST'],
      ['POST', SERVER_DOCUMENTS[0]!, 'GET'],
      ['PUT', RESOURCE_DOCUMENTS[0]!, 'GET'],
    ] as const) {
      const answer = await fetch(`${server.origin}${path}`, { method, headers: { origin: PAGE } })
      assert.equal(answer.status, 405, `${method} ${path}`)
      assert.equal(answer.headers.get('allow'), `${allowed}, OPTIONS`)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      if (method !== 'HEAD') assert.match(await answer.text(), new RegExp(`by ${allowed}`))
    }
  })

  test('unknown addresses are 404, never an empty 200', async () => {
    for (const path of [
      '/.well-known/other',
      '/.well-known/oauth-protected-resource/other',
      '/oauth/introspect',
      '/oauth/me',
    ])
      assert.equal((await get(path)).status, 404, path)
  })

  verifies('oauth.pinned_host', 'a foreign Host is 421, and forwarding headers change nothing', async () => {
    for (const path of [...SERVER_DOCUMENTS, ...RESOURCE_DOCUMENTS, '/oauth/authorize', '/oauth/sign-in/x']) {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: evil.example\r\n\r\n`)
      assert.match(answer, /^HTTP\/1.1 421/, path)
      assert.ok(!answer.includes('evil'), path)
    }
    const forwarded = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    }
    for (const path of [...SERVER_DOCUMENTS, ...RESOURCE_DOCUMENTS]) {
      const text = await (await get(path, forwarded)).text()
      assert.ok(!text.includes('evil') && !text.includes('https://localhost'), path)
    }
    // Another name of this machine is accepted and gets the same issuer.
    const other = await fetch(`${server.origin.replace('localhost', '127.0.0.1')}${SERVER_DOCUMENTS[0]}`)
    assert.equal(((await other.json()) as Json)['issuer'], server.origin)
  })

  verifies(
    'oauth.pinned_host',
    'an absolute-form target and a second Host are refused, on the endpoint too',
    async () => {
      const { host } = new URL(server.origin)
      for (const path of [...SERVER_DOCUMENTS, ...RESOURCE_DOCUMENTS, '/mcp']) {
        const absolute = await raw(`GET http://evil.example${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        assert.match(absolute, /^HTTP\/1.1 40[04]/, path)
        assert.ok(!absolute.includes('evil'), path)
        for (const hosts of [`Host: ${host}\r\nHost: evil.example`, `Host: evil.example\r\nhost: ${host}`]) {
          const twice = await raw(`GET ${path} HTTP/1.1\r\n${hosts}\r\n\r\n`)
          assert.match(twice, /^HTTP\/1.1 400/, path)
        }
      }
    },
  )

  for (const [method, path] of [
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/oauth/jwks'],
    ['POST', '/oauth/token'],
    ['POST', '/oauth/register'],
    ['POST', '/oauth/revoke'],
  ] as const) {
    verifies('oauth.cors', `a page may ${method} ${path}, without cookies`, async () => {
      const preflight = await fetch(`${server.origin}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: PAGE,
          'access-control-request-method': method,
          'access-control-request-headers': 'content-type,mcp-protocol-version',
        },
      })
      assert.equal(preflight.status, 204)
      assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
      assert.equal(preflight.headers.get('access-control-allow-methods'), method)
      assert.match(preflight.headers.get('access-control-allow-headers')!, /mcp-protocol-version/)
      assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
      const answer = await fetch(`${server.origin}${path}`, { method, headers: { origin: PAGE } })
      assert.match(answer.headers.get('access-control-allow-origin')!, /^(?:\*|http:\/\/localhost:6274)$/)
      assert.equal(answer.headers.get('access-control-allow-credentials'), null)
      assert.match(answer.headers.get('access-control-expose-headers')!, /Retry-After/i)
    })
  }

  verifies('oauth.cors', 'a page on this computer may use the endpoint, and discover where to sign in', async () => {
    const preflight = await fetch(server.mcp, {
      method: 'OPTIONS',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
      },
    })
    assert.equal(preflight.status, 204)
    assert.match(preflight.headers.get('access-control-allow-headers')!, /authorization/)
    const answer = await fetch(server.mcp, {
      method: 'POST',
      headers: { origin: PAGE, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers.get('access-control-allow-origin'), PAGE)
    assert.match(answer.headers.get('access-control-expose-headers')!, /WWW-Authenticate/i)
  })

  verifies('oauth.cors', 'no page of another origin reads the pages for people', async () => {
    for (const path of ['/oauth/authorize?client_id=x', '/oauth/sign-in/x', '/test/sign-in'])
      assert.equal((await get(path, { origin: PAGE })).headers.get('access-control-allow-origin'), null, path)
  })

  verifies('oauth.brute_force', 'the authorization endpoint has a rate limit', async () => {
    let refused: Response | undefined
    for (let n = 0; n < 40 && !refused; n++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => get('/oauth/authorize?client_id=guess')))
      refused = answers.find(answer => answer.status === 429)
    }
    assert.ok(Number(refused?.headers.get('retry-after')) >= 1)
  })
})

describe('behind a proxy that ends TLS', () => {
  verifies(['oauth.issuer', 'oauth.pinned_host'], 'addresses use https and cookies are limited to it', async t => {
    const server = await oauthServer(t, { baseUrl: 'https://tasks.example' })
    const ask = (url: string, options: object = {}) =>
      server.host.app.inject({
        url,
        ...options,
        headers: { host: 'tasks.example', 'content-type': 'application/json' },
      })
    const metadata = (await ask(SERVER_DOCUMENTS[0]!)).json<Json>()
    assert.equal(metadata['issuer'], 'https://tasks.example')
    assert.equal(metadata['token_endpoint'], 'https://tasks.example/oauth/token')
    const resource = (await ask(RESOURCE_DOCUMENTS[0]!)).json<Json>()
    assert.equal(resource['resource'], 'https://tasks.example/mcp')
    // The same for callers on this machine, who bypass the proxy.
    const inside = await server.host.app.inject({ url: RESOURCE_DOCUMENTS[0]!, headers: { host: 'localhost:3000' } })
    assert.equal(inside.json<Json>()['resource'], 'https://tasks.example/mcp')

    const redirect = 'https://app.example/cb'
    const payload = JSON.stringify({ redirect_uris: [redirect], token_endpoint_auth_method: 'none' })
    const client = (await ask('/oauth/register', { method: 'POST', payload })).json<{ client_id: string }>()
    const address = server.authorizeUrl(client.client_id, { redirect_uri: redirect, code_challenge: 'x'.repeat(43) })
    const begun = await ask(address.replace('https://tasks.example', ''))
    assert.equal(begun.statusCode, 303)
    assert.match(begun.headers.location!, /^\/oauth\/sign-in\//)
    const cookies = [begun.headers['set-cookie']].flat().map(String)
    assert.ok(cookies.length >= 2)
    for (const cookie of cookies) assert.match(cookie, /^__(?:Secure|Host)-oauth_\w+(?:\.sig)?=.*; secure; httponly/i)
  })
})

describe('without sign-in pages', () => {
  verifies('oauth.without_pages', 'there is no authorization server, and personal access tokens work', async t => {
    const host = await testHost(t, { config: WITHOUT_PORTAL })
    for (const url of [...SERVER_DOCUMENTS, ...RESOURCE_DOCUMENTS, '/oauth/authorize', '/oauth/jwks']) {
      assert.equal((await host.app.inject({ url, headers: { host: 'localhost' } })).statusCode, 404, url)
    }
    assert.equal((await host.app.inject({ method: 'POST', url: '/oauth/token' })).statusCode, 404)
    assert.ok((await host.listTools()).length > 0)
  })

  test('two plugins with sign-in pages cannot start', async t => {
    const pages = {
      session: async () => null,
      signInPath: () => '/',
      consentPath: (id: string) => `/${id}`,
      problemPage: async () => '',
    }
    const other = definePlugin({
      name: 'other_pages',
      version: '1.0.0',
      api: 1,
      group: 'other_pages',
      contributes: [signIn(pages)],
    })
    await assert.rejects(testHost(t, { plugins: [signInPlugin(), other] }), /two plugins have sign-in pages/)
  })

  test('a start with sign-in pages does not wait for the library behind them', async t => {
    const server = await oauthServer(t)
    const rows = () => server.host.sql`select 1 from core.oauth_artifacts where kind = 'Keys'`
    assert.deepEqual(await rows(), [], 'nothing is loaded before somebody asks')
    await fetch(`${server.origin}/oauth/jwks`)
    assert.equal((await rows()).length, 1)
  })
})
