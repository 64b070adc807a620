import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { patch, preview, userWithTasks, userWithTwoWorkflows } from './bulk.ts'
import { itemsHost, type Item } from './setup.ts'

forEachEngine('items_bulk_patch', engine => {
  const shared = itemsHost(engine)
  const { newUser, statements } = shared
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `#${n + 1}`)

  verifies(
    ['items_bulk_patch.same_changes', 'results.bulk'],
    'all targets get the same changes, and each lists its changed fields',
    async () => {
      const user = await userWithTasks(shared, 3)
      await user.call('items_patch', { item_ref: '#2', priority: 'high' })
      const change = {
        title: 'Same',
        detail: 'Body',
        due_date: '2026-05-01',
        due_time: '10:00',
        start_date: '2026-04-01',
        priority: 'high',
        labels: ['x'],
        kind: 'bug',
        status_definition_id: 'In review',
      }
      const { results, succeeded, failed, warnings } = await patch(user, ['#1', 'INBOX#2', 'inbox#3'], change)
      assert.deepEqual([succeeded, failed], [3, 0])
      assert.deepEqual(warnings, ['3 items get the same title.'])
      assert.deepEqual(
        results.map(({ item_ref, ok }) => [item_ref, ok]),
        [
          ['#1', true],
          ['INBOX#2', true],
          ['inbox#3', true],
        ],
      )
      const fieldNames = [
        'detail',
        'due_date',
        'due_time',
        'kind',
        'labels',
        'priority',
        'start_date',
        'status',
        'title',
      ]
      assert.deepEqual(results[0]!.changed?.toSorted(), fieldNames)
      assert.deepEqual(
        results[1]!.changed?.toSorted(),
        fieldNames.filter(name => name !== 'priority'),
      )
      const { kind, status_definition_id, ...same } = change
      for (const ref of numbered(3)) {
        const item = await user.get(ref)
        for (const [name, value] of Object.entries(same)) assert.deepEqual(item[name], value, name)
        assert.deepEqual([item['agile_kind'], item['status']], [kind, status_definition_id])
      }
      const kept = await shared.host.sql`select detail from items.revisions where owner_id = ${user.userId}`
      assert.deepEqual(kept, [{ detail: '' }, { detail: '' }, { detail: '' }])
    },
  )

  verifies('items_bulk_patch.count', 'it takes 2 to 25 items, each once', async () => {
    const user = await userWithTasks(shared, 2)
    for (const count of [0, 1, 26]) {
      for (const call of [patch, preview]) {
        const refused = { code: 'invalid_argument', field: 'item_refs' }
        await assert.rejects(call(user, numbered(26).slice(0, count), { priority: 'low' }), refused)
      }
    }
    const { results } = await patch(user, ['#1', 'INBOX#1', '#2'], { priority: 'low' })
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, false, true],
    )
    assert.equal(results[1]!.error?.message, 'INBOX#1 is named twice.')
  })

  verifies(
    ['items_bulk_patch.per_item', 'results.bulk', 'results.bulk_all_failed'],
    'a failed item does not stop the others; the call fails only if all items fail',
    async () => {
      const user = await userWithTasks(shared, 2)
      await user.call('items_patch', { item_ref: '#1', due_date: '2026-05-01' })
      const { results, succeeded, failed } = await patch(user, ['#1', '#2', '#9', 'oops'], { due_time: '10:00' })
      assert.deepEqual([succeeded, failed], [1, 3])
      assert.deepEqual(
        results.map(({ error, changed }) => error?.code ?? changed),
        [['due_time'], 'invalid_argument', 'not_found', 'invalid_argument'],
      )
      assert.deepEqual(results[1]!.error, {
        code: 'invalid_argument',
        message: 'due_time 10:00 needs a due_date, and INBOX#2 has none.',
        field: 'due_time',
        hint: 'Give due_date in the same call.',
        retryable: false,
      })
      assert.equal((await user.get('#1'))['due_time'], '10:00')
      const args = { item_refs: ['#8', '#9'], due_time: '11:00' }
      const { body } = await user.rpc('tools/call', { name: 'items_bulk_patch', arguments: args })
      assert.equal(body.result.isError, true)
      const answer = JSON.parse(body.result.content[0].text)
      assert.deepEqual([answer.succeeded, answer.failed], [0, 2])
    },
  )

  verifies(
    ['items_bulk_patch.confirm', 'confirm.token_first', 'confirm.token_runs', 'errors.writes_nothing'],
    'it asks first, with the concrete effect, and runs with the token',
    async () => {
      const user = await userWithTwoWorkflows(shared)
      const before = await user.get('#1')
      const { states } = await user.call('workflow_states_list', { project_key: 'INBOX' })
      const review = states.find((state: Item) => state['name'] === 'In review')
      const args = {
        item_refs: ['#1', '#2', '#7'],
        priority: 'high',
        due_date: null,
        labels: ['a', 'b'],
        detail: 'd'.repeat(90),
        status_definition_id: review.id,
      }
      const refused = (await user.call('items_bulk_patch', args).catch((error: unknown) => error)) as Item
      assert.equal(refused['code'], 'confirmation_required')
      const why = `The workflow "Flow of APP" of APP#2 has no state "In review" of the workflow "Standard"`
      const effect = `Set status to "In review", set detail to "${'d'.repeat(59)}…" (90 characters), set priority to high, add label a, add label b on 1 of 3 items (INBOX#1); 2 cannot be changed: ${why}; There is no item #7`
      assert.equal(refused['details'].effect, effect)
      assert.ok(refused['message'].includes(effect))
      assert.deepEqual(await user.get('#1'), before)
      const done = await user.call('items_bulk_patch', { ...args, confirm_token: refused['details'].confirm_token })
      assert.deepEqual([done.succeeded, done.failed], [1, 2])
    },
  )

  verifies(
    'items_bulk_patch.confirm_real',
    'the question names the effect on the items in one sentence, and counts only items that change',
    async () => {
      const user = await userWithTasks(shared, 5)
      const effect = (item_refs: string[], change: object): Promise<string> =>
        user.call('items_bulk_patch', { item_refs, ...change }).catch((error: Item) => error['details'].effect)
      await patch(user, ['#1', '#2'], { labels: ['bug', 'old'] })
      await patch(user, ['#2', '#3'], { due_date: '2026-05-01', due_time: '10:00' })
      assert.equal(
        await effect(numbered(5), { labels: ['new', 'old'] }),
        'Add label new on 5 of 5 items (INBOX#1, INBOX#2, INBOX#3, INBOX#4, INBOX#5); remove label bug on 2 (INBOX#1, INBOX#2); add label old on 3 (INBOX#3, INBOX#4, INBOX#5)',
      )
      assert.equal(
        await effect(numbered(5), { labels: [], due_date: '' }),
        'Change 3 of 5 items (INBOX#1, INBOX#2, INBOX#3); remove label bug on 2 (INBOX#1, INBOX#2); remove label old on 2 (INBOX#1, INBOX#2); clear due_date on 2 (INBOX#2, INBOX#3); clear due_time on 2 (INBOX#2, INBOX#3)',
      )
      assert.equal(
        await effect([...numbered(5), '#8', '#9', '#81', 'oops'], { due_time: '10:00', priority: 'low' }),
        'Set priority to low on 2 of 9 items (INBOX#2, INBOX#3); 7 cannot be changed: due_time 10:00 needs a due_date, and INBOX#1, INBOX#4, INBOX#5 has none; There is no item #8, #9, #81; "oops" is not an item reference',
      )
    },
  )

  verifies('items_bulk_patch.confirm_real', 'a call that would change nothing answers without asking', async () => {
    const user = await userWithTasks(shared, 3)
    const args = { item_refs: ['#1', '#2', '#9'], kind: 'task', archived_at: null }
    const answer = await user.call('items_bulk_patch', args)
    assert.deepEqual([answer.succeeded, answer.failed], [2, 1])
    assert.deepEqual(
      answer.results.map(({ item_ref, changed, error }: Item) => [item_ref, changed ?? error.code]),
      [
        ['#1', []],
        ['#2', []],
        ['#9', 'not_found'],
      ],
    )
    const { activities } = await user.call('activities_list', { item_ref: '#1' })
    assert.equal(activities.length, 1, 'nothing but the creation')
    const kept = async (): Promise<Item> =>
      user.call('items_bulk_patch', args, { meta: { idempotencyKey: 'nothing to do' } })
    assert.equal((await kept())['replayed'], undefined)
    await user.call('items_patch', { item_ref: '#1', archived_at: '2026-05-01T00:00:00Z' })
    assert.deepEqual(await kept(), { ...answer, replayed: true }, 'the same key has the same answer')
  })

  verifies(
    'items_bulk_patch.keeps_time',
    'a new due date keeps the time of day, and clearing the date clears the time',
    async () => {
      const user = await userWithTasks(shared, 3)
      for (const item_ref of ['#1', '#2'])
        await user.call('items_patch', { item_ref, due_date: '2026-05-01', due_time: '10:00' })
      const due = async (change: object): Promise<unknown[]> => {
        await patch(user, numbered(3), change)
        const items = await Promise.all(numbered(3).map(ref => user.get(ref)))
        return items.map(item => [item['due_date'], item['due_time']])
      }
      assert.deepEqual(await due({ due_date: '2026-05-04' }), [
        ['2026-05-04', '10:00'],
        ['2026-05-04', '10:00'],
        ['2026-05-04', undefined],
      ])
      const { results } = await preview(user, numbered(3), { due_date: '2026-05-05' })
      assert.deepEqual(results[0]!.after, { due_date: '2026-05-05' })
      assert.deepEqual(await due({ due_date: '2026-05-06', due_time: null }), [
        ['2026-05-06', undefined],
        ['2026-05-06', undefined],
        ['2026-05-06', undefined],
      ])
      await patch(user, ['#1', '#2'], { due_time: '09:00' })
      assert.deepEqual((await due({ due_date: null })).flat(), Array.from({ length: 6 }))
    },
  )

  verifies(
    ['confirm.token_bound', 'confirm.token_once'],
    'a token is good once, for the same call by the same caller',
    async () => {
      const user = await userWithTasks(shared, 2)
      const other = await newUser()
      const args = { item_refs: ['#1', '#2'], priority: 'high' }
      const token = async (): Promise<string> =>
        user.call('items_bulk_patch', args).catch((error: Item) => error['details'].confirm_token)
      const invalid = { code: 'confirmation_invalid' }
      const confirm_token = await token()
      await assert.rejects(user.call('items_bulk_patch', { ...args, priority: 'low', confirm_token }), invalid)
      await assert.rejects(other.call('items_bulk_patch', { ...args, confirm_token }), invalid)
      assert.equal((await user.call('items_bulk_patch', { ...args, confirm_token })).succeeded, 2)
      await assert.rejects(user.call('items_bulk_patch', { ...args, confirm_token }), invalid)
    },
  )

  test('a call without changes is refused before the question', async () => {
    const user = await userWithTasks(shared, 2)
    for (const tool of ['items_bulk_patch', 'items_bulk_patch_preview']) {
      await assert.rejects(user.call(tool, { item_refs: ['#1', '#2'] }), {
        code: 'missing_argument',
        hint: /^Give at least one field besides item_refs\. null clears a priority/,
      })
    }
  })

  verifies('items_bulk_patch.state_no_clear', 'a state cannot be cleared', async () => {
    const user = await userWithTasks(shared, 2)
    await assert.rejects(patch(user, ['#1', '#2'], { status_definition_id: '' }), {
      code: 'invalid_argument',
      field: 'status_definition_id',
    })
    // null has no effect here.
    const { results } = await patch(user, ['#1', '#2'], { status_definition_id: null, priority: 'low' })
    assert.deepEqual(
      results.map(({ changed }) => changed),
      [['priority'], ['priority']],
    )
  })

  verifies('items_bulk_patch.kind', 'null makes the item a task, and any valid kind is accepted', async () => {
    const user = await userWithTasks(shared, 2)
    const kinds = async (kind: string | null): Promise<unknown[]> => {
      await patch(user, ['#1', '#2'], { kind })
      return Promise.all(['#1', '#2'].map(async ref => (await user.get(ref))['agile_kind']))
    }
    assert.deepEqual(await kinds('not-in_project1'), ['not-in_project1', 'not-in_project1'])
    assert.deepEqual(await kinds('Bug'), ['bug', 'bug'])
    assert.deepEqual(await kinds(null), ['task', 'task'])
    await assert.rejects(kinds('no good'), { code: 'invalid_argument', field: 'kind' })
  })

  verifies(
    ['items_bulk_patch.null_clears', 'conventions.null_clears'],
    'null clears date, time and archive mark',
    async () => {
      const user = await newUser()
      for (const title of ['a', 'b']) await user.task({ title, due_date: '2026-05-01', due_time: '10:00' })
      const refs = ['#1', '#2']
      const timed = await patch(user, refs, { due_time: null })
      assert.deepEqual(timed.results[0]!.changed, ['due_time'])
      const archived = await patch(user, refs, { due_date: null, archived_at: '2026-05-01T00:00:00Z' })
      assert.deepEqual(archived.results[1]!.changed, ['due_date', 'archived_at'])
      assert.deepEqual(await user.refs(), [])
      const { results } = await preview(user, refs, { archived_at: null, due_date: null })
      assert.deepEqual(results[0], {
        item_ref: '#1',
        ok: true,
        changed: ['archived_at'],
        before: { due_date: null, archived_at: '2026-05-01T00:00:00.000Z' },
        after: { due_date: null, archived_at: null },
      })
      await patch(user, refs, { archived_at: null })
      assert.deepEqual(await user.refs(), ['INBOX#1', 'INBOX#2'])
      const { activities } = await user.call('activities_list', { item_ref: '#2' })
      assert.deepEqual(
        activities.map(({ kind }: Item) => kind),
        ['item.unarchived', 'item.archived', 'item.due_date.changed', 'item.due_time.changed', 'item.created'],
      )
    },
  )

  test('statements do not grow with the items', async () => {
    const [few, many] = [await userWithTasks(shared, 2), await userWithTasks(shared, 25)]
    const change = {
      title: 'x',
      detail: 'y',
      due_date: '2026-05-01',
      priority: 'low',
      labels: ['a'],
      status_definition_id: 'Done',
    }
    const counts = []
    for (const [user, count] of [
      [few, 2],
      [many, 25],
    ] as const) {
      const refs = numbered(count)
      const shown = await statements(() => preview(user, refs, change))
      const token = await user
        .call('items_bulk_patch', { item_refs: refs, ...change })
        .catch((error: Item) => error['details'].confirm_token)
      const args = { item_refs: refs, ...change, confirm_token: token }
      const done = await statements(() => user.call('items_bulk_patch', args))
      counts.push([shown.length, done.length])
    }
    assert.deepEqual(counts, [
      [4, 11],
      [4, 11],
    ])
  })

  test('two bulk changes of the same items in different order both succeed', async () => {
    const user = await userWithTasks(shared, 10)
    const [forward, backward] = [numbered(10), numbered(10).toReversed()]
    const done = await Promise.all([
      patch(user, forward, { priority: 'high' }),
      patch(user, backward, { due_date: '2026-05-01' }),
      patch(user, forward, { labels: ['a'] }),
      patch(user, backward, { kind: 'bug' }),
    ])
    assert.ok(done.every(({ succeeded }) => succeeded === 10))
    const { items } = await user.call('tasks_list')
    for (const { priority, due_date, labels, agile_kind } of items) {
      assert.deepEqual([priority, due_date, labels, agile_kind], ['high', '2026-05-01', ['a'], 'bug'])
    }
  })
})
