import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item, type ItemsUser } from './setup.ts'

forEachEngine('tasks_list', engine => {
  const shared = itemsHost(engine)
  const { newUser, statements } = shared
  const list = (user: ItemsUser, args: object = {}): Promise<Item> => user.call('tasks_list', args)
  const titles = async (user: ItemsUser, args: object = {}): Promise<string[]> =>
    (await list(user, { limit: 100, ...args }))['items'].map((item: Item) => item['title'])
  /** Sets columns that no tool can set. */
  const set = (user: ItemsUser, number: number, columns: { created?: string; updated?: string; type?: string }) =>
    shared.host.sql`
      update items.items set created_at = coalesce(${columns.created ?? null}::timestamptz, created_at),
        updated_at = coalesce(${columns.updated ?? null}::timestamptz, updated_at), type = coalesce(${columns.type ?? null}::text, type)
      where owner_id = ${user.userId} and number = ${number}`

  test('items of an archived project are in no list over all projects; naming a place lists them, and search finds them', async () => {
    const user = await newUser()
    await user.createProject('OLD')
    await user.call('sprints_create', { project_key: 'OLD', name: 'One' })
    await user.task({ title: 'Put away', project_key: 'OLD', due_date: '2020-01-01', sprint: 'One' })
    await user.task({ title: 'Current', due_date: '2020-01-01' })
    const facets = async (args: object = {}) =>
      (await user.call('items_facet', { facet_by: 'project', ...args })).facets.map((each: Item) => each['value'])
    assert.deepEqual((await titles(user)).toSorted(), ['Current', 'Put away'])
    await shared.host
      .sql`update projects.projects set archived_at = now() where owner_id = ${user.userId} and key = 'OLD'`
    assert.deepEqual(await titles(user, { q: 'is:overdue' }), ['Current'])
    assert.equal((await list(user, { include_total: true }))['total'], 1)
    assert.deepEqual(await facets(), ['INBOX'])
    assert.deepEqual(await titles(user, { project_key: 'OLD' }), ['Put away'])
    for (const q of ['project:OLD', 'ref:OLD#1', 'sprint:One'])
      assert.deepEqual(await titles(user, { q }), ['Put away'])
    for (const q of ['-project:APP', 'project:!=APP', '-sprint:Two', '-ref:INBOX#9', 'parent:none', 'sprint:none'])
      assert.deepEqual(await titles(user, { q }), ['Current'], q)
    assert.deepEqual(await facets({ q: 'project:OLD' }), ['OLD'])
    const { items } = await user.call('query', { q: 'put away' })
    assert.equal(items[0].ref, 'OLD#1')
    assert.equal((await user.call('items_grep', { pattern: 'Put away' })).items.length, 1)
  })

  verifies(
    [
      'listing.fields',
      'listing.agile_always',
      'results.state_in_lists',
      'results.list_plural',
      'results.nulls_left_out',
      'results.dates_stay_dates',
    ],
    'each row has reference, title, dates, priority, state, kind and estimate, and no other empty field',
    async () => {
      const user = await newUser({ timeZone: 'Pacific/Kiritimati' })
      await user.task('Bare')
      await user.task({
        title: 'Full',
        detail: 'Body',
        due_date: '2026-05-01',
        due_time: '00:30',
        start_date: '2026-04-30',
        priority: 'high',
        labels: ['a'],
        kind: 'bug',
      })
      const { items, has_more, next_offset, ...rest } = await list(user)
      const state = { status: 'Backlog', system_status: 'open' }
      assert.deepEqual(items, [
        {
          ref: 'INBOX#2',
          title: 'Full',
          due_date: '2026-05-01',
          due_time: '00:30',
          start_date: '2026-04-30',
          priority: 'high',
          ...state,
          agile_kind: 'bug',
          estimate: null,
          detail: 'Body',
          labels: ['a'],
        },
        { ref: 'INBOX#1', title: 'Bare', ...state, agile_kind: 'task', estimate: null },
      ])
      assert.deepEqual([has_more, next_offset, rest], [false, null, {}])
    },
  )

  verifies(
    ['tasks_list.include_detail', 'listing.no_detail'],
    'bodies are cut at 280 characters, or left out',
    async () => {
      const user = await newUser()
      await user.task({ title: 'cut', detail: '😀'.repeat(281) })
      await user.task({ title: 'fits', detail: '会'.repeat(280) })
      const [cut, fits] = (await list(user))['items']
      assert.deepEqual([cut.detail, cut.detail_truncated], ['😀'.repeat(280), true])
      assert.deepEqual([fits.detail, 'detail_truncated' in fits], ['会'.repeat(280), false])
      for (const item of (await list(user, { include_detail: false }))['items']) {
        assert.ok(!('detail' in item) && !('detail_truncated' in item))
      }
    },
  )

  verifies(
    ['tasks_list.include_timestamps', 'item.opt_in_timestamps', 'item.completed_at', 'results.utc'],
    'the four timestamps are returned on request, completed_at as null while unfinished',
    async () => {
      const user = await newUser()
      for (const title of ['open', 'done']) await user.task(title)
      await user.call('items_complete', { item_ref: '#2' })
      for (const item of (await list(user))['items']) assert.ok(!Object.keys(item).some(name => name.endsWith('_at')))
      const [open, done] = (await list(user, { include_timestamps: true }))['items']
      const times = ['created_at', 'updated_at', 'last_activity_at']
      for (const item of [open, done]) {
        for (const name of times) assert.match(item[name], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }
      assert.equal(open.completed_at, null)
      assert.equal(done.completed_at, done.updated_at)
    },
  )

  verifies(
    ['tasks_list.include_total', 'paging.total_on_request', 'paging.has_more', 'tasks_list.limit'],
    'a page has 1 to 100 rows, 10 by default, and the total on request',
    async () => {
      const user = await newUser()
      for (let n = 1; n <= 12; n++) await user.task(`Task ${n}`)
      const first = await list(user)
      assert.deepEqual(
        [first['items'].length, first['has_more'], first['next_offset'], first['total']],
        [10, true, 10, undefined],
      )
      const second = await list(user, { offset: 10, include_total: true })
      assert.deepEqual(
        [second['items'].length, second['has_more'], second['next_offset'], second['total']],
        [2, false, null, 12],
      )
      for (const offset of [12, 2 ** 40, 1e300]) {
        const beyond = await list(user, { offset, include_total: true })
        assert.deepEqual([beyond['items'], beyond['has_more'], beyond['total']], [[], false, 12])
      }
      assert.equal((await list(user, { limit: 100 }))['items'].length, 12)
      for (const limit of [0, 101, 1.5])
        await assert.rejects(list(user, { limit }), { code: 'invalid_argument', field: 'limit' })
      await assert.rejects(list(user, { offset: -1 }), { code: 'invalid_argument', field: 'offset' })
    },
  )

  verifies('tasks_list.tasks_only', 'notes, events and templates are not listed', async () => {
    const user = await newUser()
    for (const type of ['task', 'note', 'event', 'task_template']) await user.task(type)
    for (const [n, type] of ['note', 'event', 'task_template'].entries()) await set(user, n + 2, { type })
    assert.deepEqual(await titles(user), ['task'])
    assert.deepEqual(await titles(user, { q: 'type:note' }), [])
  })

  verifies(
    ['tasks_list.project', 'tasks_list.status', 'tasks_list.q_merged'],
    'project, status and q narrow the list together',
    async () => {
      const user = await newUser()
      await user.createProject('APP')
      for (const project_key of ['INBOX', 'APP']) {
        for (const title of ['open', 'closed']) await user.task({ project_key, title: `${project_key} ${title}` })
      }
      for (const ref of ['#2', '#4']) await user.call('items_complete', { item_ref: ref })
      assert.deepEqual(await titles(user, { project_key: 'ａpp' }), ['APP open', 'APP closed'])
      assert.deepEqual(await titles(user, { status: 'closed' }), ['INBOX closed', 'APP closed'])
      assert.deepEqual(await titles(user, { status: 'open', q: 'project:inbox' }), ['INBOX open'])
      assert.deepEqual(await titles(user, { project_key: 'APP', q: 'project:INBOX' }), [])
      await assert.rejects(titles(user, { project_key: 'NOPE' }), {
        code: 'not_found',
        field: 'project_key',
        allowed: ['INBOX', 'APP'],
      })
    },
  )

  verifies(
    'tasks_list.due_range',
    'due_before and due_after exclude the day itself and items without a date',
    async () => {
      const user = await newUser()
      for (const due_date of ['2026-05-01', '2026-05-02', '2026-05-03']) await user.task({ title: due_date, due_date })
      await user.task('none')
      assert.deepEqual(await titles(user, { due_before: '2026-05-02' }), ['2026-05-01'])
      assert.deepEqual(await titles(user, { due_after: '2026-05-02' }), ['2026-05-03'])
      assert.deepEqual(await titles(user, { due_after: '2026-05-01', due_before: '2026-05-03' }), ['2026-05-02'])
      await assert.rejects(titles(user, { due_before: 'tomorrow' }), { code: 'invalid_argument', field: 'due_before' })
    },
  )

  verifies('tasks_list.title_contains', 'a part of the title is found in any case, and taken literally', async () => {
    const user = await newUser()
    const all = ['週次レビュー資料', 'Release 100% ready', 'release_notes', 'ﾃｽﾄ', 'がぞう'.normalize('NFD')]
    for (const title of all) await user.task(title)
    const cases: [text: string, found: number[]][] = [
      ['レビュー', [0]],
      ['資', [0]],
      ['RELEASE', [1, 2]],
      ['0%', [1]],
      ['e_n', [2]],
      ['%', [1]],
      ['ﾃｽﾄ', [3]],
      ['がぞう', [4]],
      ['nothing', []],
    ]
    for (const [title_contains, found] of cases) {
      assert.deepEqual(
        await titles(user, { title_contains }),
        found.map(n => all[n]),
        title_contains,
      )
    }
  })

  verifies(
    'tasks_list.sort_due',
    'by default the earliest due comes first, without a date last, then by number',
    async () => {
      const user = await newUser()
      for (const due_date of ['2026-05-02', '', '2026-05-01', '2026-05-02', ''])
        await user.task({ title: due_date || 'none', due_date })
      assert.deepEqual(await user.refs(), ['INBOX#3', 'INBOX#1', 'INBOX#4', 'INBOX#2', 'INBOX#5'])
      assert.deepEqual(await user.refs({ sort: 'due' }), await user.refs())
    },
  )

  test('tasks of one day come in the order of their times, those of the whole day first', async () => {
    const user = await newUser()
    for (const due_time of ['18:00', '', '09:00'])
      await user.task({ title: due_time || 'all day', due_date: '2026-05-01', ...(due_time && { due_time }) })
    assert.deepEqual(await titles(user, {}), ['all day', '09:00', '18:00'])
    const { open_tasks } = await user.call('me_overview', {})
    assert.deepEqual(
      open_tasks.map(({ title }: Item) => title),
      ['all day', '09:00', '18:00'],
    )
  })

  verifies('tasks_list.sort_priority', 'urgent comes first, without a priority last', async () => {
    const user = await newUser()
    for (const priority of ['low', undefined, 'urgent', 'normal', 'high', 'urgent']) {
      await user.task({ title: priority ?? 'none', ...(priority && { priority }) })
    }
    assert.deepEqual(await titles(user, { sort: 'priority' }), ['urgent', 'urgent', 'high', 'normal', 'low', 'none'])
  })

  verifies(
    ['tasks_list.sort_order', 'results.write_warnings'],
    'created and updated sort by order, newest first by default',
    async () => {
      const user = await newUser()
      for (const title of ['a', 'b', 'c']) await user.task(title)
      const times = ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
      for (const [n, time] of times.entries()) await set(user, n + 1, { created: time, updated: times.at(-n - 2)! })
      assert.deepEqual(await titles(user, { sort: 'created' }), ['c', 'a', 'b'])
      assert.deepEqual(await titles(user, { sort: 'created', order: 'asc' }), ['b', 'a', 'c'])
      assert.deepEqual(await titles(user, { sort: 'updated' }), ['c', 'b', 'a'])
      assert.deepEqual(await titles(user, { sort: 'updated', order: 'asc' }), ['a', 'b', 'c'])
      for (const args of [{ order: 'asc' }, { sort: 'priority', order: 'desc' }]) {
        const { warnings } = await list(user, args)
        assert.match(warnings[0], /^order is for created and updated; sort=(due|priority) has one order\.$/)
      }
      assert.equal((await list(user, { sort: 'created', order: 'asc' }))['warnings'], undefined)
    },
  )

  verifies('tasks_list.archived_hidden', 'archived tasks are listed only on request', async () => {
    const user = await newUser()
    for (const title of ['kept', 'archived']) await user.task(title)
    await user.call('items_patch', { item_ref: '#2', archived_at: '2026-05-01T00:00:00Z' })
    assert.deepEqual(await titles(user), ['kept'])
    const { items } = await list(user, { q: 'is:archived' })
    assert.deepEqual(
      items.map((item: Item) => [item['title'], item['archived_at']]),
      [['archived', '2026-05-01T00:00:00.000Z']],
    )
    assert.deepEqual(await titles(user, { q: 'is:archived OR is:open' }), ['kept', 'archived'])
    assert.equal((await list(user, { include_total: true }))['total'], 1)
  })

  verifies('tasks_list.pages', 'all pages together give the whole list, each item once, with one total', async () => {
    const user = await newUser()
    const random = fc.sample(
      fc.record({
        title: fc.constantFrom('Plan', 'Review', 'テスト'),
        due_date: fc.constantFrom('', '2026-05-01', '2026-05-02'),
        priority: fc.constantFrom('low', 'urgent'),
        labels: fc.subarray(['a', 'b']),
      }),
      { numRuns: 40, seed: 7 },
    )
    await Promise.all(random.map(args => user.task(args)))
    for (const ref of ['#3', '#17', '#31']) await user.call('items_complete', { item_ref: ref })
    const query = fc.record(
      {
        q: fc.constantFrom('label:a', '-label:b', 'due:any', 'priority:urgent OR due:none', 'テスト', 'is:open'),
        status: fc.constantFrom('open', 'closed'),
        sort: fc.constantFrom('due', 'created', 'updated', 'priority'),
        order: fc.constantFrom('asc', 'desc'),
        include_area: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 45 }), async (args, limit) => {
        const whole = await user.refs({ ...args, limit: 100 })
        const joined: string[] = []
        let offset: number | null = 0
        while (offset !== null) {
          const page: Item = await list(user, { ...args, limit, offset, include_total: true })
          assert.equal(page['total'], whole.length)
          assert.equal(page['has_more'], page['next_offset'] !== null)
          joined.push(...page['items'].map((item: Item) => item['ref']))
          offset = page['next_offset']
        }
        assert.deepEqual(joined, whole)
        assert.equal(new Set(joined).size, joined.length)
      }),
      { numRuns: 40 },
    )
  })

  verifies(
    'tasks_list.one_statement',
    'it sends one statement, whatever is requested and however many rows there are',
    async () => {
      const user = await newUser()
      const everything = {
        q: 'is:open label:any OR due:today OR "free words"',
        title_contains: 'a',
        sort: 'priority',
        limit: 100,
        include_total: true,
        include_timestamps: true,
        include_relations: true,
        include_area: true,
      }
      for (const count of [0, 30]) {
        for (let n = 0; n < count; n++) await user.task({ title: `a${n}`, labels: ['x'], parent: n > 0 ? '#1' : '' })
        for (const args of [{}, { project_key: 'INBOX', ...(count === 0 && { offset: 0 }) }, everything]) {
          const sent = await statements(() => list(user, args))
          // For an empty page, a second statement checks that the project exists.
          assert.equal(sent.length, count === 0 && 'project_key' in args ? 2 : 1)
        }
      }
    },
  )

  test('members see the tasks of the projects that they share, in a stable order', async () => {
    const [owner, member] = [await newUser(), await newUser()]
    await owner.createProject('APP')
    await owner.share('APP', member.email, 'viewer')
    await owner.task('private')
    await owner.task({ project_key: 'APP', title: 'shared' })
    for (const title of ['mine', 'mine too']) await member.task(title)
    assert.deepEqual((await titles(member)).toSorted(), ['mine', 'mine too', 'shared'])
    assert.deepEqual(await titles(member, { project_key: 'APP' }), ['shared'])
    assert.deepEqual(await titles(member, { q: 'project:APP' }), ['shared'])
    assert.equal((await list(member, { include_total: true }))['total'], 3)
    const pages = [0, 1, 2].map(async offset => (await member.refs({ limit: 1, offset, sort: 'priority' }))[0])
    assert.equal(new Set(await Promise.all(pages)).size, 3)
  })
})
