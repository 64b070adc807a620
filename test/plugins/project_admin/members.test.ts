import assert from 'node:assert/strict'
import type { TestCaller, TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { adminHost } from './admin.ts'

forEachEngine('project_members_set', engine => {
  const empty = adminHost(engine)

  /** Projects APP and LAB of the owner with one item each (#1, #2); bob has one of his own, in his Inbox. */
  const start = async (): Promise<{ host: TestHost; bob: TestCaller; eve: TestCaller }> => {
    const host = await empty()
    const [bob, eve] = [await host.user('bob@example.com'), await host.user('eve@example.com')]
    for (const key of ['APP', 'LAB']) {
      await host.call('projects_create', { key, name: key })
      await host.call('items_create', { project_key: key, title: `Item of ${key}`, due_date: '2026-01-01' })
    }
    await bob.call('items_create', { project_key: 'INBOX', title: 'Item of bob' })
    return { host, bob, eve }
  }
  const share = (host: TestHost, role: 'viewer' | 'editor' | null, email = 'bob@example.com', project_key = 'APP') =>
    host.call('project_members_set', { project_key, email, role })
  const keys = async (caller: TestCaller): Promise<string[]> =>
    (await caller.call('projects_list')).projects.map(
      ({ key, role, owner }: { key: string; role?: string; owner?: string }) =>
        role === undefined ? key : `${owner}/${key} ${role}`,
    )

  verifies(
    ['project_members_set.add', 'ownership.member_sees_project', 'projects_list.shared'],
    'a viewer sees the project with its items and nothing else',
    async () => {
      const { host, bob } = await start()
      assert.deepEqual(await keys(bob), ['INBOX'])
      const { members, changed, project_key } = await share(host, 'viewer', ' Bob@Example.com ')
      assert.deepEqual(members, [{ email: 'bob@example.com', name: 'bob', role: 'viewer' }])
      assert.deepEqual([changed, project_key], [['role'], 'APP'])
      assert.deepEqual(await keys(bob), ['INBOX', 'owner@example.com/APP viewer'])
      assert.equal((await bob.call('items_get', { item_ref: 'APP#1' })).item.title, 'Item of APP')
      const { items } = await bob.call('tasks_list', { include_total: true })
      assert.deepEqual(items.map((item: { ref: string }) => item.ref).toSorted(), ['APP#1', 'INBOX#1'])
      for (const ref of ['LAB#2', '#2'])
        await assert.rejects(bob.call('items_get', { item_ref: ref }), { code: 'not_found' }, ref)
      await assert.rejects(bob.call('item_kinds_list', { project_key: 'LAB' }), { code: 'not_found' })
      assert.equal((await bob.call('activities_list', { item_ref: 'APP#1' })).activities[0].actor, 'owner')
      // His own calls above, which name the other project, are digested in the background.
      const { conversations: _own, ...overview } = await bob.call('me_overview')
      assert.deepEqual(overview.projects[1], {
        key: 'APP',
        name: 'APP',
        owner: 'owner@example.com',
        open_tasks: 1,
        overdue_tasks: 1,
      })
      assert.ok(!JSON.stringify(overview).includes('LAB'))
      assert.deepEqual(overview.open_tasks.map((task: { ref: string }) => task.ref).toSorted(), ['APP#1', 'INBOX#1'])
      assert.deepEqual(overview.recent_activity.map((activity: { item_ref: string }) => activity.item_ref).toSorted(), [
        'APP#1',
        'INBOX#1',
      ])
    },
  )

  verifies(
    'ownership.viewer_reads',
    'a viewer is refused every write, an editor writes, and only the owner administers',
    async () => {
      const { host, bob } = await start()
      await share(host, 'viewer')
      const writes: readonly (readonly [string, object])[] = [
        ['items_create', { project_key: 'APP', title: 'Mine' }],
        ['items_patch', { item_ref: 'APP#1', title: 'Mine' }],
        ['items_complete', { item_ref: 'APP#1' }],
        ['items_move_state', { item_ref: 'APP#1', status_definition_id: 'Done' }],
        ['items_rewrite_detail', { item_ref: 'APP#1', new_detail: 'Mine' }],
      ]
      const administration: readonly (readonly [string, object])[] = [
        ['projects_update', { project_key: 'APP', name: 'Mine' }],
        ['project_features_set', { project_key: 'APP', features: { sprints: false } }],
        ['project_members_set', { project_key: 'APP', email: 'eve@example.com', role: 'editor' }],
        ['project_members_set', { project_key: 'APP', email: 'bob@example.com', role: 'editor' }],
      ]
      for (const [tool, args] of [...writes, ...administration])
        await assert.rejects(bob.call(tool, args), { code: 'forbidden' }, tool)
      assert.equal((await host.call('items_get', { item_ref: 'APP#1' })).item.title, 'Item of APP')

      assert.deepEqual((await share(host, 'editor')).changed, ['role'])
      assert.deepEqual((await share(host, 'editor')).changed, [])
      await bob.call('items_patch', { item_ref: 'APP#1', title: 'Edited' })
      const { item } = await bob.call('items_create', { project_key: 'APP', title: 'From bob' })
      assert.equal(item.ref, 'APP#3')
      const { activities } = await host.call('activities_list', { item_ref: 'APP#3' })
      assert.equal(activities[0].actor, 'bob')
      for (const [tool, args] of administration) await assert.rejects(bob.call(tool, args), { code: 'forbidden' }, tool)
    },
  )

  verifies('ownership.invisible', 'for a third user nothing of it exists', async () => {
    const { host, eve } = await start()
    await share(host, 'viewer')
    const calls: readonly (readonly [string, object])[] = [
      ['items_get', { item_ref: 'APP#1' }],
      ['items_get', { item_ref: 'owner@example.com/APP#1' }],
      ['items_patch', { item_ref: 'APP#1', title: 'Mine' }],
      ['items_complete', { item_ref: '#1' }],
      ['items_create', { project_key: 'APP', title: 'Mine' }],
      ['activities_list', { item_ref: 'APP#1' }],
      ['item_kinds_list', { project_key: 'APP' }],
      ['item_kinds_list', { project_key: 'owner@example.com/APP' }],
      ['tasks_list', { project_key: 'APP' }],
      ['projects_update', { project_key: 'APP', name: 'Mine' }],
      ['project_features_set', { project_key: 'APP', features: { sprints: false } }],
      ['project_members_set', { project_key: 'APP', email: 'eve@example.com', role: 'editor' }],
    ]
    for (const [tool, args] of calls) {
      await assert.rejects(eve.call(tool, args), (error: { code: string; allowed?: readonly string[] }) => {
        assert.equal(error.code, 'not_found', `${tool} ${JSON.stringify(args)}`)
        assert.ok(!JSON.stringify(error.allowed ?? []).includes('APP'), tool)
        return true
      })
    }
    assert.deepEqual(await keys(eve), ['INBOX'])
    assert.equal((await eve.call('tasks_list', { include_total: true })).total, 0)
  })

  verifies('project_members_set.remove', 'null removes, and the former member sees nothing from then on', async () => {
    const { host, bob } = await start()
    await share(host, 'editor')
    await bob.call('items_get', { item_ref: 'APP#1' })
    const { members, changed } = await share(host, null)
    assert.deepEqual([members, changed], [[], ['role']])
    await assert.rejects(bob.call('items_get', { item_ref: 'APP#1' }), { code: 'not_found' })
    assert.deepEqual(await keys(bob), ['INBOX'])
    assert.deepEqual((await share(host, null)).changed, [])
  })

  verifies('project_members_set.add', 'unknown users, the owner and the Inbox are refused', async () => {
    const { host } = await start()
    await assert.rejects(share(host, 'viewer', 'nobody@example.com'), { code: 'not_found', field: 'email' })
    await assert.rejects(share(host, 'viewer', 'owner@example.com'), { code: 'invalid_argument', field: 'email' })
    await assert.rejects(share(host, 'viewer', 'bob@example.com', 'INBOX'), {
      code: 'invalid_argument',
      field: 'project_key',
    })
    await assert.rejects(host.call('project_members_set', { project_key: 'APP', email: 'bob@example.com' }), {
      code: 'missing_argument',
      field: 'role',
    })
    await assert.rejects(
      host.call('project_members_set', { project_key: 'APP', email: 'bob@example.com', role: 'owner' }),
      { code: 'invalid_argument', field: 'role' },
    )
  })

  verifies(
    'ownership.ambiguous_project',
    'a key that two visible projects share is refused with candidates that work',
    async () => {
      const { host, bob } = await start()
      await share(host, 'editor')
      await bob.call('projects_create', { key: 'APP', name: 'Another' })
      const refused = await bob
        .call('items_create', { project_key: 'app', title: 'Where?' })
        .then(assert.fail, (error: { code: string; allowed: string[] }) => error)
      assert.deepEqual(
        [refused.code, refused.allowed],
        ['ambiguous_ref', ['bob@example.com/APP', 'owner@example.com/APP']],
      )
      const made = []
      for (const project_key of refused.allowed) {
        made.push((await bob.call('items_create', { project_key, title: project_key })).item.ref)
        await bob.call('item_kinds_list', { project_key })
      }
      assert.deepEqual(made, ['APP#2', 'APP#3'])
      assert.equal((await host.call('items_get', { item_ref: 'APP#3' })).item.title, 'owner@example.com/APP')
      assert.equal(
        (await host.call('items_get', { item_ref: 'APP#2' }).catch((error: { code: string }) => error)).code,
        'not_found',
      )
    },
  )

  verifies(
    'ownership.own_first',
    'a bare number means the own item first, and candidates are accepted where a reference is ambiguous',
    async () => {
      const { host, bob } = await start()
      await share(host, 'editor')
      assert.equal((await bob.call('items_get', { item_ref: '#1' })).item.title, 'Item of bob')
      await bob.call('projects_create', { key: 'APP', name: 'Another' })
      await host.call('items_create', { project_key: 'APP', title: 'Third of owner' })
      for (const title of ['Second of bob', 'Third of bob'])
        await bob.call('items_create', { project_key: 'bob@example.com/APP', title })
      const refused = await bob
        .call('activities_list', { item_ref: 'APP#3' })
        .then(assert.fail, (error: { code: string; allowed: string[] }) => error)
      assert.deepEqual(
        [refused.code, refused.allowed.toSorted()],
        ['ambiguous_ref', ['bob@example.com/APP#3', 'owner@example.com/APP#3']],
      )
      const titles = []
      for (const item_ref of refused.allowed.toSorted()) {
        titles.push((await bob.call('items_get', { item_ref })).item.title)
        assert.equal((await bob.call('activities_list', { item_ref })).activities.length, 1)
      }
      assert.deepEqual(titles, ['Third of bob', 'Third of owner'])
      const eve = await host.user('carol@example.com')
      await share(host, 'viewer', 'carol@example.com')
      assert.equal((await eve.call('items_get', { item_ref: '#3' })).item.title, 'Third of owner')
    },
  )

  verifies('project_members_set.add', 'it is four statements, whatever the number of members', async () => {
    const { host } = await start()
    const count = async (email: string): Promise<number> =>
      (await host.statements(() => share(host, 'viewer', email))).filter(text => /projects\.|core\.users/.test(text))
        .length
    const first = await count('bob@example.com')
    assert.equal(first, 4)
    assert.equal(await count('eve@example.com'), first)
  })
})
