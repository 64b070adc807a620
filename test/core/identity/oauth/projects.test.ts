import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { before } from 'node:test'
import { readConnections } from '../../../../core/identity/oauth/artifact.repository.ts'
import { forEachEngine } from '../../../engines.ts'
import { acceptAll } from '../../../members.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'
import type { Visit } from './browser.ts'
import { clientMemory, type ClientMemory } from './client-memory.ts'
import { oauthServer, type OAuthServer } from './server.ts'

const OWNER = 'owner@example.com'
const FRIEND = 'friend@example.com'

forEachEngine('an app that is limited to projects', engine => {
  const scope = suiteScope()
  let server: OAuthServer
  const ids: Record<string, string> = {}
  before(async () => {
    server = await oauthServer(scope, { engine })
    const { host } = server
    await host.user(FRIEND)
    for (const key of ['OPEN', 'SHUT']) await host.command('project create', { key, name: key, user: OWNER })
    await host.command('project create', { key: 'TEAM', name: 'Team', user: FRIEND })
    await host.command('project invite', { key: 'TEAM', email: OWNER, user: FRIEND })
    await host.write(ctx => acceptAll(ctx, OWNER))
    const rows = await host.sql<{ key: string; id: string }>`
      select key, id from projects.projects where owner_id = ${host.userId} or key = 'TEAM'`
    for (const { key, id } of rows) ids[key] = id
  })

  const chosen = (...keys: readonly string[]) => keys.map(key => ({ id: ids[key]!, name: key }))
  const open = async (memory: ClientMemory): Promise<Client> => {
    const client = new Client({ name: 'tasuki test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider: memory.provider }))
    return client
  }
  /** Signs in an official client; the person answers the consent page as specified. */
  const approve = async (visit: Visit, memory = clientMemory()): Promise<ClientMemory> => {
    await memory.provider.invalidateCredentials?.('tokens')
    await assert.rejects(open(memory))
    const { callback } = await server.browser().authorize(memory.authorizationUrl(), visit)
    const transport = new StreamableHTTPClientTransport(new URL(server.mcp), { authProvider: memory.provider })
    await transport.finishAuth(callback!.searchParams)
    return memory
  }
  const call = async (memory: ClientMemory, name: string, args: Record<string, unknown>) => {
    const client = await open(memory)
    const result = await client.callTool({ name, arguments: args })
    await client.close()
    return result
  }
  const keys = async (memory: ClientMemory): Promise<string[]> => {
    const { structuredContent } = await call(memory, 'projects_list', {})
    return (structuredContent as { projects: { key: string }[] }).projects.map(({ key }) => key).sort()
  }

  verifies('oauth.projects', 'tools show it only the selected project, also after a refresh', async () => {
    const memory = await approve({ projects: chosen('OPEN') })
    assert.deepEqual(await keys(memory), ['OPEN'])
    const made = await call(memory, 'items_create', { project_key: 'OPEN', title: 'Allowed' })
    assert.ok(made.isError !== true, JSON.stringify(made))
    for (const key of ['SHUT', 'INBOX', 'TEAM']) {
      const refused = await call(memory, 'items_create', { project_key: key, title: 'Refused' })
      assert.ok(refused.isError && JSON.stringify(refused.content).includes('not_found'), JSON.stringify(refused))
    }
    const before = memory.tokens()!
    await server.host.sql`delete from core.oauth_artifacts where kind = 'AccessToken'`
    server.host.authenticator.forget()
    assert.deepEqual(await keys(memory), ['OPEN'])
    assert.notEqual(memory.tokens()!.access_token, before.access_token)
    assert.notEqual(memory.tokens()!.refresh_token, before.refresh_token)
  })

  verifies(['oauth.projects', 'oauth.always_asked'], 'another consent makes a separate connection', async () => {
    const memory = await approve({ projects: chosen('OPEN', 'INBOX') })
    const narrow = memory.tokens()!.access_token
    assert.deepEqual(await keys(memory), ['INBOX', 'OPEN'])
    await approve({}, memory)
    assert.deepEqual(await keys(memory), ['INBOX', 'OPEN', 'SHUT', 'TEAM'])
    const principal = await server.host.authenticator.authenticate(narrow)
    assert.deepEqual(principal!.actor.projects, [ids['OPEN'], ids['INBOX']])
    const [whole, limited] = await server.host.write(ctx => readConnections(ctx, server.host.userId))
    assert.deepEqual([whole!.projects, limited!.projects], [null, [ids['OPEN'], ids['INBOX']]])
  })

  verifies(
    'oauth.projects',
    'the end of a membership removes its project from the connection, and adds no other',
    async () => {
      const memory = await approve({ projects: chosen('TEAM') })
      assert.deepEqual(await keys(memory), ['TEAM'])
      await server.host.command('project leave', { project: `${FRIEND}/TEAM`, user: OWNER })
      assert.deepEqual(await keys(memory), [])
    },
  )

  verifies('oauth.projects', 'the approval is recorded with the names', async () => {
    await approve({ projects: chosen('OPEN', 'SHUT') })
    await approve({ projects: null })
    const { text } = await server.host.command('audit', { user: OWNER, limit: 1000, format: 'json' })
    const entries = text!
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { action: string; details: Record<string, unknown> })
    const [whole, limited] = entries.filter(({ action }) => action === 'app.approved')
    assert.deepEqual([whole!.details['projects'], limited!.details['projects']], [null, 'OPEN, SHUT'])
  })

  verifies('oauth.projects', 'an empty list of projects and invalid ids make no connection', async () => {
    for (const projects of [[], [{ id: "' or true --", name: 'x' }]]) {
      const { outcome, code } = await server.code({ visit: { projects } })
      assert.equal(code, '')
      assert.ok(outcome.status >= 400, outcome.text)
    }
  })
})
