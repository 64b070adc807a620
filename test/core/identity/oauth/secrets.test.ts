import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { testHost } from 'tasuki/testing'
import { disconnect } from '../../../../core/identity/oauth/connections.ts'
import { createSealer } from '../../../../core/identity/sealer.ts'
import { loggerOptions } from '../../../../core/host/log-stream.ts'
import { codePoint } from '../../../code-point.ts'
import { databaseText } from '../../../database-text.ts'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import { LOOPBACK_CLIENT, oauthServer, type OAuthServer } from './server.ts'
import { signInPlugin, WITHOUT_PORTAL } from '../../../fixtures/plugins/sign-in.ts'

forEachEngine('secrets of the authorization server', engine => {
  const scope = suiteScope()
  const secret = randomBytes(32)
  const lines: string[] = []
  let server: OAuthServer
  before(async () => {
    const logger = {
      ...loggerOptions({ logLevel: 'trace' }),
      stream: { write: (line: string) => void lines.push(line) },
    }
    server = await oauthServer(scope, { engine, secret, logger })
  })

  verifies(['oauth.dump', 'oauth.log'], 'neither the database nor the log contains a usable secret', async () => {
    const browser = server.browser()
    const metadata = { ...LOOPBACK_CLIENT, token_endpoint_auth_method: 'client_secret_post' }
    const open = await server.code({ browser, metadata, visit: { stopAtConsent: true } })
    const unused = await server.code({ browser, metadata })
    const cookies = browser.cookies.filter(({ name }) => name.startsWith('oauth_'))
    assert.ok(
      cookies.some(({ name }) => name === 'oauth_session') && cookies.some(({ name }) => name === 'oauth_resume'),
    )
    const code = await server.code({ metadata })
    const tokens = (await (await server.redeem(code)).json()) as Record<string, string>
    await server.list(tokens['access_token']!)
    const secrets = {
      'access token': tokens['access_token'],
      'refresh token': tokens['refresh_token'],
      'redeemed code': code.code,
      'unused code': unused.code,
      'client secret': code.client.client_secret,
      'code verifier': code.verifier,
      'pending interaction': open.outcome.asked!.id,
      ...Object.fromEntries(cookies.map(({ name, value }) => [`cookie ${name}`, value])),
    }
    const dump = await databaseText(server.host)
    assert.ok(dump.includes('"kind": "RefreshToken"'), 'the dump is of everything')
    const log = lines.join('\n')
    assert.ok(log.includes('/oauth/token'), 'requests are logged')
    for (const [what, value] of Object.entries(secrets)) {
      assert.ok(value !== undefined && value.length >= 20, what)
      assert.ok(!dump.includes(value), `${what} in the database`)
      // The id of the interaction is in the path; without its signed cookie it is useless.
      if (what !== 'pending interaction' && !what.endsWith('resume') && !what.endsWith('interaction'))
        assert.ok(!log.includes(value), `${what} in the log`)
    }
    assert.ok(!log.includes('code_challenge='), 'no query string is logged')
    assert.ok(!/"d": ?"/.test(dump), 'no private key')
    assert.ok(!log.includes('svc_pat_'))
  })

  verifies(
    'oauth.keys',
    'a second instance has the same keys, one with another SECRET_KEY creates new ones',
    async t => {
      const keysOf = async (options: { secret: Buffer }) => {
        const instance = await testHost(t, {
          ...options,
          database: server.host.databaseOptions,
          baseUrl: server.origin,
          config: WITHOUT_PORTAL,
          plugins: [signInPlugin()],
        })
        return (await instance.app.inject({ url: '/oauth/jwks', headers: { host: 'localhost' } })).json<unknown>()
      }
      const keys = await (await fetch(`${server.origin}/oauth/jwks`)).json()
      assert.equal((keys as { keys: unknown[] }).keys.length, 1)
      assert.ok(!JSON.stringify(keys).includes('"d"'))
      if (engine === 'pglite') return t.diagnostic('the embedded database has one instance')
      assert.deepEqual(await keysOf({ secret }), keys)
      const other = randomBytes(32)
      const others = await keysOf({ secret: other })
      assert.notDeepEqual(others, keys)
      assert.deepEqual(await keysOf({ secret: other }), others)
      assert.deepEqual(await keysOf({ secret }), keys, 'the other instance replaced nothing')
    },
  )

  if (engine === 'postgres') {
    verifies(
      'oauth.disconnect',
      'a connection ended on one instance is refused on another within a moment',
      async t => {
        const second = await testHost(t, {
          secret,
          database: server.host.databaseOptions,
          baseUrl: server.origin,
          config: WITHOUT_PORTAL,
          plugins: [signInPlugin()],
        })
        const address = await second.listen()
        const { access_token: token, client, refresh_token: refreshToken } = await server.connect()
        const both = async () => [(await server.list(token)).status, (await server.list(token, address)).status]
        assert.deepEqual(await both(), [200, 200])
        const { actor } = (await second.authenticator.authenticate(token))!
        await second.write(ctx => disconnect(ctx, actor.userId, actor.credentialId!))
        // The notification of the other instance takes some milliseconds: core/decisions/0018.
        for (let n = 0; n < 100 && (await both())[0] === 200; n++) await sleep(5)
        assert.deepEqual(await both(), [401, 401])

        const revoked = await server.connect({ client })
        assert.equal((await server.list(revoked.access_token, address)).status, 200)
        const form = new URLSearchParams({ token: revoked.refresh_token, client_id: client.client_id })
        await fetch(`${server.origin}/oauth/revoke`, { method: 'POST', body: form })
        for (let n = 0; n < 100 && (await server.list(revoked.access_token, address)).status === 200; n++)
          await sleep(5)
        assert.equal((await server.list(revoked.access_token, address)).status, 401)
        assert.equal((await server.refresh(client, refreshToken)).status, 400)

        // Two instances that refresh concurrently create one common successor.
        const shared = await server.connect({ client })
        const asked = new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: shared.refresh_token,
          client_id: client.client_id,
        })
        const answers = await Promise.all(
          Array.from({ length: 10 }, async (_, n) => {
            const { origin } = new URL(n % 2 === 0 ? address : server.mcp)
            const response = await fetch(`${origin}/oauth/token`, { method: 'POST', body: asked })
            const { access_token: access, refresh_token: next } = (await response.json()) as Record<string, string>
            return `${response.status} ${access} ${next}`
          }),
        )
        assert.equal(new Set(answers).size, 1, answers.join('\n'))
        assert.match(answers[0]!, /^200 /)
      },
    )
  }

  verifies(
    ['oauth.dump', 'oauth.stale_client'],
    'a client secret encrypted with another SECRET_KEY makes the client unknown',
    async () => {
      const metadata = { ...LOOPBACK_CLIENT, token_endpoint_auth_method: 'client_secret_post' }
      const code = await server.code({ metadata })
      await server.host.sql`
      update core.oauth_artifacts set payload = jsonb_set(payload, '{client_secret}', to_jsonb(${createSealer(randomBytes(32)).seal('x', code.client.client_id)}::text))
      where kind = 'Client' and payload->>'client_id' = ${code.client.client_id}
    `
      const response = await server.redeem(code)
      assert.equal(response.status, 401)
      assert.equal(((await response.json()) as { error: string }).error, 'invalid_client')
    },
  )
})

describe('encrypted text', () => {
  const sealer = createSealer(randomBytes(32))
  test('is decrypted with its key and purpose only', () => {
    const other = createSealer(randomBytes(32))
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string(), fc.string(), (text, place, elsewhere) => {
        const sealed = sealer.seal(text, place)
        assert.equal(sealer.open(sealed, place), text)
        assert.equal(other.open(sealed, place), null)
        if (place !== elsewhere) assert.equal(sealer.open(sealed, elsewhere), null)
        assert.notEqual(sealer.seal(text, place), sealed)
      }),
    )
  })

  test('is not decrypted if it was changed or is invalid', () => {
    const sealed = Buffer.from(sealer.seal('text', 'place'), 'base64url')
    for (let n = 0; n < sealed.length * 8; n++) {
      const changed = Buffer.from(sealed)
      changed[n >> 3]! ^= 1 << (n & 7)
      assert.equal(sealer.open(changed.toString('base64url'), 'place'), null)
    }
    fc.assert(fc.property(fc.string(), text => sealer.open(text, 'place') === null))
  })
})
