import assert from 'node:assert/strict'
import type { TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { emptiedHost } from '../../shared-host.ts'
import { verifies } from '../../verifies.ts'

forEachEngine('activities_list', engine => {
  const empty = emptiedHost(engine)
  const start = async () => {
    const host = await empty()
    await host.command('project create', { key: 'APP', name: 'App' })
    return host
  }
  const create = (host: TestHost, args: object = {}): Promise<unknown> =>
    host.call('items_create', { project_key: 'APP', title: 'Ship it', ...args })
  const kinds = async (host: TestHost, args: object = {}): Promise<string[]> => {
    const { activities } = await host.call('activities_list', { item_ref: 'APP#1', ...args })
    return activities.map((activity: { kind: string }) => activity.kind)
  }

  verifies(
    'activities_list.history',
    'the history of an item comes newest first, with values, actor and tool',
    async () => {
      const host = await start()
      await create(host)
      await host.call('items_patch', { item_ref: 'APP#1', due_date: '2026-05-01' })
      await host.call('items_patch', { item_ref: 'APP#1', due_date: '2026-05-02' })
      const { item_ref, activities, has_more } = await host.call('activities_list', { item_ref: '#1' })
      assert.equal(item_ref, 'APP#1')
      assert.equal(has_more, false)
      assert.deepEqual(
        activities.map((activity: { kind: string; from?: unknown; to?: unknown }) => [
          activity.kind,
          activity.from,
          activity.to,
        ]),
        [
          ['item.due_date.changed', '2026-05-01', '2026-05-02'],
          ['item.due_date.changed', undefined, '2026-05-01'],
          ['item.created', undefined, 'Ship it'],
        ],
      )
      const [newest] = activities
      assert.equal(newest.actor_kind, 'agent')
      assert.equal(newest.actor, 'owner')
      assert.equal(newest.credential, 'token of owner@example.com')
      assert.equal(newest.tool, 'items_patch')
      assert.match(newest.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    },
  )

  verifies(
    'activities_list.known_kinds',
    'completing, archiving and moving the due date have their kinds',
    async () => {
      const host = await start()
      await create(host)
      await host.call('items_patch', { item_ref: 'APP#1', due_date: '2026-05-01' })
      await host.call('items_complete', { item_ref: 'APP#1', reason: 'shipped' })
      await host.call('items_patch', { item_ref: 'APP#1', archived_at: '2026-05-03T00:00:00Z' })
      assert.deepEqual(await kinds(host), ['item.archived', 'item.completed', 'item.due_date.changed', 'item.created'])
      const { activities } = await host.call('activities_list', { item_ref: 'APP#1', kind: 'item.completed' })
      assert.equal(activities[0].reason, 'shipped')
    },
  )

  verifies('activities_list.kind', 'kind is a complete kind or a prefix', async () => {
    const host = await start()
    await create(host)
    await host.call('items_patch', { item_ref: 'APP#1', due_date: '2026-05-01', priority: 'high' })
    assert.deepEqual(await kinds(host, { kind: 'item.created' }), ['item.created'])
    assert.deepEqual(await kinds(host, { kind: 'item.due_date.*' }), ['item.due_date.changed'])
    assert.deepEqual(await kinds(host, { kind: 'item.due' }), [])
    assert.equal((await kinds(host, { kind: 'item.' })).length, 3)
    assert.deepEqual(await kinds(host, { kind: 'item_created.' }), [], 'an underscore is no wildcard')
    const { warnings } = await host.call('activities_list', { item_ref: 'APP#1', kind: 'completed' })
    assert.match(warnings[0], /item\.created/)
  })

  verifies('activities_list.actor_kind', 'actor_kind filters by the kind of actor', async () => {
    const host = await start()
    await create(host)
    const human = await host.credential({ kind: 'human' })
    await human.call('items_patch', { item_ref: 'APP#1', priority: 'high' })
    assert.deepEqual(await kinds(host, { actor_kind: 'human' }), ['item.priority.changed'])
    assert.deepEqual(await kinds(host, { actor_kind: 'agent' }), ['item.created'])
    assert.deepEqual(await kinds(host, { actor_kind: 'system' }), [])
  })

  verifies('activities_list.limit', 'limit is 1 to 50, and has_more says if there are more', async () => {
    const host = await start()
    await create(host)
    for (let day = 1; day <= 20; day++) {
      await host.call('items_patch', { item_ref: 'APP#1', due_date: `2026-05-${String(day).padStart(2, '0')}` })
    }
    const byDefault = await host.call('activities_list', { item_ref: 'APP#1' })
    assert.deepEqual([byDefault.activities.length, byDefault.has_more], [20, true])
    const all = await host.call('activities_list', { item_ref: 'APP#1', limit: 21 })
    assert.deepEqual([all.activities.length, all.has_more], [21, false])
    for (const limit of [0, 51]) {
      await assert.rejects(host.call('activities_list', { item_ref: 'APP#1', limit }), {
        code: 'invalid_argument',
        field: 'limit',
      })
    }
  })

  verifies('activities_list.history', 'long texts are stored as length and excerpt', async () => {
    const host = await start()
    await create(host, { detail: 'short' })
    await host.call('items_patch', { item_ref: 'APP#1', detail: 'あ'.repeat(5000) })
    const { activities } = await host.call('activities_list', { item_ref: 'APP#1', limit: 1 })
    assert.ok(JSON.stringify(activities).length < 1000)
  })

  verifies(
    'activities_list.history',
    'reading sends one statement, and recording one more, whatever the number of items',
    async () => {
      const host = await start()
      const refs = []
      for (let n = 1; n <= 12; n++) {
        await create(host)
        refs.push(`APP#${n}`)
      }
      assert.equal(
        (await host.statements(() => host.call('activities_list', { item_ref: 'APP#1', kind: 'item.' }))).length,
        1,
      )
      const bulk = { item_refs: refs, priority: 'high', due_date: '2026-06-01' }
      const sent = await host.statements(() => host.confirmed('items_bulk_patch', bulk))
      assert.equal(sent.filter(text => text.includes('insert into workspace.activities')).length, 1)
      assert.deepEqual(await kinds(host, { item_ref: 'APP#12', kind: 'item.priority.changed' }), [
        'item.priority.changed',
      ])
    },
  )

  verifies('ownership.invisible', 'the history of an invisible item is not found', async () => {
    const host = await start()
    await create(host)
    const other = await host.user('other@example.com')
    await assert.rejects(other.call('activities_list', { item_ref: 'APP#1' }), { code: 'not_found', field: 'item_ref' })
    const [inbox] = await host.sql<{
      id: string
    }>`select id from projects.projects where owner_id = ${host.userId} and is_inbox`
    const limited = await host.credential({ projects: [inbox!.id] })
    await assert.rejects(limited.call('activities_list', { item_ref: 'APP#1' }), { code: 'not_found' })
  })

  verifies('activities_list.history', 'the history is deleted with its item', async () => {
    const host = await start()
    await create(host)
    await host.sql`delete from items.items where owner_id = ${host.userId}`
    assert.deepEqual(await host.sql`select id from workspace.activities where item_id is not null`, [])
  })
})
