import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item, type ItemsUser } from './setup.ts'

forEachEngine('items_facet', engine => {
  const { newUser, statements } = itemsHost(engine)
  const counts = async (user: ItemsUser, facet_by: string, args: object = {}): Promise<Record<string, number>> => {
    const { facets } = await user.call('items_facet', { facet_by, ...args })
    return Object.fromEntries(facets.map(({ value, count }: { value: string; count: number }) => [value, count]))
  }
  const sample = async (): Promise<ItemsUser> => {
    const user = await newUser()
    await user.createProject('APP')
    const tasks: Item[] = [
      { priority: 'high', kind: 'bug', due_date: '2026-05-01' },
      { priority: 'high', start_date: '2026-05-01', labels: ['someday'] },
      { project_key: 'APP', labels: ['Someday'] },
      { project_key: 'APP', labels: ['other'] },
      { project_key: 'APP', detail: 'body' },
    ]
    for (const task of tasks) await user.task(task)
    await user.call('items_complete', { item_ref: '#5' })
    return user
  }

  verifies(
    ['items_facet.by', 'items_facet.schedule_kind', 'items_facet.counts'],
    'items are counted by each of the five properties',
    async () => {
      const user = await sample()
      assert.deepEqual(await counts(user, 'state'), { Backlog: 4, Done: 1 })
      assert.deepEqual(await counts(user, 'priority'), { none: 3, high: 2 })
      assert.deepEqual(await counts(user, 'agile_kind'), { task: 4, bug: 1 })
      assert.deepEqual(await counts(user, 'project'), { APP: 3, INBOX: 2 })
      assert.deepEqual(await counts(user, 'schedule_kind'), { dated: 2, anytime: 2, someday: 1 })
      assert.deepEqual(await user.call('items_facet', { facet_by: 'state' }), {
        facet_by: 'state',
        facets: [
          { value: 'Backlog', count: 4 },
          { value: 'Done', count: 1 },
        ],
        total: 5,
      })
      await assert.rejects(user.call('items_facet', { facet_by: 'owner' }), {
        code: 'invalid_argument',
        allowed: ['state', 'priority', 'agile_kind', 'project', 'schedule_kind'],
      })
    },
  )

  verifies('items_facet.q', 'q filters, and archived items are counted only when they are asked for', async () => {
    const user = await sample()
    assert.deepEqual(await counts(user, 'project', { q: 'is:open -priority:high' }), { APP: 2 })
    assert.deepEqual(await counts(user, 'state', { q: 'body' }), { Done: 1 })
    await user.call('items_patch', { item_ref: '#1', archived_at: '2026-05-01T00:00:00Z' })
    assert.deepEqual(await counts(user, 'project'), { APP: 3, INBOX: 1 })
    assert.deepEqual(await counts(user, 'project', { q: 'is:archived' }), { INBOX: 1 })
    assert.deepEqual(await counts(user, 'project', { q: 'is:archived OR is:open' }), { APP: 2, INBOX: 2 })
  })

  verifies('items_facet.project_overrides', 'project_key replaces the project in q', async () => {
    const user = await sample()
    const cases: [q: string, expected: Record<string, number>][] = [
      ['project:INBOX', { APP: 3 }],
      ['project:INBOX is:open', { APP: 2 }],
      ['-project:APP is:closed', { APP: 1 }],
      ['project:INBOX OR is:closed', { APP: 3 }],
      ['is:open (project:INBOX OR label:other) -priority:high', { APP: 2 }],
    ]
    for (const [q, expected] of cases)
      assert.deepEqual(await counts(user, 'project', { q, project_key: 'app' }), expected, q)
    await assert.rejects(counts(user, 'state', { project_key: 'NOPE' }), { code: 'not_found', field: 'project_key' })
    assert.deepEqual(await counts(user, 'state', { project_key: 'APP', q: 'priority:urgent' }), {})
  })

  verifies('items_facet.agrees', 'every count agrees with tasks_list under the same filter', async () => {
    const user = await sample()
    const keys = {
      state: 'state',
      priority: 'priority',
      agile_kind: 'kind',
      project: 'project',
      schedule_kind: 'schedule',
    }
    for (const [facet, key] of Object.entries(keys)) {
      for (const filter of ['', 'is:open', 'has:label', 'due:none']) {
        const found = await counts(user, facet, { q: filter })
        for (const [value, count] of Object.entries(found)) {
          const { total } = await user.call('tasks_list', { q: `${filter} ${key}:${value}`, include_total: true })
          assert.equal(total, count, `${facet} ${value} ${filter}`)
        }
        const { total } = await user.call('tasks_list', { q: filter, include_total: true })
        assert.equal(
          Object.values(found).reduce((sum, count) => sum + count, 0),
          total,
        )
      }
    }
  })

  test('it counts items of all types, as its description says; type: narrows to what tasks_list lists', async () => {
    const user = await sample()
    await user.call('notes_create', { project_key: 'APP', title: 'Note' })
    await user.call('templates_create', { project_key: 'APP', title: 'Weekly', recurrence_rule: 'FREQ=WEEKLY' })
    const { total } = await user.call('tasks_list', { q: 'project:APP', include_total: true })
    assert.deepEqual(await counts(user, 'project', { project_key: 'APP', q: 'type:task' }), { APP: total })
    assert.deepEqual(await counts(user, 'project', { project_key: 'APP' }), { APP: total + 2 })
    const facet = (await user.listTools()).find(({ name }) => name === 'items_facet')
    assert.match(String(facet?.['description']), /items of all types.*type:task/)
  })

  test('it takes one statement', async () => {
    const user = await sample()
    for (const facet_by of ['state', 'schedule_kind']) {
      for (const args of [{}, { q: 'label:any is:open', project_key: 'APP' }]) {
        assert.equal((await statements(() => user.call('items_facet', { facet_by, ...args }))).length, 1)
      }
    }
  })
})
