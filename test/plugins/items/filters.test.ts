import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type Item, type ItemsUser } from './setup.ts'

/** Friday in Tokyo, still Thursday in UTC. */
const NOW = new Date('2026-11-19T16:30:00Z')

forEachEngine('the filter language', engine => {
  const shared = itemsHost(engine, { now: () => NOW })
  let made: Promise<ItemsUser> | undefined
  /** One user for all tests that only read. */
  const sample = (): Promise<ItemsUser> => (made ??= makeSample())

  async function makeSample(): Promise<ItemsUser> {
    const user = await shared.newUser()
    await user.createProject('APP')
    const tasks: Item[] = [
      { title: 'Buy MILK', detail: '100% sure_\\', due_date: '2026-11-19', priority: 'urgent', kind: 'bug' },
      {
        title: 'ﾃｽﾄ 議事録',
        due_date: '2026-11-20',
        due_time: '01:00',
        priority: 'high',
        parent: '#1',
        project_key: 'APP',
      },
      {
        title: 'Later today',
        due_date: '2026-11-20',
        due_time: '23:59',
        priority: 'normal',
        project_key: 'APP',
        labels: ['a b'],
      },
      { title: 'Undated', priority: 'low', labels: ['someday'] },
      { title: 'Finished', due_date: '2026-11-01' },
      { title: 'Next', start_date: '2026-11-23', detail: 'the design review is on Monday' },
      { title: 'Old' },
    ]
    for (const task of tasks) await user.task(task)
    await user.call('items_move_state', { item_ref: '#2', status_definition_id: 'In review' })
    await user.call('items_complete', { item_ref: '#5' })
    await user.call('items_patch', { item_ref: '#7', archived_at: '2026-11-01T00:00:00Z' })
    await shared.host.sql`
      update items.items set created_at = '2026-11-18T14:59:59Z', updated_at = '2026-10-01T00:00:00Z', last_activity_at = '2026-10-01T00:00:00Z'
      where owner_id = ${user.userId} and number = 6`
    return user
  }

  const finds = async (query: string, numbers: readonly number[]): Promise<void> => {
    const user = await sample()
    const found = (await user.refs({ q: query, limit: 100 })).map(ref => Number(ref.split('#')[1]))
    assert.deepEqual(
      found.toSorted((a, b) => a - b),
      numbers,
      query,
    )
  }
  const cases = (list: Readonly<Record<string, readonly number[]>>) => async (): Promise<void> => {
    for (const [query, numbers] of Object.entries(list)) await finds(query, numbers)
  }

  verifies(
    ['filter.value', 'filter.any_of', 'filter.names'],
    'key:value matches, key:a,b any of them, by names',
    cases({
      'kind:bug': [1],
      'state:"in review",done': [2, 5],
      'project:"Project APP"': [2, 3],
      'priority:urgent,low': [1, 4],
    }),
  )
  verifies(
    ['filter.compare', 'filter.range'],
    'values are compared, and ranges may be open at either end',
    cases({
      'priority:>=high': [1, 2],
      'priority:<high': [3, 4],
      'number:>5': [6],
      'due:<2026-11-20': [1, 5],
      'due:2026-11-19..2026-11-20': [1, 2, 3],
      'due:..2026-11-18': [5],
      'number:5..': [5, 6],
    }),
  )
  verifies(
    'filter.quotes',
    'quotes keep spaces and operators',
    cases({ 'label:"a b"': [3], 'title:"later today"': [3], '"OR"': [] }),
  )
  verifies(
    'filter.not',
    'NOT and - negate, also values that are not set',
    cases({
      '-priority:urgent': [2, 3, 4, 5, 6],
      'NOT due:any': [4, 6],
      '-(is:closed OR due:none)': [1, 2, 3],
      'kind:!=bug': [2, 3, 4, 5, 6],
    }),
  )
  verifies(
    'filter.or_parentheses',
    'AND binds closer than OR, and parentheses group',
    cases({ 'is:closed OR kind:bug due:none': [5], '(is:closed OR kind:bug) due:any': [1, 5] }),
  )
  verifies(
    'filter.free_words',
    'free words are all found in title or body, Japanese too',
    cases({
      milk: [1],
      'design review': [6],
      '"review is"': [6],
      '"is review"': [],
      議事: [2],
      '録 ﾃｽ': [2],
      '100%': [1],
      'next monday': [6],
    }),
  )
  verifies(
    'filter.full_width',
    'full-width characters work',
    cases({ 'priority：urgent': [1], 'is：open　due：none': [4, 6], 'ｋｉｎｄ:ｂｕｇ': [1] }),
  )
  verifies(
    ['filter.relative_dates', 'item.due_in_zone'],
    'relative dates are in the time zone of the owner, Tokyo',
    cases({
      'due:today': [2, 3],
      'due:yesterday': [1],
      'due:<today': [1, 5],
      'due:fri': [2, 3],
      'start:+3d': [6],
      'start:nextweek': [6],
      'due:thisweek': [1, 2, 3],
      'due:thismonth': [1, 2, 3, 5],
    }),
  )
  verifies(
    'filter.none_any',
    'none and any match absence and presence',
    cases({ 'due:none': [4, 6], 'start:any': [6], 'label:none': [1, 2, 5, 6], 'priority:low,none': [4, 5, 6] }),
  )
  verifies(
    'filter.key_type_kind',
    'type and kind',
    cases({ 'type:task': [1, 2, 3, 4, 5, 6], 'type:note': [], 'kind:task': [2, 3, 4, 5, 6] }),
  )
  verifies(
    'filter.key_state',
    'state and category',
    cases({ 'state:backlog': [1, 3, 4, 6], 'category:review': [2], 'category:done': [5] }),
  )
  verifies(
    'filter.key_is',
    'is:open, closed, archived and overdue, which looks at the time of day too',
    cases({
      'is:open': [1, 2, 3, 4, 6],
      'is:closed': [5],
      'is:archived': [7],
      'is:overdue': [1, 2],
      'is:open,archived': [1, 2, 3, 4, 6, 7],
    }),
  )
  verifies(
    'filter.key_project',
    'project by key or name',
    cases({ 'project:app': [2, 3], 'project:INBOX,APP': [1, 2, 3, 4, 5, 6], 'project:"project app"': [2, 3] }),
  )
  verifies('filter.key_priority', 'priority', cases({ 'priority:none': [5, 6], 'priority:normal..urgent': [1, 2, 3] }))
  verifies(
    'filter.key_dates',
    'due, start, created, updated, completed and activity',
    cases({
      'due:2026-11': [1, 2, 3, 5],
      'start:2026-11-23': [6],
      'created:2026-11-18': [6],
      'created:today': [1, 2, 3, 4, 5],
      'updated:<-1m': [6],
      'completed:today': [5],
      'activity:lastmonth': [6],
    }),
  )
  verifies(
    'filter.key_parent',
    'parent',
    cases({ 'parent:#1': [2], 'parent:inbox#1': [2], 'parent:APP#1': [], 'parent:none': [1, 3, 4, 5, 6] }),
  )
  verifies(
    'filter.key_has',
    'has and no',
    cases({ 'has:label': [3, 4], 'no:due,parent': [1, 3, 4, 5, 6], 'has:detail': [1, 6], 'has:start': [6] }),
  )
  verifies('filter.key_ref', 'ref and number', cases({ 'ref:#1,APP#2,INBOX#3': [1, 2], 'number:1..3,6': [1, 2, 3, 6] }))
  verifies(
    'filter.key_text',
    'title and detail',
    cases({ 'title:ﾃｽﾄ': [2], 'title:MILK': [1], 'detail:sure_': [1], 'detail:review': [6] }),
  )
  verifies(
    'filter.key_schedule',
    'dated, someday and anytime',
    cases({ 'schedule:dated': [1, 2, 3, 5, 6], 'schedule:someday': [4], 'schedule:anytime': [] }),
  )

  verifies('filter.at_me', '@me is the caller', async () => {
    const [owner, member] = [await shared.newUser(), await shared.newUser()]
    await owner.createProject('APP')
    await owner.share('APP', member.email, 'viewer')
    await owner.task({ project_key: 'APP', title: 'theirs' })
    await member.task('mine')
    assert.deepEqual(await member.refs({ q: 'owner:@me' }), ['INBOX#1'])
    assert.deepEqual(await member.refs({ q: '-owner:@me' }), ['APP#1'])
    assert.deepEqual(await member.refs({ q: `owner:"${owner.email.toUpperCase()}"` }), ['APP#1'])
  })

  verifies('filter.one_grammar', 'a query has the same meaning in every tool', async () => {
    const user = await sample()
    for (const q of ['priority:>=high', 'label:any -is:closed', 'due:today OR due:none', 'is:archived']) {
      const refs = await user.refs({ q, limit: 100 })
      const facet = await user.call('items_facet', { facet_by: 'state', q })
      const { items } = await user.call('items_grep', { pattern: '.', regex: true, filters: q })
      assert.equal(facet.total, refs.length, q)
      assert.deepEqual(items.map((item: Item) => item['ref']).toSorted(), refs.toSorted(), q)
    }
    for (const [tool, args] of [
      ['tasks_list', { q: 'x:1' }],
      ['items_facet', { facet_by: 'state', q: 'x:1' }],
      ['items_grep', { pattern: 'a', filters: 'x:1' }],
    ] as const) {
      const field = 'filters' in args ? 'filters' : 'q'
      await assert.rejects(user.call(tool, args), { code: 'invalid_query', field })
    }
  })

  test('a query of words takes one statement', async () => {
    const user = await sample()
    const sent = await shared.statements(() =>
      user.call('tasks_list', { q: 'design "review" -milk (a OR b) parent:#1 ref:#2' }),
    )
    assert.equal(sent.length, 1)
  })

  test('words that are filters elsewhere are explained where nothing is found', async () => {
    const user = await shared.newUser()
    await user.task({ title: 'Late', due_date: '2020-01-01', priority: 'high' })
    for (const [q, words, filters] of [
      ['overdue', 'overdue', 'is:overdue'],
      ['High priority', 'High', 'priority:high'],
      ['due today', 'today', 'due:today'],
      ['priority>=high', 'priority>=high', 'priority:>=high'],
      ['due<2026-12-01 OR project=INBOX', 'due<2026-12-01 project=INBOX', 'due:<2026-12-01 project:INBOX'],
    ] as const) {
      const said = [`Read as words of the text: ${words}. As a filter write ${filters}.`]
      assert.deepEqual((await user.call('tasks_list', { q })).warnings, said, q)
      assert.deepEqual((await user.call('items_facet', { facet_by: 'state', q })).warnings, said, q)
    }
    for (const q of ['"overdue"', 'E=mc2 x>y 2026 due garden', 'is:closed'])
      assert.equal((await user.call('tasks_list', { q })).warnings, undefined, q)
    assert.equal((await user.call('tasks_list', { q: 'is:overdue priority:>=high' })).items.length, 1)
  })

  test('a name that no item has is said where nothing is found', async () => {
    const user = await shared.newUser()
    await user.createProject('APP')
    await user.task({ project_key: 'APP', title: 'Real', labels: ['home'] })
    const terms = [
      'project:NOPE',
      'label:nope',
      'state:nope',
      'kind:nope',
      'sprint:nope',
      'version:nope',
      'area:nope',
      'cf.x:nope',
    ]
    for (const term of terms) {
      const [key, name] = term.split(':')
      const said = [new RegExp(`^No item has ${key} ${name}, in any project`)]
      for (const [tool, args] of [
        ['tasks_list', { q: `${term} label:home` }],
        ['items_facet', { facet_by: 'state', q: term }],
        ['items_grep', { pattern: 'x', filters: term }],
        ['query', { q: term }],
      ] as const) {
        const { warnings = [] } = await user.call(tool, args)
        assert.equal(warnings.length, said.length, `${tool} ${term}: ${JSON.stringify(warnings)}`)
        assert.match(warnings[0], said[0]!)
      }
    }
    // The project exists, so its name is only doubted.
    await user.createProject('NEW')
    const { warnings } = await user.call('tasks_list', { q: 'project:NEW' })
    const said = 'No item has project NEW, in any project, archived or not; the name may be wrong.'
    assert.deepEqual(warnings, [said])
    const both = await user.call('tasks_list', { project_key: 'NEW', q: 'project:APP' })
    assert.deepEqual(both.warnings, [
      'project_key and project: in q both limit the list: to items of NEW that q names too.',
    ])
    const other = await user.call('tasks_list', { project_key: 'APP', q: 'project:APP' })
    assert.deepEqual([other.items.length > 0, other.warnings], [true, undefined])
    const notes = await user.call('tasks_list', { q: 'type:note' })
    assert.deepEqual(notes.warnings, ['This lists items of type task alone; type: in q names others.'])
    const between = async (due_after: string, due_before: string) =>
      (await user.call('tasks_list', { due_after, due_before })).warnings
    const none = 'No day is after due_after 2026-05-01 and before due_before 2026-05-02; neither includes its day.'
    assert.deepEqual(await between('2026-05-01', '2026-05-02'), [none])
    assert.equal(await between('2026-05-01', '2026-05-03'), undefined)
    // The names are right: they only do not occur together, or not here.
    for (const q of ['label:home is:closed', 'project:APP kind:task due:today', '-label:nope is:closed'])
      assert.equal((await user.call('tasks_list', { q })).warnings, undefined, q)
  })
})
