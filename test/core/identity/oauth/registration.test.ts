import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deleteStaleArtifacts } from '../../../../core/identity/oauth/connections.ts'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import { LOOPBACK_CLIENT, oauthServer, pkce, type OAuthServer } from './server.ts'

const CODE = ['authorization_code', 'refresh_token']

/** Registration requests of real clients. */
const CLIENTS: Readonly<Record<string, object>> = {
  'Claude Code': {
    client_name: 'Claude Code (tasuki)',
    redirect_uris: ['http://localhost:53999/callback'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  Claude: {
    client_name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
    scope: 'read write',
  },
  ChatGPT: {
    client_name: 'ChatGPT',
    redirect_uris: ['https://chatgpt.com/connector/oauth/OUbdUMlL15Ct'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  'VS Code': {
    client_name: 'Visual Studio Code',
    client_uri: 'https://code.visualstudio.com',
    redirect_uris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    grant_types: [...CODE, 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  Cursor: {
    client_name: 'Cursor',
    redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost:8787/callback'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  'Cursor, as a web app': {
    client_name: 'Cursor',
    application_type: 'web',
    redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    token_endpoint_auth_method: 'none',
  },
  'Warp, and a program with a scheme of its domain': {
    client_name: 'Warp',
    redirect_uris: ['warp://mcp/oauth2callback', 'com.example.app:/callback'],
    token_endpoint_auth_method: 'none',
  },
  'an extension of VS Code': {
    client_name: 'Cline',
    redirect_uris: ['vscode://saoudrizwan.claude-dev/mcp-auth/callback/0a1b'],
    token_endpoint_auth_method: 'none',
  },
  Codex: {
    client_name: 'Codex',
    redirect_uris: ['http://127.0.0.1:40123/callback/Ab3'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'read write offline_access',
  },
  'Gemini CLI': {
    client_name: 'Gemini CLI MCP Client',
    redirect_uris: ['http://localhost:7777/oauth/callback'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: '',
  },
  'mcp-remote': {
    client_name: 'MCP CLI Proxy',
    client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
    software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
    software_version: '0.1.29',
    redirect_uris: ['http://localhost:3334/oauth/callback'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  Inspector: {
    client_name: 'MCP Inspector',
    client_uri: 'https://github.com/modelcontextprotocol/inspector',
    redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
    grant_types: CODE,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'read',
  },
  'the least': { redirect_uris: ['http://localhost:1/callback'] },
  'scopes of another server': { redirect_uris: ['http://localhost:1/cb'], scope: 'openid profile email mcp:all' },
  'members nobody knows': { redirect_uris: ['http://localhost:1/cb'], foo: { a: 1 }, contacts: ['a@b.example'] },
  'basic authentication': {
    redirect_uris: ['https://app.example/cb'],
    token_endpoint_auth_method: 'client_secret_basic',
  },
}

const REFUSED: Readonly<Record<string, object>> = {
  'plain http to another machine': { redirect_uris: ['http://evil.example/cb'] },
  'a name that begins like a loopback': { redirect_uris: ['http://127.0.0.1.evil.example/cb'] },
  'a script': { redirect_uris: ['javascript:alert(1)'] },
  'a script behind white space': { redirect_uris: [' javascript:alert(1)'] },
  'a data address': { redirect_uris: ['data:text/html,x'] },
  'a file': { redirect_uris: ['file:///etc/passwd'] },
  'a scheme that nobody owns': { redirect_uris: ['myapp:/cb'] },
  'a scheme that the system acts on': { redirect_uris: ['ms-msdt:/id'] },
  'an intent': { redirect_uris: ['intent://scan/#Intent;scheme=zxing;end'] },
  'a script in capitals': { redirect_uris: ['JaVaScRiPt:alert(1)'] },
  'a script with a line break': { redirect_uris: ['java\nscript:alert(1)'] },
  'no address': { redirect_uris: ['callback'] },
  'a blob': { redirect_uris: ['blob:https://evil.example/1'] },
  'a fragment': { redirect_uris: ['https://app.example/cb#x'] },
  'one good and one bad redirect': { redirect_uris: ['https://app.example/cb', 'http://evil.example/cb'] },
  'no redirect': { client_name: 'x' },
  'an empty list': { redirect_uris: [] },
  'a number for a redirect': { redirect_uris: [1] },
  'text for the list': { redirect_uris: 'https://app.example/cb' },
  'too many redirects': { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://app.example/${n}`) },
  'a redirect without end': { redirect_uris: [`https://app.example/${'x'.repeat(3000)}`] },
  'an object for a name': { ...LOOPBACK_CLIENT, client_name: { a: 1 } },
  'a script for a site': { ...LOOPBACK_CLIENT, client_uri: 'javascript:alert(1)' },
  'a program with the character U+0000': { ...LOOPBACK_CLIENT, software_id: 'a\0' },
  'a version with half a character': { ...LOOPBACK_CLIENT, software_version: '\ud800' },
  'an object for a program': { ...LOOPBACK_CLIENT, software_id: { a: 'x'.repeat(30_000) } },
  'a site with the character U+0000': { ...LOOPBACK_CLIENT, client_uri: 'https://app.example/\0' },
  'a redirect with the character U+0000': { redirect_uris: ['http://127.0.0.1/\0'] },
  'a redirect with half a character': { redirect_uris: ['http://127.0.0.1/\ud800'] },
  'keys instead of a secret': { ...LOOPBACK_CLIENT, token_endpoint_auth_method: 'private_key_jwt' },
}

forEachEngine('registration', engine => {
  const scope = suiteScope()
  let server: OAuthServer
  before(async () => {
    server = await oauthServer(scope, { engine })
  })

  for (const [name, metadata] of Object.entries(CLIENTS)) {
    verifies(
      ['oauth.real_registrations', 'oauth.scopes_tolerant'],
      `${name} registers, is approved, lists tools and refreshes`,
      async () => {
        const { status, body: client } = await server.register(metadata)
        assert.equal(status, 201)
        const code = await server.code({ client, query: { resource: server.mcp, scope: 'read write' } })
        const basic = client['token_endpoint_auth_method'] === 'client_secret_basic'
        const credentials = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')
        const response = basic
          ? await server.token(
              {
                grant_type: 'authorization_code',
                code: code.code,
                redirect_uri: code.redirectUri,
                code_verifier: code.verifier,
              },
              { authorization: `Basic ${credentials}` },
            )
          : await server.redeem(code)
        const tokens = (await response.json()) as { access_token: string; refresh_token: string; scope: string }
        assert.equal(response.status, 200, JSON.stringify(tokens))
        assert.equal(tokens.scope, 'read write')
        assert.equal((await server.list(tokens.access_token)).status, 200)
        const secret = client.client_secret === undefined ? {} : { client_secret: client.client_secret }
        const again = await server.token({
          grant_type: 'refresh_token',
          refresh_token: tokens.refresh_token,
          client_id: client.client_id,
          ...secret,
        })
        assert.equal(again.status, 200)
      },
    )
  }

  for (const [name, metadata] of Object.entries(REFUSED)) {
    verifies('oauth.hostile_registrations', `${name} is refused`, async () => {
      const { status, body } = await server.register(metadata)
      assert.equal(status, 400, JSON.stringify(body))
      assert.match(body.error!, /^invalid_(?:redirect_uri|client_metadata)$/)
    })
  }

  test('the error names a refused scheme, and the allowed alternatives', async () => {
    const { body } = await server.register({ redirect_uris: ['myapp:/cb'] })
    assert.equal(body.error, 'invalid_redirect_uri')
    assert.match(String(body['error_description']), /myapp.*https.*com\.example\.app:.*oauth\.redirect_schemes/)
  })

  test('the error of a redirect that is too long names the limit', async () => {
    const { body } = await server.register({ redirect_uris: [`https://app.example/${'x'.repeat(3000)}`] })
    assert.match(String(body['error_description']), /at most 2000 characters/)
  })

  for (const [name, body] of Object.entries({
    'a list': '[]',
    nothing: 'null',
    'half a body': '{"redirect_uris":',
    'a body without end': JSON.stringify({ ...LOOPBACK_CLIENT, client_name: 'x'.repeat(100_000) }),
  })) {
    verifies('oauth.hostile_registrations', `${name} is not a registration`, async () => {
      const response = await fetch(`${server.origin}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      assert.equal(response.status, 400)
    })
  }

  verifies(
    'oauth.hostile_registrations',
    'members that would make the server fetch or show something are dropped',
    async t => {
      let visitors = 0
      const { createServer } = await import('node:net')
      const trap = createServer(() => visitors++).listen(0, '127.0.0.1')
      t.after(() => trap.close())
      await new Promise(listening => trap.once('listening', listening))
      const { port } = trap.address() as { port: number }
      const address = `https://127.0.0.1:${port}/x.json`
      const { status, body } = await server.register({
        redirect_uris: ['https://app.example/cb'],
        client_name: 'Good\u202Eevil\u0000',
        sector_identifier_uri: address,
        jwks_uri: address,
        initiate_login_uri: address,
        logo_uri: address,
      })
      assert.equal(status, 201)
      assert.equal(body['client_name'], 'Goodevil')
      for (const member of ['sector_identifier_uri', 'jwks_uri', 'initiate_login_uri', 'logo_uri'])
        assert.equal(body[member], undefined)
      await server.code({ client: body })
      assert.equal(visitors, 0)
    },
  )

  test('a name that shows nothing counts as none', async () => {
    for (const name of ['', '  ', '\u3164\u2800\u115f\u{e0100}', '\u200b']) {
      const { status, body } = await server.register({ ...LOOPBACK_CLIENT, client_name: name, client_uri: '' })
      assert.deepEqual([status, 'client_name' in body, 'client_uri' in body], [201, false, false], JSON.stringify(name))
    }
  })

  test('members that are null count as missing', async () => {
    const none = { client_name: null, client_uri: null, logo_uri: null, software_id: null, contacts: null, scope: null }
    const { status, body } = await server.register({ ...LOOPBACK_CLIENT, ...none })
    assert.equal(status, 201, JSON.stringify(body))
    for (const name of ['client_name', 'client_uri', 'software_id']) assert.ok(!(name in body), name)
  })

  verifies('oauth.brute_force', 'state and resource that are too long or cannot be stored are refused', async () => {
    const { body: client } = await server.register(LOOPBACK_CLIENT)
    const interactions = () => server.host.sql`select id from core.oauth_artifacts where kind = 'Interaction'`
    const before = await interactions()
    const long = 'x'.repeat(2001)
    for (const query of [
      { state: 'a\0' },
      { resource: `${server.mcp}\0` },
      { state: long },
      { resource: `${server.mcp}?${long}` },
    ]) {
      const more = { redirect_uri: client.redirect_uris[0]!, code_challenge: pkce().challenge, ...query }
      const { status } = await fetch(server.authorizeUrl(client.client_id, more), { redirect: 'manual' })
      assert.equal(status, 400, JSON.stringify(query).slice(0, 80))
    }
    assert.deepEqual(await interactions(), before)
  })

  verifies(
    'oauth.registrations_kept',
    'an unused registration is deleted after a month, an approved one is kept',
    async () => {
      const unused = (await server.register(LOOPBACK_CLIENT)).body
      const used = (await server.connect()).client
      await server.host.sql`
      update core.oauth_artifacts set expires_at = expires_at - interval '31 days' where kind = 'Client'
    `
      await server.host.write(deleteStaleArtifacts)
      assert.equal((await server.code({ client: unused })).outcome.status, 400)
      assert.notEqual((await server.code({ client: used })).code, '')
    },
  )
})

verifies('oauth.brute_force', 'a flood of registrations is limited without blocking other redirect hosts', async t => {
  const server = await oauthServer(t)
  let refused: Awaited<ReturnType<OAuthServer['register']>> | undefined
  for (let n = 0; n < 70 && !refused; n++) {
    // Neither another port nor an additional redirect URI makes it a different host.
    const redirect_uris = [`https://flood.example:${8000 + n}/cb`, `https://flood-${n}.example/cb`]
    const answer = await server.register({ ...LOOPBACK_CLIENT, redirect_uris })
    if (answer.status !== 201) refused = answer
  }
  assert.equal(refused?.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.equal((await server.register({ redirect_uris: ['https://other.example/cb'] })).status, 201)
  assert.equal((await server.register(LOOPBACK_CLIENT)).status, 201)
})

verifies('oauth.brute_force', 'registrations are limited in total, whatever their addresses and redirects', async t => {
  const { host } = await oauthServer(t, { logger: false })
  const register = (n: number) =>
    host.app.inject({
      method: 'POST',
      url: '/oauth/register',
      headers: { host: 'localhost' },
      remoteAddress: `10.0.${n >> 4}.1`,
      payload: { redirect_uris: [`https://app-${n}.example/cb`] },
    })
  let taken = 0
  let refused: Awaited<ReturnType<typeof register>> | undefined
  for (let n = 0; n < 600 && !refused; n++) {
    const answer = await register(n)
    if (answer.statusCode === 201) taken++
    else refused = answer
  }
  assert.equal(refused?.statusCode, 429)
  assert.ok(taken >= 300, `${taken} were taken`)
  assert.match(String(refused.headers['ratelimit-policy']), /registrations in all/)
})

verifies('oauth.brute_force', 'registrations of an IPv6 network are limited together', async t => {
  const { host } = await oauthServer(t, { logger: false })
  let taken = 0
  for (let n = 0; n < 200; n++) {
    const { statusCode } = await host.app.inject({
      method: 'POST',
      url: '/oauth/register',
      headers: { host: 'localhost' },
      remoteAddress: `2001:db8::${n.toString(16)}:1`,
      payload: { redirect_uris: [`https://app-${n}.example/cb`] },
    })
    if (statusCode === 201) taken++
  }
  assert.ok(taken >= 100 && taken <= 130, `${taken} were taken`)
})

verifies('oauth.brute_force', 'parameters that the service does not use are not stored', async t => {
  const server = await oauthServer(t, { logger: false })
  const { body: client } = await server.register(LOOPBACK_CLIENT)
  const long = 'x'.repeat(2500)
  const unused = { display: long, login_hint: long, nonce: long, ui_locales: long, claims_locales: long }
  const redirect_uri = client.redirect_uris[0]!
  for (const query of [{}, unused]) {
    const address = server.authorizeUrl(client.client_id, { redirect_uri, code_challenge: pkce().challenge, ...query })
    assert.equal((await fetch(address, { redirect: 'manual' })).status, 303)
  }
  const rows = await server.host
    .sql`select length(payload::text) as size from core.oauth_artifacts where kind = 'Interaction'`
  assert.deepEqual(
    rows.map(({ size }) => Number(size) < 2000),
    [true, true],
  )
})

describe('registration by config', () => {
  test('can be turned off; then it is not offered', async t => {
    const server = await oauthServer(t, { config: { oauth: { registration: false } } })
    const metadata = (await (await fetch(`${server.origin}/.well-known/oauth-authorization-server`)).json()) as object
    assert.ok(!('registration_endpoint' in metadata))
    const response = await fetch(`${server.origin}/oauth/register`, { method: 'POST' })
    assert.equal(response.status, 404)
  })
})
