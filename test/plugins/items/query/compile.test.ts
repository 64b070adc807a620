import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { sql, ToolError } from 'tasuki/plugin'
import { compileQuery, type CompiledQuery } from '../../../../plugins/items/query/compile.ts'
import { dateFilter, nameFilter } from '../../../../plugins/items/query/filter.repository.ts'
import type { FilterTerm, ItemFilter } from '../../../../plugins/items/query/filter.ts'
import { builtInFilters } from '../../../../plugins/items/query/built-in-filters.ts'
import { parseQuery } from '../../../../plugins/items/query/parse.ts'
import { compileFragment } from '../../../../core/plugin/sql.ts'
import { filterContext, itemsDatabase } from './database.ts'

const someday = () => sql<boolean>`i.title = 'someday'`
const filters = builtInFilters({
  is: [{ value: 'recurring', summary: 'made by a template', sql: () => sql`i.kind = 'routine'` }],
  has: [{ value: 'emoji', summary: 'an emoji', sql: () => sql`i.title ~ '😀'` }],
  someday,
})

function compile(query: string, list: readonly ItemFilter[] = filters): CompiledQuery {
  return compileQuery(parseQuery(query), list, filterContext, { words: () => 'ignore' })
}
function problems(query: string, list: readonly ItemFilter[] = filters): readonly ToolError[] {
  try {
    compile(query, list)
  } catch (error) {
    assert.ok(error instanceof ToolError, String(error))
    assert.equal(error.code, 'invalid_query')
    return [error, ...error.others]
  }
  return assert.fail(`"${query}" was accepted`)
}

/** Captures the term that the SQL function of a filter receives. */
function received(filter: Partial<ItemFilter>, query: string): FilterTerm | undefined {
  let term: FilterTerm | undefined
  const sample: ItemFilter = {
    key: 'x',
    type: 'text',
    summary: '',
    example: 'x:1',
    ...filter,
    sql: (_ctx, given) => {
      term = given
      return sql`true`
    },
  }
  compile(query, [sample])
  return term
}

describe('item filters on a database', async () => {
  const db = await itemsDatabase([
    { number: 1, title: 'Buy MILK', detail: '100% sure_\\', due: '2026-11-19', priority: 1, kind: 'bug' },
    { number: 2, title: 'ﾃｽﾄ 議事録', due: '2026-11-20', dueTime: '01:00', priority: 2, parent: 1, state: 'In review' },
    { number: 3, title: 'Later today', due: '2026-11-20', dueTime: '23:59', priority: 3, parent: 1 },
    { number: 4, title: 'someday', priority: 4, project: 'INBOX', detail: '' },
    { number: 5, title: 'テスト done', due: '2026-11-01', completed: '2026-11-19T15:00:00Z', state: 'Ｄｏｎｅ' },
    { number: 6, title: 'Party 😀', type: 'event', due: '2026-11-02', start: '2026-11-23' },
    { number: 7, title: 'Old', archived: '2026-11-01T00:00:00Z', created: '2026-11-19T14:59:59Z', kind: 'routine' },
  ])
  after(() => db.close())

  const found: [query: string, numbers: number[]][] = [
    ['', [1, 2, 3, 4, 5, 6, 7]],
    ['ignored words', [1, 2, 3, 4, 5, 6, 7]],
    ['is:open', [1, 2, 3, 4, 6, 7]],
    ['is:closed', [5]],
    ['is:closed,archived', [5, 7]],
    ['is:overdue', [1, 2]],
    ['is:recurring', [7]],
    ['-is:open', [5]],
    ['type:event', [6]],
    ['type:!=task', [6]],
    ['kind:BUG', [1]],
    ['kind:none', [2, 3, 4, 5, 6]],
    ['kind:!=bug', [2, 3, 4, 5, 6, 7]],
    ['state:"in review",DONE', [2, 5]],
    ['category:review', [2]],
    ['project:inbox', [4]],
    ['project:"website relaunch"', [1, 2, 3, 5, 6, 7]],
    ['priority:>=high', [1, 2]],
    ['priority:>urgent', []],
    ['priority:<high,none', [3, 4, 5, 6, 7]],
    ['priority:normal..urgent', [1, 2, 3]],
    ['priority:..normal', [3, 4]],
    ['priority:urgent..normal', []],
    ['priority:!=high', [1, 3, 4, 5, 6, 7]],
    ['due:today', [2, 3]],
    ['due:<today', [1, 5, 6]],
    ['due:<=today', [1, 2, 3, 5, 6]],
    ['due:>=2026-11-19', [1, 2, 3]],
    ['due:>2026-11-19', [2, 3]],
    ['due:2026-11', [1, 2, 3, 5, 6]],
    ['due:<=thisweek', [1, 2, 3, 5, 6]],
    ['due:>lastweek', [1, 2, 3]],
    ['due:2026-11-01..2026-11-19', [1, 5, 6]],
    ['due:..2026-11-02,none', [4, 5, 6, 7]],
    ['due:..9999-12-31', [1, 2, 3, 5, 6]],
    ['due:>9999-12', []],
    ['completed:2026-01..9999-12-31', [5]],
    ['due:any', [1, 2, 3, 5, 6]],
    ['due:!=none', [1, 2, 3, 5, 6]],
    ['start:nextweek', [6]],
    ['completed:today', [5]],
    ['completed:none', [1, 2, 3, 4, 6, 7]],
    ['created:yesterday', [7]],
    ['updated:>=-7d', [7]],
    ['activity:<-1m', [1, 2, 3, 4, 5, 6]],
    ['parent:#1', [2, 3]],
    ['parent:app#1', [2, 3]],
    ['parent:INBOX#1', []],
    ['parent:none', [1, 4, 5, 6, 7]],
    ['ref:#1,2,ＡＰＰ＃3,APP#4', [1, 2, 3]],
    ['number:2..3,7', [2, 3, 7]],
    ['number:>5', [6, 7]],
    ['number:99999999999', []],
    ['title:milk', [1]],
    ['title:テスト', [5]],
    ['title:ﾃｽﾄ', [2, 5]],
    ['detail:100%', [1]],
    ['detail:e_', [1]],
    ['detail:0_%', []],
    ['detail:"\\\\"', [1]],
    ['schedule:dated', [1, 2, 3, 5, 6]],
    ['schedule:anytime', [7]],
    ['schedule:someday', [4]],
    ['has:parent', [2, 3]],
    ['has:detail', [1]],
    ['has:emoji', [6]],
    ['no:detail', [2, 3, 4, 5, 6, 7]],
    ['no:due,start', [1, 2, 3, 4, 5, 7]],
    ['(is:closed OR type:event) -due:2026-11-02', [5]],
    ['NOT (is:closed OR due:any)', [4, 7]],
    ['is:closed OR nothing', [5]],
  ]
  for (const [query, numbers] of found) {
    test(`${query || '(nothing)'} finds ${numbers.join(' ') || 'nothing'}`, async () => {
      assert.deepEqual(await db.numbers(compile(query).where), numbers)
    })
  }
})

describe('compileQuery', () => {
  test('without a predicate schedule:someday does not exist', () => {
    const [error] = problems('schedule:someday', builtInFilters())
    assert.deepEqual(error?.help.allowed, ['dated', 'anytime'])
  })

  test('reports every problem of the query together, each with its position', () => {
    const errors = problems('duo:today OR (priority:hihg -due:soon,today) type:none number:1x due:>none kind:>a')
    assert.deepEqual(
      errors.map(error => error.help.details?.['position']),
      [1, 24, 34, 51, 63, 66, 76],
    )
    assert.ok(errors.every(error => error.code === 'invalid_query' && error.help.field === 'q'))
  })

  test('an unknown key is refused with the nearest keys and the short reference', () => {
    const [error] = problems('duo:today')
    assert.match(error?.message ?? '', /"duo".*character 1/)
    assert.match(error?.help.hint ?? '', /Did you mean due:\?/)
    assert.match(error?.help.hint ?? '', /Keys: is type .*thisweek/)
    assert.equal(error?.help.allowed?.[0], 'due')
  })

  test('an unknown value is refused with the nearest value and the valid values', () => {
    const [error] = problems('priority:hihg')
    assert.match(error?.message ?? '', /"hihg"/)
    assert.match(error?.help.hint ?? '', /Did you mean priority:high\?/)
    assert.deepEqual([...(error?.help.allowed ?? [])].toSorted(), ['any', 'high', 'low', 'none', 'normal', 'urgent'])
  })

  test('the reference comes once, however many problems there are', () => {
    const [first, ...others] = problems('a:1 b:2 c:3')
    assert.match(first?.help.hint ?? '', /Keys:/)
    assert.equal(others.length, 2)
    for (const other of others) assert.doesNotMatch(other.help.hint ?? '', /Keys:/)
  })

  const refused = [
    'ref:APP-12',
    'ref:none',
    'due:"today"..none',
    'number:1..x',
    'is:open..closed',
    'state:"a".."b"',
    'title:""',
  ]
  for (const query of refused) test(`refuses ${query}`, () => assert.equal(problems(query).length, 1))

  test('adjacent words are searched together, and negated ones are negated', async () => {
    const asked: string[][] = []
    const { where } = compileQuery(parseQuery('b "c d" is:open (e OR f) -g'), filters, filterContext, {
      words: words => {
        asked.push(words)
        return sql`found(${words.join('+')})`
      },
    })
    assert.deepEqual(asked, [['e'], ['f'], ['g'], ['b', 'c d']])
    assert.ok(where)
    assert.equal(
      compileFragment(where).sql,
      '(i.completed_at is null and (found($1) or found($2)) and (found($3)) is not true and found($4))',
    )
    assert.deepEqual(compileFragment(where).parameters, ['e', 'f', 'g', 'b+c d'])
  })

  test('ignored words restrict nothing and are reported', () => {
    const { where, ignoredWords } = compile('a -b (c OR "d e")')
    assert.equal(where, null)
    assert.deepEqual(ignoredWords.toSorted(), ['a', 'b', 'c', 'd e'])
  })

  test('reports which keys and choices were asked for', () => {
    const asked = 'is:archived due:today (priority:>=high OR state:done)'
    const { mentions } = compile(`${asked} -kind:bug -(title:x parent:#1) project:!=APP parent:none`)
    assert.deepEqual([...mentions].toSorted(), [
      'due',
      'is',
      'is:archived',
      'priority',
      'priority:high',
      'priority:urgent',
      'state',
    ])
  })

  test('values never become SQL text', () => {
    const { where } = compile(`title:"'; drop table items.items --" or:1`, [
      ...filters,
      { key: 'or', type: 'number', summary: '', example: 'or:1', sql: () => sql`true` },
    ])
    assert.ok(where)
    assert.doesNotMatch(compileFragment(where).sql, /drop/)
  })
})

describe('the term that a filter receives', () => {
  test('families get the name after the dot', () => {
    const family = { key: 'cf', family: true, type: 'number' } as const
    assert.deepEqual(received(family, 'CF.Story.Points:>3'), {
      key: 'cf',
      name: 'story.points',
      op: '>',
      values: [{ kind: 'number', from: 3, to: 3 }],
    })
    for (const query of ['cf:1', 'cf.:1', 'x.y:1']) {
      assert.equal(problems(query, [{ ...family, summary: '', example: 'cf.a:1', sql: () => sql`true` }]).length, 1)
    }
  })

  test('symbols, none and any only where the filter takes them and only unquoted', () => {
    const symbols = { type: 'name', symbols: ['@me', '@active'], nullable: true } as const
    assert.deepEqual(received(symbols, 'x:@ME,none,"any",@next')?.values, [
      { kind: 'symbol', symbol: '@me' },
      { kind: 'none' },
      { kind: 'name', text: 'any' },
      { kind: 'name', text: '@next' },
    ])
    assert.deepEqual(received({ type: 'name' }, 'x:none')?.values, [{ kind: 'name', text: 'none' }])
  })

  test('the compiler handles the negation, so != arrives as =', () => {
    assert.equal(received({ type: 'name' }, 'x:!=a')?.op, '=')
  })

  test('dots are text if the filter has no ranges', () => {
    assert.deepEqual(received({ type: 'name' }, 'x:v1..2...')?.values, [{ kind: 'name', text: 'v1..2...' }])
  })

  test('values may depend on the call', () => {
    const values = received({ type: 'choice', values: ctx => [ctx.today] }, 'x:2026-11-20')?.values
    assert.deepEqual(values, [{ kind: 'choice', value: '2026-11-20' }])
  })

  test('flags read yes and no', () => {
    assert.deepEqual(received({ type: 'flag' }, 'x:Yes,false')?.values, [
      { kind: 'flag', value: true },
      { kind: 'flag', value: false },
    ])
    assert.equal(
      problems('x:perhaps', [{ key: 'x', type: 'flag', summary: '', example: 'x:yes', sql: () => sql`true` }]).length,
      1,
    )
  })

  test('a helper refuses values of a type that its filter should not have', () => {
    const wrong: ItemFilter = { key: 'x', type: 'name', summary: '', example: 'x:a', sql: dateFilter('i.due_date') }
    assert.throws(() => compile('x:a', [wrong]), TypeError)
    const right: ItemFilter = { ...wrong, sql: nameFilter('i.kind') }
    assert.doesNotThrow(() => compile('x:a', [right]))
  })
})
