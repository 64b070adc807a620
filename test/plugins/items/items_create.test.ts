import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item } from './setup.ts'

forEachEngine('items_create', engine => {
  const shared = itemsHost(engine)
  const { newUser, statements } = shared

  verifies(
    ['items_create.minimal', 'items_create.initial_state', 'item.all_day', 'results.single_noun', 'refs.inbox_key'],
    'a project and a title create an open task in the initial state',
    async () => {
      const user = await newUser()
      const { item, changed } = await user.call('items_create', { project_key: 'INBOX', title: 'Ship it' })
      const { updated_at: updatedAt, ...rest } = item
      const row = {
        ref: 'INBOX#1',
        title: 'Ship it',
        status: 'Backlog',
        system_status: 'open',
        agile_kind: 'task',
      }
      assert.deepEqual(rest, row)
      assert.deepEqual(changed, ['title'])
      const { id, status_definition_id, created_at, updated_at, last_activity_at, ...read } = await user.get('#1')
      assert.deepEqual(read, {
        ...row,
        type: 'task',
        detail: '',
        state: { category: 'todo', status_attribute: 'pending', color_hex: '#64748B' },
        project_key: 'INBOX',
        completed_at: null,
        attachment_count: 0,
        archived_at: null,
      })
      for (const each of [id, status_definition_id]) assert.match(each as string, /^[0-9a-f-]{36}$/)
      assert.deepEqual([updated_at, created_at, last_activity_at], [updatedAt, updatedAt, updatedAt])
    },
  )

  verifies(
    ['items_create.all_fields', 'results.write_changed', 'item.due_time_format', 'conventions.priority_values'],
    'every given field is stored, returned and listed as changed',
    async () => {
      const user = await newUser()
      const input = {
        title: 'Ship it',
        detail: '# Plan\n',
        due_date: '2026-05-01',
        due_time: '23:59',
        start_date: '2026-04-30',
        priority: 'urgent',
        labels: ['release'],
      }
      const { item, changed } = await user.call('items_create', { project_key: 'inbox', ...input, kind: 'bug' })
      const expected = { ...input, agile_kind: 'bug' }
      // The answer omits the body, because the caller has just sent it.
      const { detail: _detail, ...answered } = expected
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map(name => [name, item[name]])), {
        ...answered,
        detail: undefined,
      })
      assert.deepEqual(changed, [...Object.keys(input), 'kind'])
      const { id: _id, ...read } = await user.get('#1')
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map(name => [name, read[name]])), expected)
    },
  )

  verifies('results.write_changed', 'an argument that leaves a new item as it starts is no change', async () => {
    const user = await newUser()
    const nulls = { due_date: null, due_time: '', start_date: null, priority: null, kind: null, parent: '', detail: '' }
    const places = { version: null, sprint: '', area_path: null, labels: [] }
    const task = await user.call('items_create', { project_key: 'INBOX', title: 'a', ...nulls, ...places })
    const note = await user.call('notes_create', { project_key: 'INBOX', title: 'a', body: '', labels: [] })
    assert.deepEqual([task.changed, note.changed], [['title'], ['title']])
    const rule = { recurrence_rule: 'FREQ=DAILY', detail: '', labels: [] }
    const { changed } = await user.call('templates_create', { project_key: null, title: 'a', ...rule })
    assert.deepEqual(changed, ['title', 'recurrence_rule'])
  })

  verifies(
    [
      'items_create.project_required',
      'items_create.project_not_found',
      'errors.missing_argument',
      'errors.names_value',
    ],
    'the project is required, and an unknown project is not found',
    async () => {
      const user = await newUser()
      await assert.rejects(user.call('items_create', { title: 'x' }), {
        code: 'missing_argument',
        field: 'project_key',
      })
      await assert.rejects(user.call('items_create', { project_key: 'NOPE', title: 'x' }), {
        code: 'not_found',
        field: 'project_key',
        message: 'There is no project NOPE.',
        allowed: ['INBOX'],
      })
    },
  )

  test('an archived project accepts no new items, and a viewer cannot create any', async () => {
    const [user, viewer] = [await newUser(), await newUser()]
    await user.createProject('OLD')
    await user.share('OLD', viewer.email, 'viewer')
    const create = { project_key: 'OLD', title: 'x' }
    await assert.rejects(viewer.call('items_create', create), { code: 'forbidden' })
    await shared.host
      .sql`update projects.projects set archived_at = now() where key = 'OLD' and owner_id = ${user.userId}`
    await assert.rejects(user.call('items_create', create), {
      code: 'invalid_argument',
      field: 'project_key',
      message: 'Project OLD is archived.',
    })
    assert.equal(await user.task('the first'), 'INBOX#1')
  })

  verifies('items_create.due_time_alone', 'a due time without a date is refused, whatever its value', async () => {
    const user = await newUser()
    for (const args of [{ due_time: '10:00' }, { due_time: '10:00', due_date: '' }]) {
      await assert.rejects(user.call('items_create', { project_key: 'INBOX', title: 'x', ...args }), {
        code: 'invalid_argument',
        field: 'due_time',
        message: 'due_time 10:00 needs a due_date.',
        hint: 'Give due_date in the same call.',
      })
    }
    assert.deepEqual(await user.refs(), [])
  })

  verifies(
    [
      'item.title_length',
      'item.detail_per_call',
      'conventions.date_format',
      'errors.schema_failure',
      'errors.all_together',
    ],
    'limits and formats are enforced, and all violations are reported together',
    async () => {
      const user = await newUser()
      const create = (args: object) => user.call('items_create', { project_key: 'INBOX', title: 'x', ...args })
      await create({ title: 't'.repeat(200), detail: 'd'.repeat(32_000) })
      const refused: [args: object, field: string][] = [
        [{ title: '' }, 'title'],
        [{ title: 't'.repeat(201) }, 'title'],
        [{ detail: 'd'.repeat(32_001) }, 'detail'],
        [{ due_date: '2026-02-30' }, 'due_date'],
        [{ start_date: '2026-5-1' }, 'start_date'],
        [{ due_date: '2026-05-01', due_time: '24:00' }, 'due_time'],
        [{ due_date: '2026-05-01', due_time: '9.00' }, 'due_time'],
        [{ priority: 'asap' }, 'priority'],
      ]
      for (const [args, field] of refused) await assert.rejects(create(args), { code: 'invalid_argument', field })
      const error = await create({ title: '', priority: 'asap', due_date: 'soon' }).catch((caught: unknown) => caught)
      const fields = [
        (error as Item)['field'],
        ...(error as Item)['details'].problems.map((other: Item) => other['field']),
      ]
      assert.deepEqual(new Set(fields), new Set(['due_date', 'priority', 'title']))
      assert.equal((await user.refs()).length, 1)
    },
  )

  verifies(
    ['item.kind_builtin', 'item.kind_custom'],
    'built-in kinds work everywhere, custom ones in their project, in any case',
    async () => {
      const user = await newUser()
      await user.createProject('APP')
      await shared.host.command('project kinds', { key: 'APP', set: 'spike,ops_2-b,5s', user: user.email })
      const kind = async (project_key: string, name: string) =>
        (await user.call('items_create', { project_key, title: 'x', kind: name })).item.agile_kind
      for (const name of ['epic', 'story', 'task', 'bug', 'chore']) assert.equal(await kind('INBOX', name), name)
      for (const name of ['spike', 'ops_2-b', '5s']) assert.equal(await kind('APP', name), name)
      assert.equal(await kind('APP', 'Ｓpike'), 'spike')
      await assert.rejects(kind('INBOX', 'spike'), {
        code: 'invalid_argument',
        field: 'kind',
        message: 'Project INBOX has no kind "spike".',
        allowed: ['epic', 'story', 'task', 'bug', 'chore'],
      })
      await assert.rejects(kind('APP', 'no good'), { code: 'invalid_argument', message: '"no good" cannot be a kind.' })
      await assert.rejects(shared.host.command('project kinds', { key: 'APP', set: 'a,B', user: user.email }), {
        code: 'invalid_argument',
      })
    },
  )

  verifies(
    ['items_create.parent', 'item.opt_in_parent'],
    'a parent of the same owner is set, and shown on request',
    async () => {
      const [user, other] = [await newUser(), await newUser()]
      await user.createProject('APP')
      await user.task({ title: 'Epic', kind: 'epic' })
      const { item } = await user.call('items_create', { project_key: 'APP', title: 'Story', parent: '#1' })
      assert.equal(item.parent_ref, 'INBOX#1')
      const listed = async (args: object): Promise<Item> =>
        (await user.call('tasks_list', { project_key: 'APP', ...args })).items[0]
      assert.ok(!('parent_ref' in (await listed({}))))
      const { parent_ref, parent_title, parent_kind } = await listed({ include_relations: true })
      assert.deepEqual([parent_ref, parent_title, parent_kind], ['INBOX#1', 'Epic', 'epic'])
      await assert.rejects(user.call('items_create', { project_key: 'INBOX', title: 'x', parent: '#9' }), {
        code: 'not_found',
        field: 'parent',
      })
      await user.share('APP', other.email, 'editor')
      await other.task('Mine')
      await assert.rejects(other.call('items_create', { project_key: 'APP', title: 'x', parent: 'INBOX#1' }), {
        code: 'invalid_argument',
        field: 'parent',
      })
    },
  )

  /** Creates APP#2, whose parent INBOX#1 a member of APP does not see. */
  const withHiddenParent = async (role: 'viewer' | 'editor') => {
    const [user, member] = [await newUser(), await newUser()]
    await user.createProject('APP')
    await user.task('Secret')
    await user.task({ project_key: 'APP', parent: 'INBOX#1' })
    await user.share('APP', member.email, role)
    return { user, member }
  }

  test('a parent in a project that the caller may not see is not shown, nor found by the filter', async () => {
    const { user, member } = await withHiddenParent('viewer')
    assert.ok(!('parent_ref' in (await member.get('APP#2'))))
    assert.deepEqual(await member.refs({ q: 'parent:#1' }), [])
    assert.deepEqual(await user.refs({ q: 'parent:#1' }), ['APP#2'])
  })

  test('a member who sees no parent removes none', async () => {
    const { user, member } = await withHiddenParent('editor')
    assert.deepEqual((await member.call('items_patch', { item_ref: 'APP#2', parent: null })).changed, [])
    assert.equal((await user.get('APP#2'))['parent_ref'], 'INBOX#1')
  })

  verifies(
    ['items_create.numbers', 'ownership.one_counter'],
    'twenty parallel calls get twenty consecutive numbers, across projects',
    async () => {
      const user = await newUser()
      await user.createProject('APP')
      const made = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          user.call('items_create', { project_key: n % 2 ? 'APP' : 'INBOX', title: `Task ${n}` }),
        ),
      )
      const numbers = made.map(({ item }) => Number(item.ref.split('#')[1])).toSorted((a, b) => a - b)
      assert.deepEqual(
        numbers,
        Array.from({ length: 20 }, (_, n) => n + 1),
      )
      await assert.rejects(user.call('items_create', { project_key: 'APP', title: 'x', due_time: '10:00' }))
      assert.equal(await user.task('after a refusal'), 'INBOX#21')
    },
  )

  test('it sends six statements for any fields except parent, kind and labels', async t => {
    const user = await newUser()
    const create = (args: object) =>
      statements(() => user.call('items_create', { project_key: 'INBOX', title: 'x', ...args }))
    assert.equal((await create({})).length, 6)
    assert.equal((await create({ detail: 'd', due_date: '2026-05-01', due_time: '10:00', priority: 'low' })).length, 6)
    assert.equal(
      (await create({ parent: '#1' })).length,
      10,
      'the parent, and the area, sprint and version that are inherited',
    )
    const bare = await testHost(t, { engine, only: ['items'] })
    const sent = await bare.statements(() => bare.call('items_create', { project_key: 'INBOX', title: 'x' }))
    assert.equal(sent.filter(text => !/^(begin|commit|start transaction)|conversations\./i.test(text)).length, 4)
  })
})
