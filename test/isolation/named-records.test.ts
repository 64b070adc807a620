import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { TestCaller, TestHost } from 'tasuki/testing'
import { linkRepository } from '../../plugins/code_refs/index.ts'
import { deliveryOf } from '../../plugins/code_refs/read-delivery.ts'
import { storeChanges } from '../../plugins/code_refs/receive.ts'
import { forEachEngine } from '../engines.ts'
import { acceptAll } from '../members.ts'
import { hostOfSuite } from '../host-pool.ts'
import { suiteScope } from '../core/suite-scope.ts'

type Item = Readonly<Record<string, unknown>>

/** A member sees the owner's project TEAM but not PRIV; a credential of the owner is limited to TEAM. */
forEachEngine('names of records that the caller may not see', engine => {
  const scope = suiteScope()
  let host: TestHost
  let member: TestCaller
  let limited: TestCaller
  /** Items of the owner. */
  const refs: Record<'child' | 'linked' | 'moved' | 'plain' | 'secret', string> = {
    child: '',
    linked: '',
    moved: '',
    plain: '',
    secret: '',
  }
  const each = async (work: (caller: TestCaller, name: string) => Promise<void>): Promise<void> => {
    await work(member, 'member')
    await work(limited, 'limited credential')
  }
  const create = async (project_key: string, title: string, more: object = {}): Promise<string> =>
    (await host.call('items_create', { project_key, title, ...more })).item.ref
  const project = async (key: string): Promise<{ ownerId: string; id: string; key: string }> => {
    const [row] = await host.sql<{
      id: string
    }>`select id from projects.projects where owner_id = ${host.userId} and key = ${key}`
    return { ownerId: host.userId, id: row!.id, key }
  }
  const commit = async (key: string, message: string): Promise<number> => {
    const from = await project(key)
    return host.write(async ctx => {
      const { id } = await linkRepository(ctx, from, 'github', `acme/${message.slice(0, 8)}`)
      const link = { id, ownerId: from.ownerId }
      const change = {
        kind: 'commit' as const,
        externalId: message,
        title: message,
        url: 'https://example.com/c',
        author: null,
        state: null,
        branch: null,
        occurredAt: null,
        texts: [message],
      }
      return (await storeChanges(ctx, link, deliveryOf([change]))).stored
    })
  }

  before(async () => {
    host = await hostOfSuite(scope, { engine, config: { plugins: { project_admin: {} } } })
    member = await host.user('member@example.com')
    for (const key of ['TEAM', 'PRIV']) await host.call('projects_create', { key, name: `${key} project` })
    await host.call('project_members_set', { project_key: 'TEAM', email: 'member@example.com', role: 'editor' })
    await host.write(ctx => acceptAll(ctx, 'member@example.com'))
    limited = await host.credential({ projects: [(await project('TEAM')).id] })
    for (const name of ['child', 'linked', 'plain'] as const) refs[name] = await create('TEAM', name)
    refs.secret = await create('PRIV', 'The secret')
    await host.call('sprints_create', { project_key: 'PRIV', name: 'Secret sprint' })
    refs.moved = await create('PRIV', 'moved', { sprint: 'Secret sprint', labels: ['secret label'] })
    await host.call('items_patch', { item_ref: refs.child, parent: refs.secret })
    await host.call('relations_create', {
      source_item_ref: refs.linked,
      target_item_ref: refs.secret,
      relation_type: 'reference',
    })
    await host.call('items_patch', { item_ref: refs.moved, labels: ['secret label', 'another secret'] })
    await commit('PRIV', `For ${refs.moved}`)
    await host.confirmed('items_move_project', { item_refs: [refs.moved], to_project: 'TEAM' })
    refs.moved = refs.moved.replace('PRIV', 'TEAM')
  })

  test('filters on parents and relations count only what the caller sees', async () => {
    const found = async (caller: TestCaller, q: string): Promise<string[]> =>
      (await caller.call('tasks_list', { q: `project:TEAM ${q}` })).items.map(({ ref }: Item) => ref)
    for (const q of [
      `relates:${refs.secret}`,
      'relates:any',
      'has:relation',
      'has:parent',
      'parent:any',
      `parent:${refs.secret}`,
    ])
      assert.equal((await found(host, q)).length, 1, q)
    await each(async (caller, name) => {
      for (const q of [
        'has:relation',
        'has:parent',
        'parent:any',
        'relates:any',
        `relates:${refs.secret}`,
        `parent:${refs.secret}`,
      ])
        assert.deepEqual(await found(caller, q), [], `${name}: ${q}`)
      for (const q of ['no:relation', 'no:parent', 'parent:none', 'relates:none'])
        assert.equal((await found(caller, q)).length, 4, `${name}: ${q}`)
    })
  })

  test('the history keeps a parent that others do not see for those who do', async () => {
    await member.call('items_patch', { item_ref: refs.child, parent: refs.plain })
    const history = async (caller: TestCaller): Promise<Item[]> =>
      (await caller.call('activities_list', { item_ref: refs.child, kind: 'item.parent.changed' })).activities
    assert.deepEqual(
      (await history(host)).map(({ from, to }) => [from, to]),
      [
        [refs.secret, refs.plain],
        [undefined, refs.secret],
      ],
    )
    await each(async (caller, name) =>
      assert.deepEqual(
        (await history(caller)).map(({ from, to }) => [from, to]),
        [[undefined, refs.plain]],
        name,
      ),
    )
    await host.call('items_patch', { item_ref: refs.child, parent: refs.secret })
  })

  test('the history of an item names no hidden item, project, sprint or label, and no credential of others', async () => {
    await each(async (caller, name) => {
      for (const item_ref of [refs.child, refs.linked, refs.moved]) {
        const { activities } = await caller.call('activities_list', { item_ref, limit: 50 })
        assert.doesNotMatch(JSON.stringify(activities), /PRIV|[Ss]ecret|acme|token of owner/, `${name}: ${item_ref}`)
      }
      assert.deepEqual(
        (await caller.call('activities_list', { item_ref: refs.linked, kind: 'relation.' })).activities,
        [],
      )
      const { recent_activity: recent } = await caller.call('me_overview')
      assert.doesNotMatch(JSON.stringify(recent), /relation/, name)
    })
    const { activities } = await host.call('activities_list', { item_ref: refs.moved, limit: 50 })
    assert.match(JSON.stringify(activities), /PRIV.*Secret sprint|Secret sprint.*PRIV/)
    assert.ok(
      activities.every(({ actor_kind, credential }: Item) => actor_kind === 'system' || typeof credential === 'string'),
    )
  })

  test('commits reach only items of the project that the repository is linked to', async () => {
    const before = await commit('PRIV', `Elsewhere ${refs.plain}`)
    assert.equal(before, 0)
    assert.equal((await host.call('code_refs_get', { item_ref: refs.moved })).code_refs.length, 1)
    await each(async (caller, name) => {
      assert.deepEqual((await caller.call('code_refs_get', { item_ref: refs.moved })).code_refs, [], name)
      assert.deepEqual((await caller.call('tasks_list', { q: 'has:code_ref' })).items, [], name)
    })
  })

  test('series reach those who see an item in them, and only their owner chooses numbers', async () => {
    for (const [key, prefix] of [
      ['team', 'TM'],
      ['priv', 'PV'],
      ['both', 'BO'],
    ])
      await host.call('custom_sequences_create', { series_key: key, prefix })
    const assign = (caller: TestCaller, series_key: string, item_ref: string, more: object = {}) =>
      caller.call('custom_numbers_assign', { series_key, item_ref, ...more })
    await assign(host, 'team', refs.plain)
    await assign(host, 'both', refs.plain)
    await assign(host, 'both', refs.secret)
    await assign(host, 'priv', refs.secret)
    await assert.rejects(assign(member, 'priv', refs.plain), { code: 'not_found', allowed: ['both', 'team'] })
    await assert.rejects(assign(limited, 'priv', refs.plain), { code: 'not_found', allowed: ['team'] })
    await assert.rejects(assign(limited, 'both', refs.child), { code: 'not_found', allowed: ['team'] })
    const { sequences } = await limited.call('custom_sequences_list')
    assert.deepEqual(
      sequences.map(({ series_key }: Item) => series_key),
      ['team'],
    )
    for (const caller of [member, limited])
      for (const number of [7, 999_999_999])
        await assert.rejects(assign(caller, 'team', refs.linked, { number }), { code: 'forbidden', field: 'number' })
    assert.equal((await assign(member, 'team', refs.linked)).custom_number.display_ref, 'TM-2')
    assert.equal((await assign(limited, 'team', refs.child)).custom_number.display_ref, 'TM-3')
    await assign(host, 'team', refs.secret, { number: 999_999_999 })
    await assert.rejects(assign(host, 'team', refs.moved), { code: 'limit_exceeded', field: 'number' })
  })

  test('only current members are notified of a closed sprint, and no credentials for other projects', async () => {
    const team = { project_key: 'TEAM' }
    await member.call('sprints_create', {
      ...team,
      name: 'Run',
      start_date: '2026-06-01',
      end_date: '2026-06-14',
      status: 'active',
    })
    await member.call('sprints_close', { ...team, sprint: 'Run' })
    const elsewhere = await host.credential({ projects: [(await project('PRIV')).id] })
    const notified = async (caller: TestCaller): Promise<number> => {
      const { notifications } = await caller.call('notifications_list')
      assert.equal((await caller.call('me_overview')).unread_notifications, notifications.length)
      return notifications.filter(({ kind }: Item) => kind === 'sprint.closed').length
    }
    assert.deepEqual([await notified(host), await notified(limited), await notified(elsewhere)], [1, 1, 0])
    assert.doesNotMatch(JSON.stringify(await host.call('notifications_list')), /project_id/)
    await host.call('sprints_create', {
      ...team,
      name: 'Walk',
      start_date: '2026-06-15',
      end_date: '2026-06-28',
      status: 'active',
    })
    await host.call('sprints_close', { ...team, sprint: 'Walk' })
    assert.equal(await notified(member), 1)
    await host.call('project_members_set', { ...team, email: 'member@example.com', role: null })
    assert.equal(await notified(member), 0)
  })

  test('the meaning of a bare key does not depend on projects that the credential may not use', async () => {
    const other = await host.user('other@example.com')
    await other.call('projects_create', { key: 'PRIV', name: 'Theirs' })
    await other.call('project_members_set', { project_key: 'PRIV', email: 'owner@example.com', role: 'editor' })
    await host.write(ctx => acceptAll(ctx, 'owner@example.com'))
    const [theirs] = await host.sql<{
      id: string
    }>`select id from projects.projects where owner_id = ${other.userId} and key = 'PRIV'`
    const guest = await host.credential({ projects: [theirs!.id] })
    const { item } = await guest.call('items_create', { project_key: 'PRIV', title: 'Over there' })
    assert.match(item.ref, /^PRIV#\d+$/)
    assert.equal((await guest.call('items_get', { item_ref: item.ref })).item.title, 'Over there')
    for (const q of ['project:PRIV', `ref:${item.ref}`, `ref:#${item.ref.split('#')[1]}`])
      assert.equal((await guest.call('tasks_list', { q })).items.length, 1, q)
  })
})
