import assert from 'node:assert/strict'
import { before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeTokenUses } from '../../../../core/identity/token-uses.ts'
import { readConnections } from '../../../../core/identity/oauth/artifact.repository.ts'
import { disconnect, deleteStaleArtifacts } from '../../../../core/identity/oauth/connections.ts'
import { disableUser } from '../../../../core/identity/users.ts'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import { LOOPBACK_CLIENT, oauthServer, type OAuthServer, type Tokens } from './server.ts'

forEachEngine('tokens of connected apps', engine => {
  const scope = suiteScope()
  let server: OAuthServer
  before(async () => {
    server = await oauthServer(scope, { engine, config: { oauth: { refresh_reuse_grace_seconds: 20 } } })
  })
  const error = async (response: Response) => ((await response.json()) as { error: string }).error
  const status = async (token: string) => (await server.list(token)).status
  /** Ends the grace period of used refresh tokens. */
  const afterGrace = () => server.host.sql`
    update core.oauth_artifacts set consumed_at = consumed_at - interval '1 minute' where consumed_at is not null
  `

  verifies('oauth.code_once', 'twenty parallel redemptions of one code give one token', async () => {
    const code = await server.code()
    const responses = await Promise.all(Array.from({ length: 20 }, () => server.redeem(code)))
    assert.equal(responses.filter(response => response.status === 200).length, 1)
    const others = await Promise.all(responses.filter(response => response.status !== 200).map(error))
    assert.deepEqual([...new Set(others)], ['invalid_grant'])
    const { client_id: client } = code.client
    const rows = await server.host.sql<{ count: number }>`
      select count(*)::int as count from core.oauth_artifacts where kind = 'AccessToken' and payload->>'clientId' = ${client}
    `
    assert.ok(rows[0]!.count <= 1)
  })

  verifies('oauth.code_replay', 'a reused code revokes its tokens', async () => {
    const code = await server.code()
    const tokens = (await (await server.redeem(code)).json()) as Tokens
    assert.equal(await status(tokens.access_token), 200)
    assert.equal(await error(await server.redeem(code)), 'invalid_grant')
    assert.equal(await status(tokens.access_token), 401)
    assert.equal(await error(await server.refresh(code.client, tokens.refresh_token)), 'invalid_grant')
  })

  verifies(
    ['oauth.rotation', 'oauth.refresh'],
    'a refresh token rotates, and processes that share one do not invalidate each other',
    async () => {
      const { client, ...first } = await server.connect()
      assert.equal(first.expires_in, 3600)
      /** Returns the lifetime in days of each refresh token of the client, earliest first. */
      const lasting = () => server.host.sql<{ days: number }>`
        select round(extract(epoch from expires_at - created_at) / 86400)::int as days from core.oauth_artifacts
        where kind = 'RefreshToken' and payload->>'clientId' = ${client.client_id} order by created_at`
      assert.deepEqual(await lasting(), [{ days: 60 }])
      const refresh = async (token: string): Promise<Tokens> =>
        (await server.refresh(client, token)).json() as Promise<Tokens>
      const same = ({ access_token: access, refresh_token: token }: Tokens) => [access, token]
      const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(first.refresh_token)))
      const [second] = answers as [Tokens]
      for (const each of answers) assert.deepEqual(same(each), same(second), 'all get one successor')
      assert.notEqual(second.refresh_token, first.refresh_token)
      assert.notEqual(second.access_token, first.access_token)
      assert.equal(await status(second.access_token), 200)
      assert.deepEqual(
        await lasting(),
        [{ days: 60 }, { days: 60 }],
        'the family has one more token, with a full lifetime',
      )

      // A token with fewer scopes is an additional token; the first one stays valid.
      const narrow = (await (
        await server.token({
          grant_type: 'refresh_token',
          refresh_token: first.refresh_token,
          client_id: client.client_id,
          scope: 'read',
        })
      ).json()) as Tokens
      assert.deepEqual([narrow.scope, narrow.refresh_token], ['read', second.refresh_token])
      assert.notEqual(narrow.access_token, second.access_token)

      const third = await refresh(second.refresh_token)
      assert.deepEqual(same(await refresh(first.refresh_token)), same(second), 'also after the successor was used')
      assert.deepEqual(same(await refresh(second.refresh_token)), same(third))

      await afterGrace()
      assert.equal(await error(await server.refresh(client, first.refresh_token)), 'invalid_grant')
      for (const { access_token: token } of [first, second, narrow, third]) assert.equal(await status(token), 401)
      assert.equal(await error(await server.refresh(client, third.refresh_token)), 'invalid_grant')
      assert.deepEqual(await lasting(), [], 'nothing is left of the family')
    },
  )

  verifies('oauth.refresh_bound', 'a refresh token works only for its client and grants no further scope', async () => {
    const { client, refresh_token: token } = await server.connect({ query: { scope: 'read' } })
    const other = (await server.register(LOOPBACK_CLIENT)).body
    assert.equal(await error(await server.refresh(other, token)), 'invalid_grant')
    const form = {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: client.client_id,
      scope: 'read write',
    }
    assert.equal(await error(await server.token(form)), 'invalid_scope')
  })

  for (const which of ['access_token', 'refresh_token'] as const) {
    verifies('oauth.revocation', `revoking the ${which} ends the access token at once`, async () => {
      const { client, ...tokens } = await server.connect()
      assert.equal(await status(tokens.access_token), 200)
      const revoke = (clientId: string, token: string) =>
        fetch(`${server.origin}/oauth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ token, client_id: clientId }),
        })
      const stranger = (await server.register(LOOPBACK_CLIENT)).body
      await revoke(stranger.client_id, tokens[which])
      assert.equal(await status(tokens.access_token), 200, 'another client cannot revoke it')
      assert.equal((await revoke(client.client_id, tokens[which])).status, 200)
      assert.equal(await status(tokens.access_token), 401)
      assert.equal(await error(await server.refresh(client, tokens.refresh_token)), 'invalid_grant')
      assert.equal((await revoke(client.client_id, 'nonsense')).status, 200)
      const left = await server.host.sql`
        select kind from core.oauth_artifacts where payload->>'clientId' = ${client.client_id}
      `
      assert.deepEqual(left, [], 'nothing is left of the connection')
    })
  }

  verifies(
    ['oauth.disconnect', 'oauth.connections'],
    'a user sees a connection and ends it; others continue',
    async () => {
      const bob = await server.host.user('bob@example.com')
      const mine = await server.connect({
        metadata: { ...LOOPBACK_CLIENT, client_name: 'Editor' },
        visit: { grant: ['read'] },
      })
      const kept = await server.connect()
      const call = { userId: server.host.userId, name: 'test', requestId: '1' }
      const connections = () => server.host.write(ctx => readConnections(ctx, call.userId))
      assert.equal(await status(mine.access_token), 200)
      await writeTokenUses(server.host.authenticator, server.host.database)

      const connection = (await connections()).find(({ clientName }) => clientName === 'Editor')!
      const { id, createdAt, lastUsedAt, ...facts } = connection
      assert.match(createdAt, /^\d{4}-.*Z$/)
      assert.ok(lastUsedAt! >= createdAt)
      assert.deepEqual(facts, {
        clientName: 'Editor',
        verifiedHost: null,
        redirectHost: '127.0.0.1:53123',
        scope: 'read',
        projects: null,
      })
      assert.deepEqual(await server.host.write(ctx => readConnections(ctx, bob.userId)), [])
      for (const [user, wanted] of [
        [bob.userId, id],
        [call.userId, 'nonsense'],
      ] as const)
        await assert.rejects(
          server.host.write(ctx => disconnect(ctx, user, wanted)),
          { code: 'not_found' },
        )
      assert.equal(await status(mine.access_token), 200)

      await server.host.write(ctx => disconnect(ctx, call.userId, id))
      assert.equal(await status(mine.access_token), 401)
      assert.equal(await error(await server.refresh(mine.client, mine.refresh_token)), 'invalid_grant')
      assert.equal(await status(kept.access_token), 200)
      assert.ok(!(await connections()).some(other => other.id === id))
    },
  )

  verifies(
    ['oauth.scope', 'oauth.challenges', 'oauth.actor'],
    'a client approved for reading acts as assistant and cannot write',
    async () => {
      const { access_token: token } = await server.connect({
        metadata: { ...LOOPBACK_CLIENT, client_name: 'Reader' },
        visit: { grant: ['read'] },
      })
      const { actor } = (await server.host.authenticator.authenticate(token))!
      assert.equal(actor.kind, 'assistant')
      assert.equal(actor.scope, 'read')
      assert.equal(actor.credentialLabel, 'Reader')
      assert.match(actor.credentialId!, /^[0-9a-f-]{36}$/)
      const response = await fetch(server.mcp, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'items_create', arguments: { project_key: 'INBOX', title: 'x' } },
        }),
      })
      assert.equal(response.status, 403)
      const challenge = response.headers.get('www-authenticate')!
      assert.match(challenge, /error="insufficient_scope", scope="write"/)
      assert.ok(challenge.includes(`resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`))
    },
  )

  verifies(
    ['oauth.same_endpoint', 'oauth.actor'],
    'the history records writes of a client as done by an assistant',
    async () => {
      const { access_token: token } = await server.connect()
      assert.equal(await status(server.host.token), 200)
      const call = (method: string, params: object) =>
        server.host.app
          .inject({
            method: 'POST',
            url: '/mcp',
            headers: {
              host: 'localhost',
              authorization: `Bearer ${token}`,
              accept: 'application/json, text/event-stream',
              'mcp-protocol-version': '2025-11-25',
            },
            payload: { jsonrpc: '2.0', id: 1, method, params },
          })
          .then(response => response.json<{ result: { structuredContent: Record<string, unknown> } }>())
      const { result } = await call('tools/call', {
        name: 'items_create',
        arguments: { project_key: 'INBOX', title: 'By an app' },
      })
      const { item } = result.structuredContent as { item: { ref: string } }
      const { activities } = await server.host.call('activities_list', { item_ref: item.ref, actor_kind: 'assistant' })
      assert.equal(activities.length, 1)
    },
  )

  verifies(
    'oauth.audience',
    'a token for another audience, an expired one and the id of its row are refused',
    async () => {
      const { access_token: token } = await server.connect()
      const row = await server.host.sql<{ id: string }>`
      select id from core.oauth_artifacts where kind = 'AccessToken' order by created_at desc limit 1
    `
      assert.equal(await status(token), 200)
      assert.equal(await status(row[0]!.id), 401)
      await server.host.sql`
      update core.oauth_artifacts set payload = jsonb_set(payload, '{aud}', '"https://other.example/mcp"') where id = ${row[0]!.id}
    `
      server.host.authenticator.forget()
      const refused = await server.list(token)
      assert.equal(refused.status, 401)
      assert.match(refused.headers.get('www-authenticate')!, /resource_metadata=.*error="invalid_token"/)

      const { access_token: old } = await server.connect()
      await server.host.sql`update core.oauth_artifacts set expires_at = now() where kind = 'AccessToken'`
      assert.equal(await status(old), 401)
    },
  )

  verifies('oauth.disabled_user', 'a disabled user is refused at once and cannot refresh', async () => {
    const carol = await server.host.user('carol@example.com')
    const { client, ...tokens } = await server.connect({ visit: { as: 'carol@example.com' } })
    assert.equal(await status(tokens.access_token), 200)
    await server.host.write(ctx => disableUser(ctx, 'carol@example.com'))
    assert.equal(await status(tokens.access_token), 401)
    assert.equal((await server.refresh(client, tokens.refresh_token)).status, 400)
    await server.host.sql`delete from core.users where id = ${carol.userId}`
    assert.deepEqual(await server.host.sql`select 1 from core.oauth_artifacts where user_id = ${carol.userId}`, [])
  })

  verifies('oauth.sweep', 'expired rows are deleted, and a connection with its last token', async () => {
    const { host } = server
    const { access_token: token } = await server.connect()
    const { actor } = (await host.authenticator.authenticate(token))!
    const rows = () => host.sql<{ kind: string }>`
      select kind from core.oauth_artifacts where connection_id = ${actor.credentialId} order by kind
    `
    await host.write(deleteStaleArtifacts)
    const kinds = async () => (await rows()).map(row => row.kind)
    assert.deepEqual(await kinds(), ['AccessToken', 'AuthorizationCode', 'Grant', 'RefreshToken'])
    await host.sql`
      update core.oauth_artifacts set expires_at = now() - interval '1 second', created_at = created_at - interval '2 hours'
      where connection_id = ${actor.credentialId} and kind <> 'Grant'
    `
    await host.write(deleteStaleArtifacts)
    assert.deepEqual(await kinds(), ['Grant'], 'a connection that is being made is left alone')
    await host.sql`update core.oauth_artifacts set created_at = created_at - interval '2 hours' where kind = 'Grant'`
    await host.write(deleteStaleArtifacts)
    assert.deepEqual(await kinds(), [])
  })

  verifies('oauth.brute_force', 'guessing at the token endpoint is limited', async () => {
    const guess = () => server.token({ grant_type: 'refresh_token', refresh_token: 'guess', client_id: 'nobody' })
    let refused: Response | undefined
    for (let n = 0; n < 40 && !refused; n++) {
      const answers = await Promise.all(Array.from({ length: 10 }, guess))
      refused = answers.find(answer => answer.status === 429)
    }
    assert.ok(refused, 'within 400 guesses')
    assert.match(refused.headers.get('ratelimit-policy')!, /^"token";q=300;w=60$/)
    await sleep(Number(refused.headers.get('retry-after')) * 1000)
    assert.equal((await guess()).status, 401)
  })
})

forEachEngine('refresh tokens without grace', engine => {
  verifies('oauth.rotation', 'work once, also for parallel requests', async t => {
    const server = await oauthServer(t, { engine, config: { oauth: { refresh_reuse_grace_seconds: 0 } } })
    const { client, refresh_token: token } = await server.connect()
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.refresh(client, token)))
    assert.ok(answers.filter(answer => answer.status === 200).length <= 1)
    assert.equal((await server.refresh(client, token)).status, 400)
  })
})
