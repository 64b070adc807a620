import assert from 'node:assert/strict'
import { before } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import { LOOPBACK_CLIENT, oauthServer, pkce, type OAuthServer, type Tokens } from './server.ts'

forEachEngine('authorization', engine => {
  const scope = suiteScope()
  let server: OAuthServer
  before(async () => {
    server = await oauthServer(scope, { engine })
    await server.host.user('other@example.com')
  })
  const errorOf = (callback: URL | null) => callback?.searchParams.get('error')
  /** Reads the error of a page that replaces the redirect to an app that nobody has approved. */
  const problemOf = (text: string) => (JSON.parse(text) as { error: string }).error

  for (const [name, method] of [
    ['public', 'none'],
    ['confidential', 'client_secret_post'],
  ] as const) {
    verifies('oauth.pkce', `a ${name} client without PKCE, or with plain, is refused`, async () => {
      const metadata = { ...LOOPBACK_CLIENT, token_endpoint_auth_method: method }
      const without = await server.code({
        metadata,
        query: { code_challenge: undefined, code_challenge_method: undefined },
      })
      assert.equal(problemOf(without.outcome.text), 'invalid_request')
      const plain = await server.code({ metadata, query: { code_challenge_method: 'plain' } })
      assert.equal(problemOf(plain.outcome.text), 'invalid_request')
    })
  }

  verifies('oauth.pkce', 'a code is refused with another verifier', async () => {
    const response = await server.redeem(await server.code(), { code_verifier: pkce().verifier })
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_grant')
  })

  for (const [registered, used] of [
    ['http://127.0.0.1:1/cb', 'http://127.0.0.1:50999/cb'],
    ['http://localhost/callback', 'http://localhost:41234/callback'],
    ['http://[::1]:1/cb', 'http://[::1]:777/cb'],
  ] as const) {
    for (const type of [undefined, 'native', 'web']) {
      verifies('oauth.redirects', `${registered} (application_type ${type}) may redirect to ${used}`, async () => {
        const metadata = { ...LOOPBACK_CLIENT, redirect_uris: [registered], application_type: type }
        const { code, outcome } = await server.code({ metadata, query: { redirect_uri: used } })
        assert.notEqual(code, '', outcome.text)
      })
    }
  }

  for (const redirect of [
    'http://127.0.0.1:53123/other',
    'http://127.0.0.1:53123/callback/',
    'http://127.0.0.1:53123/callback?x=1',
    'http://127.0.0.1:53123/callback/../x',
    'http://localhost:53123/callback',
    'http://127.0.0.1.evil.example:53123/callback',
    'http://user@127.0.0.1:53123/callback',
    'https://evil.example/callback',
    '//evil.example',
    'javascript:alert(1)',
  ]) {
    verifies(['oauth.redirects', 'oauth.open_redirect'], `a redirect to ${redirect} is refused`, async () => {
      const { outcome } = await server.code({ query: { redirect_uri: redirect } })
      assert.equal(outcome.callback, null)
      assert.equal(outcome.status, 400)
      assert.match(outcome.text, /redirect_uri/)
    })
  }

  verifies(
    'oauth.open_redirect',
    'an unknown client causes no redirect, and the error page escapes its name',
    async () => {
      const address = server.authorizeUrl('<img src=x onerror=alert(1)>', { redirect_uri: 'https://evil.example/' })
      const response = await server.browser().fetch(address)
      assert.equal(response.status, 400)
      assert.equal(response.headers.get('location'), null)
      assert.match(response.headers.get('content-security-policy')!, /^default-src 'none'; .*frame-ancestors 'none'/)
      assert.ok(!(await response.text()).includes('<img'))
    },
  )

  verifies(['oauth.resource', 'oauth.audience'], 'every spelling of the resource gives a token for it', async () => {
    const { origin, mcp, host } = server
    const spellings = [
      undefined,
      mcp,
      `${mcp}/`,
      `${mcp}?profile=task-assistant`,
      origin,
      `${origin}/`,
      mcp.replace('http://localhost', 'HTTP://LOCALHOST'),
      mcp.replace('localhost', '127.0.0.1'),
      mcp.replace('localhost', '[::1]'),
    ]
    for (const resource of spellings) {
      const code = await server.code({ query: { resource } })
      const response = await server.redeem(code, resource === undefined ? {} : { resource })
      const tokens = (await response.json()) as Tokens
      assert.equal(response.status, 200, `${resource}: ${JSON.stringify(tokens)}`)
      assert.equal((await server.list(tokens.access_token)).status, 200)
    }
    const audiences = await host.sql`
      select distinct payload->>'aud' as aud from core.oauth_artifacts where kind = 'AccessToken'
    `
    assert.deepEqual(audiences, [{ aud: mcp }])
  })

  verifies('oauth.resource', 'the requests of a client may spell the resource differently', async () => {
    const { mcp } = server
    const spellings = [mcp, `${mcp}/`, `${mcp}?tools=tasks_list`, mcp.replace('http://localhost', 'HTTP://LOCALHOST')]
    for (const [index, asked] of spellings.entries()) {
      const resource = spellings[(index + 1) % spellings.length]!
      const code = await server.code({ query: { resource: asked } })
      const redeemed = (await (await server.redeem(code, { resource })).json()) as Tokens
      assert.equal(redeemed.scope, 'read write', `${asked}, then ${resource}: ${JSON.stringify(redeemed)}`)
      const form = { grant_type: 'refresh_token', client_id: code.client.client_id }
      const refreshed = await server.token({ ...form, refresh_token: redeemed.refresh_token, resource })
      const tokens = (await refreshed.json()) as Tokens
      assert.equal(tokens.scope, 'read write', `${asked}, refreshed as ${resource}: ${JSON.stringify(tokens)}`)
      assert.equal((await server.list(tokens.access_token)).status, 200)
    }
    const code = await server.code({ query: { resource: mcp } })
    const elsewhere = await server.redeem(code, { resource: 'https://evil.example/mcp' })
    assert.equal(((await elsewhere.json()) as { error: string }).error, 'invalid_target')
  })

  verifies('oauth.resource', 'another resource is refused, and one of the two requests may omit it', async () => {
    const elsewhere = [
      'https://evil.example/mcp',
      'http://127.0.0.1:1/mcp',
      server.mcp.replace('http:', 'https:'),
      'urn:mcp:tasuki',
    ]
    for (const resource of elsewhere) {
      const foreign = await server.code({ query: { resource } })
      assert.equal(problemOf(foreign.outcome.text), 'invalid_target', resource)
    }
    const once = await server.code({ query: { resource: server.mcp } })
    assert.equal((await server.redeem(once)).status, 200)
  })

  for (const [asked, grantedScope] of [
    [undefined, 'read write'],
    ['', 'read write'],
    ['read', 'read'],
    ['write', 'read write'],
    ['openid profile email', 'read write'],
    ['openid read offline_access', 'read'],
    ['read write offline_access', 'read write'],
    ['mcp:tools', 'read write'],
  ] as const) {
    verifies('oauth.scopes_tolerant', `asking for "${asked}" gives "${grantedScope}" and no ID token`, async () => {
      const tokens = await server.connect({ query: { scope: asked } })
      assert.equal(tokens.scope, grantedScope)
      assert.ok(!('id_token' in tokens))
    })
  }

  for (const [grant, grantedScope] of [
    [['read'], 'read'],
    [['write'], 'read write'],
  ] as const) {
    verifies('oauth.narrowed', `approving ${grant.join()} of read and write gives "${grantedScope}"`, async () => {
      const tokens = await server.connect({ visit: { grant } })
      assert.equal(tokens.scope, grantedScope)
      const { scopes } = (await server.code({ query: { scope: 'write' } })).outcome.asked!
      assert.deepEqual(scopes, ['read', 'write'])
    })
  }

  verifies(['oauth.narrowed', 'oauth.denied'], 'approving no scope is a denial', async () => {
    for (const grant of [[], ['write']] as const) {
      const { outcome } = await server.code({ query: { scope: 'read' }, visit: { grant } })
      assert.equal(errorOf(outcome.callback), 'access_denied')
      assert.equal(outcome.callback!.searchParams.get('iss'), server.origin)
    }
  })

  verifies(
    ['oauth.always_asked', 'oauth.consent'],
    'an approved client asks for consent again and gets a separate connection',
    async () => {
      const browser = server.browser()
      const first = await server.connect({ browser })
      const again = await server.code({ browser, client: first.client })
      assert.ok(again.outcome.asked, 'a consent page')
      assert.ok(!again.outcome.paths.includes('/test/sign-in'), 'but no second sign-in')
      const second = (await (await server.redeem(again)).json()) as Tokens
      const rows = await server.host.sql<{ count: number }>`
      select count(distinct connection_id)::int as count from core.oauth_artifacts
      where kind = 'Grant' and payload->>'clientId' = ${first.client.client_id}
    `
      assert.equal(rows[0]!.count, 2)
      assert.equal((await server.list(second.access_token)).status, 200)
    },
  )

  verifies('oauth.consent_facts', 'the consent page shows the client and the scopes', async () => {
    const metadata = { ...LOOPBACK_CLIENT, client_name: '<b>Bold</b>', client_uri: 'https://app.example/' }
    const local = await server.code({ metadata, query: { redirect_uri: 'http://127.0.0.1:5/callback' } })
    const { id, ...asked } = local.outcome.asked!
    assert.match(id, /^[\w-]{20,}$/)
    assert.deepEqual(asked, {
      client: { id: local.client.client_id, name: '<b>Bold</b>', uri: 'https://app.example/', verifiedHost: null },
      redirectUri: 'http://127.0.0.1:5/callback',
      loopback: true,
      scopes: ['read', 'write'],
    })
    const remote = await server.code({ metadata: { redirect_uris: ['https://app.example/cb'] } })
    assert.equal(remote.outcome.asked!.loopback, false)
    assert.equal(remote.outcome.asked!.client.name, '')
  })

  verifies('oauth.consent_bound', 'only the person at that browser can answer, and only once', async () => {
    const browser = server.browser()
    const { outcome } = await server.code({ browser, visit: { stopAtConsent: true } })
    const page = `/test/consent/${outcome.asked!.id}`
    const approve = { granted: ['read', 'write'] }

    const stranger = server.browser()
    await stranger.signIn('other@example.com')
    assert.equal((await stranger.fetch(page)).status, 404)
    assert.equal((await stranger.post(page, approve)).status, 404)
    // Another person in the same browser, with all its cookies.
    await browser.signIn('other@example.com')
    assert.equal((await browser.fetch(page)).status, 404)
    assert.notEqual((await browser.post(page, approve)).status, 200)
    await browser.signIn('owner@example.com')
    assert.equal((await browser.post(page, approve)).status, 200)
    assert.equal((await browser.fetch(page)).status, 404)
    assert.notEqual((await browser.post(page, approve)).status, 200)
    await browser.fetch(`/oauth/authorize/${outcome.asked!.id}`)
    const again = await browser.fetch(`/oauth/authorize/${outcome.asked!.id}`)
    assert.equal(again.status, 400)
    assert.match(
      await again.text(),
      /"reason":"expired"/,
      'a person who comes back is not told that the app is at fault',
    )
  })

  verifies('oauth.consent_bound', 'an expired request is unknown to the sign-in and the consent page', async () => {
    const browser = server.browser()
    const { outcome } = await server.code({ browser, visit: { as: null } })
    const signIn = outcome.paths.find(path => path.startsWith('/oauth/sign-in/'))!
    assert.equal((await server.browser().fetch(signIn)).status, 400, 'in another browser')
    await server.host
      .sql`update core.oauth_artifacts set expires_at = now() - interval '1 second' where kind = 'Interaction'`
    const late = await browser.fetch(signIn)
    assert.equal(late.status, 400)
    assert.match(await late.text(), /expired/)
  })

  verifies(
    'oauth.shared_browser',
    'after another sign-in in the same browser, consent and connection belong to that user',
    async () => {
      const browser = server.browser()
      const owner = await server.connect({ browser })
      await browser.signIn('other@example.com')
      const other = await server.connect({ browser, client: owner.client })
      const userOf = async (token: string) => (await server.host.authenticator.authenticate(token))!.user.email
      assert.equal(await userOf(owner.access_token), 'owner@example.com')
      assert.equal(await userOf(other.access_token), 'other@example.com')
    },
  )
})
