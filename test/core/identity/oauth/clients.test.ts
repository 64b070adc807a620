import { auth, Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { auth as classicAuth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as ClassicTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import { clientMemory } from './client-memory.ts'
import { oauthServer, type OAuthServer } from './server.ts'

const info = { name: 'tasuki test', version: '1.0.0' }
const MODES = [
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const

forEachEngine('official clients sign in', engine => {
  const scope = suiteScope()
  let server: OAuthServer
  before(async () => {
    server = await oauthServer(scope, { engine })
  })

  for (const [revision, mode] of MODES) {
    verifies(
      [
        'oauth.official_clients',
        'oauth.registration',
        'oauth.code_flow',
        'oauth.metadata',
        'oauth.issuer',
        'oauth.refresh',
      ],
      `client 2.x in ${revision}: 401, registration, consent, tools/list, and automatic refresh`,
      async () => {
        const memory = clientMemory()
        const connect = async () => {
          const client = new Client(info, { versionNegotiation: { mode } })
          const transport = new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider: memory.provider })
          return { client, transport, done: client.connect(transport) }
        }
        const first = await connect()
        await assert.rejects(first.done, error => isUnauthorized(error))
        const { callback } = await server.browser().authorize(memory.authorizationUrl())
        assert.equal(callback?.searchParams.get('iss'), server.origin)
        await first.transport.finishAuth(callback.searchParams)
        const { client, done } = await connect()
        await done
        assert.equal(client.getNegotiatedProtocolVersion(), revision)
        assert.ok((await client.listTools()).tools.some(tool => tool.name === 'items_create'))
        await client.close()

        const before = memory.tokens()!
        assert.equal(before.scope, 'read write')
        await server.host.sql`delete from core.oauth_artifacts where kind = 'AccessToken'`
        server.host.authenticator.forget()
        const again = await connect()
        await again.done
        assert.ok((await again.client.listTools()).tools.length > 0)
        await again.client.close()
        assert.notEqual(memory.tokens()!.refresh_token, before.refresh_token)
      },
    )
  }

  verifies(
    ['oauth.official_clients', 'oauth.registration', 'oauth.code_flow', 'oauth.metadata'],
    'SDK 1.x: registration, consent, tools/list',
    async () => {
      const memory = clientMemory()
      assert.equal(await classicAuth(memory.provider as never, { serverUrl: server.mcp }), 'REDIRECT')
      const { callback } = await server.browser().authorize(memory.authorizationUrl())
      const code = { authorizationCode: callback!.searchParams.get('code')! }
      assert.equal(await classicAuth(memory.provider as never, { serverUrl: server.mcp, ...code }), 'AUTHORIZED')
      const client = new ClassicClient(info)
      await client.connect(new ClassicTransport(new URL(server.mcp), { authProvider: memory.provider }))
      assert.ok((await client.listTools()).tools.some(tool => tool.name === 'items_create'))
      await client.close()
    },
  )

  verifies(
    ['oauth.narrowed', 'oauth.scope', 'oauth.challenges'],
    'a client approved for reading gets a 403 with the missing scope, and the scope after another consent',
    async () => {
      const memory = clientMemory()
      const connect = async () => {
        const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
        const transport = new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider: memory.provider })
        await client.connect(transport)
        return { client, transport }
      }
      await assert.rejects(connect(), error => isUnauthorized(error))
      const finish = async (grant: readonly ('read' | 'write')[]) => {
        const { callback } = await server.browser().authorize(memory.authorizationUrl(), { grant })
        await new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider: memory.provider }).finishAuth(
          callback!.searchParams,
        )
      }
      await finish(['read'])
      assert.equal(memory.tokens()?.scope, 'read')
      const reading = await connect()
      const { tools } = await reading.client.listTools()
      assert.ok(tools.some(tool => tool.name === 'items_get') && !tools.some(tool => tool.name === 'items_create'))
      const call = { name: 'items_create', arguments: { project_key: 'INBOX', title: 'Stepped up' } }
      await assert.rejects(reading.client.callTool(call))
      assert.match(memory.authorizationUrl().searchParams.get('scope')!, /write/)
      await finish(['read', 'write'])
      const writing = await connect()
      const { structuredContent } = await writing.client.callTool(call)
      assert.equal((structuredContent as { item: { title: string } }).item.title, 'Stepped up')
      await Promise.all([reading.client.close(), writing.client.close()])
    },
  )

  verifies('oauth.denied', 'a denied client gets access_denied with the issuer', async () => {
    const memory = clientMemory()
    assert.equal(await auth(memory.provider, { serverUrl: server.mcp }), 'REDIRECT')
    const { callback } = await server.browser().authorize(memory.authorizationUrl(), { grant: null })
    assert.equal(callback!.searchParams.get('error'), 'access_denied')
    assert.equal(callback!.searchParams.get('iss'), server.origin)
    const transport = new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider: memory.provider })
    await assert.rejects(transport.finishAuth(callback!.searchParams), /access_denied|declined/)
  })

  verifies('oauth.stale_client', 'a client whose registration was deleted registers again', async () => {
    const memory = clientMemory()
    await auth(memory.provider, { serverUrl: server.mcp })
    const { callback } = await server.browser().authorize(memory.authorizationUrl())
    const transport = new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider: memory.provider })
    await transport.finishAuth(callback!.searchParams)
    const before = memory.clientId()
    await server.host.sql`delete from core.oauth_artifacts where kind <> 'Keys'`
    server.host.authenticator.forget()
    assert.equal(await auth(memory.provider, { serverUrl: server.mcp }), 'REDIRECT')
    assert.notEqual(memory.clientId(), before)

    const page = await server
      .browser()
      .authorize(
        server.authorizeUrl(before!, { redirect_uri: 'http://127.0.0.1:1/callback', code_challenge: 'x'.repeat(43) }),
      )
    assert.equal(page.status, 400)
    // The page of the fixture; the tests of the portal check its instructions for people.
    assert.equal(JSON.parse(page.text).reason, 'unknown_app')
  })
})

function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || /unauthorized/i.test(String((error as Error).cause ?? error))
}
