import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item } from './setup.ts'

forEachEngine('items_patch', engine => {
  const { newUser, statements } = itemsHost(engine)
  const start = async (args: object = {}) => {
    const user = await newUser()
    await user.task({ title: 'Ship it', ...args })
    const patch = (change: object): Promise<{ item: Item; changed: string[]; warnings?: string[] }> =>
      user.call('items_patch', { item_ref: '#1', ...change })
    return { user, patch }
  }

  verifies(
    ['items_patch.fields', 'results.write_changed', 'results.single_noun'],
    'the given fields are changed, returned and listed',
    async () => {
      const { user, patch } = await start()
      const changes = {
        title: 'Ship it now',
        due_date: '2026-05-01',
        due_time: '10:30',
        start_date: '2026-04-01',
        priority: 'high',
        labels: ['a', 'b'],
      }
      const { item, changed } = await patch(changes)
      const shown = (from: Item) => Object.fromEntries(Object.keys(changes).map(name => [name, from[name]]))
      assert.deepEqual(shown(item), changes)
      assert.deepEqual(shown(await user.get('#1')), changes)
      assert.deepEqual(changed, Object.keys(changes))
    },
  )

  verifies(
    ['items_patch.omitted', 'conventions.omitted_unchanged', 'items_patch.keeps_state'],
    'omitted fields stay, the state too',
    async () => {
      const { user, patch } = await start({ detail: 'Body', due_date: '2026-05-01', priority: 'low', labels: ['a'] })
      await user.call('items_move_state', { item_ref: '#1', status_definition_id: 'In review' })
      const { title: _title, updated_at: _updated, ...before } = await user.get('#1')
      await patch({ title: 'Renamed' })
      const { title, updated_at, ...after } = await user.get('#1')
      assert.deepEqual(after, before)
      assert.equal(title, 'Renamed')
      assert.ok(updated_at > _updated)
    },
  )

  verifies('items_patch.no_change', 'a patch without effect succeeds and leaves no trace', async () => {
    const { user, patch } = await start({ due_date: '2026-05-01', due_time: '10:00', labels: ['a'], detail: 'Body' })
    const before = await user.get('#1')
    const same = {
      title: 'Ship it',
      due_date: '2026-05-01',
      due_time: '10:00',
      labels: ['A'],
      detail: 'Body',
      parent: null,
    }
    assert.deepEqual((await patch(same)).changed, [])
    assert.deepEqual(await user.get('#1'), before)
    assert.equal((await user.call('activities_list', { item_ref: '#1' })).activities.length, 1)
  })

  test('a patch without fields is refused', async () => {
    const { patch } = await start()
    for (const nothing of [{}, { title: null }])
      await assert.rejects(patch(nothing), {
        code: 'missing_argument',
        hint: 'Give at least one field besides item_ref. null clears a priority and what its description says.',
      })
  })

  test('null clears a priority, here and in bulk; where it changes nothing, the answer says so', async () => {
    const { user, patch } = await start({ priority: 'high', detail: 'Body', labels: ['a'] })
    const cleared = await patch({ priority: null, title: 'Ship' })
    assert.deepEqual([cleared.changed, cleared.item['priority']], [['title', 'priority'], null])
    const rest = { detail: null, labels: null, detail_append: null, detail_edits: null }
    const { changed, warnings } = await patch({ ...rest, priority: 'low' })
    assert.deepEqual(changed, ['priority'])
    assert.deepEqual(warnings, ['null left detail, labels as before; an empty text or list clears what may be empty.'])
    const kept = await user.get('#1')
    assert.deepEqual([kept['detail'], kept['labels']], ['Body', ['a']])
    await user.task({ title: 'Other', priority: 'low' })
    const bulk = { item_refs: ['#1', '#2'], priority: null, title: null }
    const preview = await user.call('items_bulk_patch_preview', bulk)
    assert.deepEqual(preview.results[0].after, { priority: null })
    const { results, warnings: shown } = await user.confirmed('items_bulk_patch', bulk)
    assert.deepEqual([results[0].changed, results[1].changed], [['priority'], ['priority']])
    assert.match(shown[0], /^null left title as before/)
    const created = await user.call('items_create', { project_key: 'INBOX', title: 'New', priority: null, kind: null })
    assert.equal(created.warnings, undefined)
  })

  verifies(
    [
      'items_patch.due_date_null',
      'items_patch.due_time_null',
      'conventions.null_clears',
      'refs.clearing_empty',
      'results.nulls_left_out',
    ],
    'null and an empty string clear dates and times; cleared fields are shown as null',
    async () => {
      for (const nothing of [null, '']) {
        const { user, patch } = await start({ due_date: '2026-05-01', due_time: '10:00', start_date: '2026-04-01' })
        const untimed = await patch({ due_time: nothing })
        assert.deepEqual([untimed.changed, untimed.item['due_time']], [['due_time'], null])
        assert.equal(untimed.item['due_date'], '2026-05-01')
        await patch({ due_time: '11:00' })
        const undated = await patch({ due_date: nothing, start_date: '' })
        assert.deepEqual(undated.changed, ['due_date', 'due_time', 'start_date'])
        const { due_date, due_time, start_date } = undated.item
        assert.deepEqual([due_date, due_time, start_date], [null, null, null])
        const item = await user.get('#1')
        for (const name of ['due_date', 'due_time', 'start_date', 'priority']) assert.ok(!(name in item), name)
      }
    },
  )

  verifies(
    ['items_patch.due_date_resets_time', 'items_patch.due_time_needs_date'],
    'a new date without a time makes the item all-day; a time needs a date',
    async () => {
      const { user, patch } = await start({ due_date: '2026-05-01', due_time: '10:00' })
      assert.deepEqual((await patch({ due_date: '2026-05-01' })).changed, [])
      assert.deepEqual((await patch({ due_date: '2026-05-02' })).changed, ['due_date', 'due_time'])
      assert.deepEqual((await patch({ due_date: '2026-05-03', due_time: '09:00' })).changed, ['due_date', 'due_time'])
      const refused = { code: 'invalid_argument', field: 'due_time', message: 'due_time 08:00 needs a due_date.' }
      await assert.rejects(patch({ due_date: null, due_time: '08:00' }), refused)
      await patch({ due_date: null })
      await assert.rejects(patch({ due_time: '08:00' }), {
        ...refused,
        message: 'due_time 08:00 needs a due_date, and INBOX#1 has none.',
      })
      assert.ok(!('due_time' in (await user.get('#1'))))
    },
  )

  verifies('results.write_warnings', 'a start after the due date is kept, with a warning', async () => {
    const user = await newUser()
    const warning = 'start_date 2026-06-03 is after due_date 2026-06-01; change one of them if that is not meant.'
    const dates = { start_date: '2026-06-03', due_date: '2026-06-01' }
    const created = await user.call('items_create', { project_key: 'INBOX', title: 'a', ...dates })
    assert.deepEqual([created.item.start_date, created.warnings], ['2026-06-03', [warning]])
    const renamed = await user.call('items_patch', { item_ref: '#1', title: 'b' })
    assert.equal(renamed.warnings, undefined)
    const moved = await user.call('items_patch', { item_ref: '#1', due_date: '2026-06-03' })
    assert.equal(moved.warnings, undefined)
    await user.call('items_create', { project_key: 'INBOX', title: 'c', start_date: '2026-06-03' })
    const bulk = { item_refs: ['#1', '#2'], due_date: '2026-06-01' }
    const { succeeded, warnings } = await user.confirmed('items_bulk_patch', bulk)
    assert.deepEqual([succeeded, warnings], [2, [warning]])
  })

  verifies(
    ['items_patch.archive', 'tasks_list.archived_hidden', 'results.write_warnings'],
    'archived_at archives once, null brings it back',
    async () => {
      const { user, patch } = await start()
      const archived = await patch({ archived_at: '2026-05-01T09:00:00+09:00' })
      assert.deepEqual([archived.item['archived_at'], archived.changed], ['2026-05-01T00:00:00.000Z', ['archived_at']])
      assert.equal(archived.warnings, undefined)
      assert.deepEqual((await patch({ archived_at: '2026-06-01T00:00:00Z' })).changed, [])
      const renamed = await patch({ title: 'Old' })
      assert.deepEqual(renamed.warnings, ['INBOX#1 is archived: listings show it only with is:archived.'])
      assert.deepEqual([await user.refs(), await user.refs({ q: 'is:archived' })], [[], ['INBOX#1']])
      const back = await patch({ archived_at: null })
      assert.deepEqual([back.item['archived_at'], back.changed], [null, ['archived_at']])
      assert.deepEqual(await user.refs(), ['INBOX#1'])
      const { items } = await user.call('tasks_list')
      assert.ok(!('archived_at' in items[0]))
      const { activities } = await user.call('activities_list', { item_ref: '#1', kind: 'item.*' })
      assert.deepEqual(
        activities.map(({ kind }: Item) => kind),
        ['item.unarchived', 'item.title.changed', 'item.archived', 'item.created'],
      )
      const planned = await patch({ archived_at: '2999-01-01T00:00:00Z' })
      const early = 'archived_at 2999-01-01T00:00:00.000Z is in the future, but items are archived at once.'
      assert.deepEqual(planned.warnings, [early])
    },
  )

  verifies(
    ['items_patch.parent_replace', 'items_patch.parent_null', 'refs.clearing_empty'],
    'parent replaces the parent without inheriting from it; null and an empty string detach',
    async () => {
      const { user, patch } = await start()
      await user.call('project_areas_create', { project_key: 'INBOX', name: 'Home' })
      for (const title of ['First', 'Second'])
        await user.task({ title, area_path: 'Home', labels: ['x'], priority: 'high' })
      assert.equal((await patch({ parent: '#2' })).item['parent_ref'], 'INBOX#2')
      const { item, changed } = await patch({ parent: 'inbox#3' })
      assert.deepEqual([item['parent_ref'], changed], ['INBOX#3', ['parent']])
      for (const name of ['area_path', 'labels', 'priority']) assert.ok(!(name in item), name)
      for (const nothing of [null, '']) {
        const detached = await patch({ parent: nothing })
        assert.deepEqual([detached.item['parent_ref'], detached.changed], [null, ['parent']])
        await patch({ parent: '#3' })
      }
      const { activities } = await user.call('activities_list', {
        item_ref: '#1',
        kind: 'item.parent.changed',
        limit: 2,
      })
      assert.deepEqual(
        activities.map(({ from, to }: Item) => [from, to]),
        [
          [undefined, 'INBOX#3'],
          ['INBOX#3', undefined],
        ],
      )
    },
  )

  verifies('items_patch.parent_cycle', 'a parent that is the item or lies below it is refused', async () => {
    const { user, patch } = await start()
    await user.task({ title: 'Child', parent: '#1' })
    await user.task({ title: 'Grandchild', parent: '#2' })
    await assert.rejects(patch({ parent: '#1' }), {
      code: 'cycle',
      field: 'parent',
      message: 'INBOX#1 is the item itself.',
    })
    await assert.rejects(patch({ parent: '#3' }), { code: 'cycle', message: 'INBOX#3 lies below INBOX#1.' })
    assert.ok(!('parent_ref' in (await user.get('#1'))))
  })

  test('parallel moves cannot create a cycle', async () => {
    const { user } = await start()
    for (let n = 2; n <= 6; n++) await user.task(`Task ${n}`)
    for (let round = 0; round < 5; round++) {
      const moves = Array.from({ length: 6 }, (_, n) =>
        user.call('items_patch', { item_ref: `#${n + 1}`, parent: `#${((n + 1) % 6) + 1}` }).catch((error: Item) => {
          assert.equal(error['code'], 'cycle')
        }),
      )
      await Promise.all(moves)
      const parents = (await Promise.all([1, 2, 3, 4, 5, 6].map(n => user.get(`#${n}`)))).map(
        item => item['parent_ref'],
      )
      assert.ok(parents.includes(undefined), 'one item is the root')
      for (let n = 1; n <= 6; n++) await user.call('items_patch', { item_ref: `#${n}`, parent: null })
    }
  })

  test('it sends a fixed number of statements, and one more for each side effect', async () => {
    const { user, patch } = await start()
    await user.task('Parent')
    assert.equal(
      (await statements(() => patch({ title: 'a', due_date: '2026-05-01', priority: 'low' }))).length,
      6,
      'found, written, history, reminders, search, read back',
    )
    assert.equal((await statements(() => patch({ title: 'a' }))).length, 2, 'nothing changes: found and read back')
    assert.equal((await statements(() => patch({ detail: 'b' }))).length, 6, 'the former body is kept')
    assert.equal((await statements(() => patch({ parent: '#2' }))).length, 7, 'found, held and climbed')
  })
})
