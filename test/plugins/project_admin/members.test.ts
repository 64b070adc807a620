import assert from 'node:assert/strict'
import type { TestCaller, TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { verifies } from '../../verifies.ts'
import { adminHost } from './admin.ts'

forEachEngine('project_members_set', engine => {
  const empty = adminHost(engine)

  /** Creates the owner's projects APP and LAB with one item each (#1, #2), and bob with an item in his Inbox. */
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
  const set = (host: TestHost, role: 'viewer' | 'editor' | null, email = 'bob@example.com', project_key = 'APP') =>
    host.call('project_members_set', { project_key, email, role })
  const share: typeof set = async (host, role, email) => {
    const answer = await set(host, role, email)
    await host.write(ctx => acceptAll(ctx, email ?? 'bob@example.com'))
    return answer
  }
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
      const invitation = { email: 'bob@example.com', role: 'viewer' }
      assert.deepEqual(await share(host, 'viewer', ' Bob@Example.com '), {
        project_key: 'APP',
        members: [],
        invited: [invitation],
        changed: ['invited'],
      })
      const { members, invited } = await set(host, 'viewer')
      assert.deepEqual([members, invited], [[{ ...invitation, name: 'bob' }], []])
      assert.deepEqual(await keys(bob), ['INBOX', 'owner@example.com/APP viewer'])
      assert.equal((await bob.call('items_get', { item_ref: 'APP#1' })).item.title, 'Item of APP')
      const { items } = await bob.call('tasks_list', { include_total: true })
      assert.deepEqual(items.map((item: { ref: string }) => item.ref).toSorted(), ['APP#1', 'INBOX#1'])
      for (const ref of ['LAB#2', '#2'])
        await assert.rejects(bob.call('items_get', { item_ref: ref }), { code: 'not_found' }, ref)
      await assert.rejects(bob.call('item_kinds_list', { project_key: 'LAB' }), { code: 'not_found' })
      assert.equal((await bob.call('activities_list', { item_ref: 'APP#1' })).activities[0].actor, 'owner')
      // Conversations record bob's own calls above, which name the other project.
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

  verifies('ownership.invisible', 'for other users it does not exist', async () => {
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

  verifies('project_members_set.remove', 'null removes a member, who then sees nothing', async () => {
    const { host, bob } = await start()
    await share(host, 'editor')
    await bob.call('items_get', { item_ref: 'APP#1' })
    const { members, changed } = await share(host, null)
    assert.deepEqual([members, changed], [[], ['role']])
    await assert.rejects(bob.call('items_get', { item_ref: 'APP#1' }), { code: 'not_found' })
    assert.deepEqual(await keys(bob), ['INBOX'])
    assert.deepEqual((await share(host, null)).changed, [])
  })

  verifies('project_members_set.add', 'an invalid address, the owner and the Inbox are refused', async () => {
    const { host } = await start()
    for (const email of ['nobody', 'no body@example.com', '@@@', ' owner@example.com'])
      await assert.rejects(set(host, 'viewer', email), { code: 'invalid_argument', field: 'email' })
    await assert.rejects(set(host, 'viewer', 'bob@example.com', 'INBOX'), {
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
    "a shared key means the caller's own project; without one, valid candidates are listed",
    async () => {
      const { host, bob } = await start()
      await bob.call('projects_create', { key: 'APP', name: 'Of bob' })
      const { item } = await bob.call('items_create', { project_key: 'APP', title: 'Second of bob' })
      assert.equal(item.ref, 'APP#2')
      await share(host, 'editor')
      await host.call('items_create', { project_key: 'APP', title: 'Third of owner' })
      const theirs = 'owner@example.com/APP'
      const titles = async (args: object): Promise<string[]> =>
        (await bob.call('tasks_list', args)).items.map((each: { title: string }) => each.title).toSorted()
      // The bare key has the same meaning as before.
      assert.deepEqual(await titles({ project_key: 'app' }), ['Second of bob'])
      assert.deepEqual(await titles({ q: 'project:app' }), ['Second of bob'])
      assert.deepEqual(await titles({ q: 'ref:APP#2' }), ['Second of bob'])
      assert.deepEqual(await titles({ q: 'ref:#2' }), ['Second of bob'])
      assert.equal((await bob.call('items_get', { item_ref: 'APP#2' })).item.title, 'Second of bob')
      await assert.rejects(bob.call('items_get', { item_ref: 'APP#3' }), {
        code: 'not_found',
        hint: new RegExp(`${theirs}#3`),
      })
      assert.equal((await bob.call('items_create', { project_key: 'APP', title: 'Mine' })).item.ref, 'APP#3')
      // The key with its owner means exactly the other project.
      assert.deepEqual(await titles({ project_key: theirs }), ['Item of APP', 'Third of owner'])
      assert.deepEqual(await titles({ q: `project:${theirs}` }), ['Item of APP', 'Third of owner'])
      assert.deepEqual(await titles({ q: `ref:${theirs}#3` }), ['Third of owner'])
      assert.deepEqual(await titles({ project_key: 'bob@example.com/APP' }), ['Mine', 'Second of bob'])
      // Every reference in a list leads to its own item.
      const { items } = await bob.call('tasks_list', {})
      const refs = items.map((each: { ref: string }) => each.ref).toSorted()
      assert.deepEqual(refs, ['APP#2', 'APP#3', 'INBOX#1', `${theirs}#1`, `${theirs}#3`])
      for (const { ref, title } of items) {
        const found = await bob.call('items_get', { item_ref: ref })
        assert.deepEqual([found.item.ref, found.item.title], [ref, title])
      }
      for (const [tool, args] of [
        ['query', { q: 'third' }],
        ['items_grep', { pattern: 'Third' }],
      ] as const)
        assert.deepEqual(
          (await bob.call(tool, args)).items.map((each: { ref: string }) => each.ref),
          [`${theirs}#3`],
        )
      const { item: made } = await bob.call('items_create', { project_key: theirs, title: 'For the owner' })
      assert.equal(made.ref, `${theirs}#4`)
      assert.equal((await host.call('items_get', { item_ref: 'APP#4' })).item.title, 'For the owner')
      // A user without a project of that key reaches the shared one, and is asked if there are several.
      const eve = await host.user('carol@example.com')
      await share(host, 'editor', 'carol@example.com')
      assert.equal((await eve.call('items_get', { item_ref: 'APP#3' })).item.title, 'Third of owner')
      await bob.call('project_members_set', { project_key: 'APP', email: 'carol@example.com', role: 'viewer' })
      await host.write(ctx => acceptAll(ctx, 'carol@example.com'))
      const candidates = ['bob@example.com/APP', theirs]
      await assert.rejects(eve.call('items_create', { project_key: 'app', title: 'Where?' }), {
        code: 'ambiguous_ref',
        allowed: candidates,
      })
      await assert.rejects(eve.call('items_get', { item_ref: 'APP#3' }), { code: 'ambiguous_ref' })
      for (const [n, title] of ['Mine', 'Third of owner'].entries())
        assert.equal((await eve.call('items_get', { item_ref: `${candidates[n]}#3` })).item.title, title)
      // A new project of the user takes precedence for its key at once.
      await eve.call('projects_create', { key: 'APP', name: 'Of carol' })
      assert.equal((await eve.call('items_create', { project_key: 'APP', title: 'Own' })).item.ref, 'APP#1')
    },
  )

  verifies(
    'ownership.own_first',
    "a bare number means the caller's own item first, and listed candidates of ambiguous references work",
    async () => {
      const { host, bob } = await start()
      await share(host, 'editor')
      assert.equal((await bob.call('items_get', { item_ref: '#1' })).item.title, 'Item of bob')
      await host.call('items_create', { project_key: 'APP', title: 'Third of owner' })
      const eve = await host.user('carol@example.com')
      await share(host, 'viewer', 'carol@example.com')
      assert.equal((await eve.call('items_get', { item_ref: '#3' })).item.title, 'Third of owner')
    },
  )

  verifies(
    'sharing.own_references',
    "bare names of sprints, states and numbers mean the caller's own, whatever is shared",
    async () => {
      const { host, bob } = await start()
      await bob.call('projects_create', { key: 'APP', name: 'Of bob' })
      for (const [caller, user] of [
        [host, 'owner@example.com'],
        [bob, 'bob@example.com'],
      ] as const) {
        const { item } = await caller.call('items_create', { project_key: 'APP', title: `Numbered of ${user}` })
        await caller.call('sprints_create', { project_key: 'APP', name: 'Week 1', status: 'active' })
        await host.command('series create', { key: 'bill', prefix: 'BILL', user })
        await caller.call('custom_numbers_assign', { item_ref: item.ref, series_key: 'bill' })
      }
      const look = async (): Promise<unknown[]> => {
        const answers: unknown[] = []
        for (const [tool, args] of [
          ['items_get', { item_ref: 'BILL-1' }],
          ['items_get', { item_ref: '#1' }],
          ['agile_sprint_forecast', { sprint_id: 'Week 1' }],
          ['agile_sprint_forecast', { sprint_id: '@active' }],
          ['workflow_transitions_list', { from_state_id: 'Backlog' }],
          ['tasks_list', { project_key: 'APP' }],
          ['sprints_list', { project_key: 'APP' }],
        ] as const)
          answers.push(await bob.call(tool, args))
        return answers
      }
      const before = await look()
      await share(host, 'editor')
      assert.equal((await keys(bob)).length, 3)
      assert.deepEqual(await look(), before)
      // A user without such a project reaches the shared one, or is asked.
      const eve = await host.user('carol@example.com')
      await share(host, 'viewer', 'carol@example.com')
      assert.equal((await eve.call('items_get', { item_ref: 'BILL-1' })).item.title, 'Numbered of owner@example.com')
    },
  )

  verifies(
    ['project_members_set.add', 'sharing.same_answer'],
    'it sends seven statements, whatever the number of members, and the same to an address without account',
    async () => {
      const { host } = await start()
      const sent = (email: string): Promise<string[]> => host.statements(() => set(host, 'viewer', email))
      const first = await sent('bob@example.com')
      assert.equal(first.filter(text => /projects\.|core\.users/.test(text)).length, 7)
      assert.deepEqual(await sent('nobody@example.com'), first)
      await host.write(ctx => acceptAll(ctx, 'bob@example.com'))
      assert.deepEqual(await sent('eve@example.com'), first)
    },
  )
})
