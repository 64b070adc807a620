import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { AuthorizationProblem } from 'tasuki/plugin'
import { loadConfig } from '../../../../core/host/config/load.ts'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import type { Browser, Outcome } from './browser.ts'
import { oauthServer, pkce, type OAuthServer, type Registered } from './server.ts'

const ELSEWHERE = 'https://evil.example/landing'

/** Errors that the library sends to the redirect URI of the app, with the parameters that cause them. */
const FAULTS: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  invalid_request: { code_challenge: undefined, code_challenge_method: undefined },
  invalid_target: { resource: 'https://evil.example/mcp' },
  unsupported_response_type: { response_type: 'token' },
  unsupported_response_mode: { response_mode: 'web_message' },
  request_not_supported: { request: 'x' },
  registration_not_supported: { registration: '{}' },
  login_required: { prompt: 'none' },
}

const problemIn = ({ text }: Pick<Outcome, 'text'>): AuthorizationProblem => JSON.parse(text) as AuthorizationProblem

forEachEngine('redirects of the authorization server', engine => {
  const scope = suiteScope()
  let server: OAuthServer
  let stranger: Registered
  before(async () => {
    server = await oauthServer(scope, { engine })
    stranger = (await server.register({ redirect_uris: [ELSEWHERE] })).body
  })
  const visit = (query: Readonly<Record<string, string | undefined>>, browser?: Browser, client = stranger) =>
    server.code({ client, query, ...(browser && { browser }) })

  for (const [error, query] of Object.entries(FAULTS)) {
    for (const signedIn of [false, true]) {
      const who = signedIn ? 'somebody who is signed in' : 'nobody'
      verifies('oauth.open_redirect', `a link with ${error} leads ${who} to no address of a stranger`, async () => {
        const browser = server.browser()
        if (signedIn) await browser.signIn('owner@example.com')
        const { outcome } = await visit(query, browser)
        assert.deepEqual([outcome.callback, outcome.status], [null, 400], outcome.callback?.href)
        const problem = problemIn(outcome)
        assert.equal(problem.error, error)
        // The page may link to the redirect URI, because it is registered; the link carries the error.
        const onward = new URL(problem.onward!)
        assert.equal(onward.origin + onward.pathname, ELSEWHERE)
        assert.equal(
          onward.searchParams.get('error') ?? new URLSearchParams(onward.hash.slice(1)).get('error'),
          problem.error,
        )
      })
    }
  }

  test('an app that the person has approved gets errors by redirect, until its connections end', async () => {
    const browser = server.browser()
    const { client } = await server.connect({ browser })
    const asked = { resource: 'https://evil.example/mcp' }
    const { outcome } = await visit(asked, browser, client)
    assert.equal(outcome.callback?.searchParams.get('error'), 'invalid_target')
    const others = server.browser()
    await server.host.user('other@example.com')
    await others.signIn('other@example.com')
    assert.equal((await visit(asked, others, client)).outcome.callback, null, 'somebody else has not')
    assert.equal((await visit(asked, server.browser(), client)).outcome.callback, null, 'nobody has')
    await server.host
      .sql`delete from core.oauth_artifacts where kind = 'Grant' and payload->>'clientId' = ${client.client_id}`
    assert.equal((await visit(asked, browser, client)).outcome.callback, null)
  })

  test('a person who declines on the page with the address is sent there', async () => {
    const { outcome } = await server.code({ client: stranger, visit: { grant: null } })
    assert.ok(outcome.asked)
    assert.equal(outcome.callback?.origin, 'https://evil.example')
    assert.equal(outcome.callback.searchParams.get('error'), 'access_denied')
  })

  test('every mode of the metadata is answered, and form_post is neither offered nor answered', async () => {
    const metadata = (await (await fetch(`${server.origin}/.well-known/oauth-authorization-server`)).json()) as {
      response_modes_supported: string[]
    }
    assert.deepEqual(metadata.response_modes_supported, ['query', 'fragment'])
    const browser = server.browser()
    const { client } = await server.connect({ browser })
    for (const mode of metadata.response_modes_supported) {
      const { callback } = (await visit({ response_mode: mode }, browser, client)).outcome
      const answer = mode === 'query' ? callback!.searchParams : new URLSearchParams(callback!.hash.slice(1))
      assert.match(answer.get('code') ?? '', /^[\w-]{43}$/, mode)
    }
    const { outcome } = await visit({ response_mode: 'form_post' }, browser, client)
    assert.equal(outcome.callback?.searchParams.get('error'), 'unsupported_response_mode')
  })

  verifies('oauth.open_redirect', 'a slash after the address of the authorization changes no answer', async () => {
    const address = server.authorizeUrl(stranger.client_id, {
      redirect_uri: ELSEWHERE,
      code_challenge: pkce().challenge,
      prompt: 'none',
      response_mode: 'form_post',
    })
    for (const url of [address, address.replace('authorize?', 'authorize/?')]) {
      const text = await (await fetch(url, { redirect: 'manual' })).text()
      assert.equal((JSON.parse(text) as AuthorizationProblem).error, 'unsupported_response_mode')
    }
  })
})

test('a scheme that browsers handle themselves is no setting', async () => {
  const load = (scheme: string) => loadConfig(undefined, { oauth: { redirect_schemes: ['cursor', scheme] } })
  for (const scheme of ['javascript', 'data', 'vbscript', 'blob', 'file', 'about', 'http', 'https', 'Cursor', 'a.b'])
    await assert.rejects(
      load(scheme),
      /oauth → redirect_schemes → 1 must be a scheme of apps in small letters, such as/,
    )
  for (const scheme of ['file-manager', 'javascripts', 'x'])
    assert.deepEqual((await load(scheme)).oauth.redirect_schemes, ['cursor', scheme])
})
