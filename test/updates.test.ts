import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { testHost, type TestCaller, type TestHost } from 'tasuki/testing'
import { post, type EventStream } from './core/mcp/events.ts'
import { suiteScope } from './core/suite-scope.ts'
import { modernHeaders, modernMeta, rpc } from './core/mcp/stub.ts'
import { forEachEngine } from './engines.ts'
import type { ProjectRow } from '../plugins/projects/index.ts'
import { share as shareWith } from './members.ts'
import { verifies } from './verifies.ts'

const address = (kind: string, ...parts: readonly string[]): string =>
  `tasuki://${kind}/${parts.map(encodeURIComponent).join('/')}`

const SECRET = randomBytes(32)
/** Longer than the interval in which the service collects changes. */
const QUIET_MS = 700

forEachEngine('updates', engine => {
  const scope = suiteScope()
  let first: TestHost
  let url: string
  let app: ProjectRow
  const open: EventStream[] = []

  /** Opens a stream. @returns the acknowledged addresses, and a function that returns the reported ones until it is quiet */
  const listen = async (caller: Pick<TestCaller, 'token'>, uris: readonly string[], at = url) => {
    const stream = await post(
      at,
      rpc('subscriptions/listen', { notifications: { resourceSubscriptions: uris }, _meta: modernMeta() }, 's'),
      { ...modernHeaders('subscriptions/listen'), authorization: `Bearer ${caller.token}` },
    )
    open.push(stream)
    const acknowledged = await stream.next()
    const received: string[] = []
    void (async () => {
      for (let message = await stream.next(); message; message = await stream.next())
        received.push(message.method === undefined ? 'end' : String(message.params!['uri']))
    })().catch(() => undefined)
    return {
      accepted: (acknowledged!.params!['notifications'] as { resourceSubscriptions: string[] }).resourceSubscriptions,
      async quiet(): Promise<string[]> {
        await new Promise(resolve => setTimeout(resolve, QUIET_MS))
        return received.splice(0)
      },
    }
  }
  const create = async (title: string, args: object = {}): Promise<string> =>
    (await first.call('items_create', { project_key: 'APP', title, ...args })).item.ref
  const share = (email: string, role: 'viewer' | null): Promise<void> =>
    first.write(ctx => shareWith(ctx, app, email, role))

  before(async () => {
    first = await testHost(scope, { engine, secret: SECRET })
    url = await first.listen()
    await first.command('project create', { key: 'APP', name: 'App' })
    const [project] =
      await first.sql<ProjectRow>`select owner_id as "ownerId", id, key from projects.projects where key = 'APP'`
    app = project!
  })
  beforeEach(() => open.splice(0).forEach(stream => stream.drop()))
  after(() => open.forEach(stream => stream.drop()))

  verifies(
    'updates.sent',
    'of items, notes and sprints are sent once per change, for subscribed addresses',
    async () => {
      const one = await create('One')
      const two = await create('Two')
      const { note } = { note: (await first.call('notes_create', { project_key: 'APP', title: 'Minutes' })).item.ref }
      await first.call('sprints_create', { project_key: 'APP', name: 'Week 1', status: 'active' })
      const uris = {
        one: address('item', one),
        bare: address('item', `#${one.split('#')[1]}`),
        note: address('note', note),
        sprint: address('sprint', 'APP', 'Week 1'),
      }
      const asked = [...Object.values(uris), 'tasuki://nothing/1', 'test://x', address('item', 'APP#4711')]
      const stream = await listen(first, asked)
      assert.deepEqual(stream.accepted, [...Object.values(uris), address('item', 'APP#4711')])
      await first.call('items_patch', { item_ref: two, title: 'Two!' })
      assert.deepEqual(await stream.quiet(), [])
      await first.call('items_patch', { item_ref: one, title: 'One!', priority: 'high' })
      assert.deepEqual(await stream.quiet(), [uris.one, uris.bare])
      await first.call('items_patch', { item_ref: one, title: 'One!' })
      assert.deepEqual(await stream.quiet(), [])
      await first.call('items_rewrite_detail', { item_ref: note, new_detail: 'New' })
      assert.deepEqual(await stream.quiet(), [uris.note])
      await first.call('sprints_update', { project_key: 'APP', sprint: 'Week 1', goal: 'Ship' })
      assert.deepEqual(await stream.quiet(), [uris.sprint])
      await first.call('sprints_add_item', { project_key: 'APP', sprint: 'Week 1', item_ref: two })
      assert.deepEqual(await stream.quiet(), [uris.sprint])
      await first.call('items_complete', { item_ref: two })
      assert.deepEqual(await stream.quiet(), [uris.sprint])
      await first.confirmed('items_bulk_patch', { item_refs: [one, two], priority: 'low' })
      assert.deepEqual(new Set(await stream.quiet()), new Set([uris.one, uris.bare]))
    },
  )

  verifies('updates.visible', 'are sent to callers who may see the record at the time of the change', async () => {
    const ref = await create('Shared')
    const uri = address('item', ref)
    const member = await first.user(`member-${engine}@example.com`)
    const stranger = await first.user(`stranger-${engine}@example.com`)
    await share(`member-${engine}@example.com`, 'viewer')
    const limited = await first.credential({ projects: [] })
    const streams = [await listen(member, [uri]), await listen(stranger, [uri]), await listen(limited, [uri])]
    const readStreams = (): Promise<string[][]> => Promise.all(streams.map(stream => stream.quiet()))
    await first.call('items_patch', { item_ref: ref, title: 'Shared!' })
    assert.deepEqual(await readStreams(), [[uri], [], []])
    await share(`member-${engine}@example.com`, null)
    await first.call('items_patch', { item_ref: ref, title: 'No longer' })
    assert.deepEqual(await readStreams(), [[], [], []])
  })

  verifies('updates.visible', 'end with the credential', async () => {
    const ref = await create('Short')
    const credential = await first.credential({})
    const stream = await listen(credential, [address('item', ref)])
    await first.sql`delete from core.tokens where id = ${credential.tokenId}`
    first.authenticator.forget()
    await first.call('items_patch', { item_ref: ref, title: 'Gone' })
    assert.deepEqual(await stream.quiet(), ['end'])
  })

  test('are announced only in 2026-07-28', async () => {
    const { body } = await first.rpc('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    })
    assert.deepEqual(body.result.capabilities.resources, {})
    assert.equal((await first.rpc('resources/subscribe', { uri: address('item', 'APP#1') })).body.error.code, -32601)
    const modern = await post(url, rpc('server/discover', { _meta: modernMeta() }), {
      ...modernHeaders('server/discover'),
      accept: 'text/event-stream',
      authorization: `Bearer ${first.token}`,
    })
    const { capabilities } = (await modern.next())!.result as { capabilities: Record<string, object> }
    assert.deepEqual(capabilities['resources'], { subscribe: true })
  })

  if (engine === 'postgres')
    verifies(
      ['updates.sent', 'updates.cost'],
      'arrive from other instances, which send messages only while there is a listener',
      async t => {
        const second = await testHost(t, { engine, database: first.databaseOptions, secret: SECRET })
        const token = { headers: { authorization: `Bearer ${first.token}` } }
        const ref = await create('Elsewhere')
        const uri = address('item', ref)
        const patch = (title: string) =>
          second.rpc('tools/call', { name: 'items_patch', arguments: { item_ref: ref, title } }, token)
        const messages = async (title: string): Promise<number> => {
          const sent = await second.statements(async () => {
            await patch(title)
            await new Promise(resolve => setTimeout(resolve, QUIET_MS))
          })
          return sent.filter(text => text.includes('pg_notify')).length
        }
        const before = await messages('A')
        const stream = await listen(first, [uri])
        // On an idle machine, the other instance learns of a new listener within milliseconds.
        await new Promise(resolve => setTimeout(resolve, QUIET_MS))
        assert.equal(await messages('B'), 1)
        assert.deepEqual(await stream.quiet(), [uri])
        await Promise.all(['C', 'D', 'E', 'F'].map(patch))
        assert.deepEqual(new Set(await stream.quiet()), new Set([uri]))
        // An instance that starts later asks the others for their listeners.
        const third = await testHost(t, { engine, database: first.databaseOptions, secret: SECRET })
        await new Promise(resolve => setTimeout(resolve, QUIET_MS))
        await third.rpc('tools/call', { name: 'items_patch', arguments: { item_ref: ref, title: 'G' } }, token)
        assert.deepEqual(await stream.quiet(), [uri])
        assert.equal(before, 0)
      },
    )

  verifies('updates.cost', 'cost a write no statement without listeners', async () => {
    const ref = await create('Quiet')
    const sent = await first.statements(async () => {
      await first.call('items_patch', { item_ref: ref, title: 'Quiet!' })
      await new Promise(resolve => setTimeout(resolve, QUIET_MS))
    })
    assert.deepEqual(
      sent.filter(text => text.includes('pg_notify')),
      [],
    )
  })
})
