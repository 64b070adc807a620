import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost, type ItemsUser } from './setup.ts'

interface Hit {
  readonly ref: string
  readonly title: string
  readonly type: string
  readonly count: number
  readonly snippets?: {
    readonly field: string
    readonly before: string
    readonly match: string
    readonly after: string
  }[]
}
interface Page {
  readonly items: Hit[]
  readonly next_cursor: string | null
  readonly has_more: boolean
  readonly warnings?: string[]
}

forEachEngine('items_grep', engine => {
  const shared = itemsHost(engine)
  const { newUser, statements } = shared
  const grep = (user: ItemsUser, pattern: string, args: object = {}): Promise<Page> =>
    user.call('items_grep', { pattern, ...args })
  const refs = async (user: ItemsUser, pattern: string, args: object = {}): Promise<string[]> =>
    (await grep(user, pattern, args)).items.map(item => item.ref)
  /** Reads all pages by following the cursor. */
  const all = async (user: ItemsUser, pattern: string, args: object = {}): Promise<Hit[]> => {
    const hits: Hit[] = []
    let cursor: string | null | undefined
    do {
      const page: Page = await grep(user, pattern, { ...args, ...(cursor && { cursor }) })
      assert.equal(page.has_more, page.next_cursor !== null)
      hits.push(...page.items)
      cursor = page.next_cursor
    } while (cursor !== null)
    return hits
  }
  /** Inserts many items directly, without tools. */
  const seed = (user: ItemsUser, items: readonly { title: string; detail: string }[]) => shared.host.sql`
    insert into items.items (owner_id, id, number, project_id, state_id, title, detail, created_at, updated_at, last_activity_at)
    select ${user.userId}::uuid, gen_random_uuid(), v.number, p.id, s.id, v.title, v.detail, now(), now(), now()
    from jsonb_to_recordset(${JSON.stringify(items.map((item, n) => ({ number: n + 1, ...item })))}::jsonb) as v(number int, title text, detail text)
    join projects.projects p on p.owner_id = ${user.userId} and p.is_inbox
    join workflows.states s on s.owner_id = ${user.userId} and s.name = 'Backlog'`

  verifies(
    ['items_grep.literal', 'items_grep.default_fields', 'items_grep.fields'],
    'a literal is found in title, body and labels, each named with its matches',
    async () => {
      const user = await newUser()
      await user.task({ title: 'a.b', detail: 'x a.b y a.b', labels: ['a.b'] })
      await user.task({ title: 'axb', detail: 'nothing' })
      const { items, has_more, next_cursor } = await grep(user, 'a.b')
      assert.deepEqual(items, [
        {
          ref: 'INBOX#1',
          title: 'a.b',
          type: 'task',
          count: 4,
          snippets: [
            { field: 'title', before: '', match: 'a.b', after: '' },
            { field: 'detail', before: 'x ', match: 'a.b', after: ' y a.b' },
            { field: 'detail', before: 'x a.b y ', match: 'a.b', after: '' },
          ],
        },
      ])
      assert.deepEqual([has_more, next_cursor], [false, null])
      for (const field of ['title', 'detail', 'labels']) {
        const [hit] = (await grep(user, 'a.b', { fields: [field] })).items
        assert.deepEqual([hit!.count, hit!.snippets![0]!.field], [field === 'detail' ? 2 : 1, field])
      }
      await assert.rejects(grep(user, 'a', { fields: ['body'] }), { code: 'invalid_argument' })
    },
  )

  verifies(
    ['items_grep.regex', 'items_grep.ignore_case'],
    'regular expressions and any case, when asked for',
    async () => {
      const user = await newUser()
      for (const title of ['TODO 12', 'todo 3', 'Café', 'CAFÉ']) await user.task(title)
      assert.deepEqual(await refs(user, 'TODO \\d+', { regex: true }), ['INBOX#1'])
      assert.deepEqual(await refs(user, 'todo \\d+', { regex: true, ignore_case: true }), ['INBOX#1', 'INBOX#2'])
      assert.deepEqual(await refs(user, 'todo'), ['INBOX#2'])
      assert.deepEqual(await refs(user, 'café', { ignore_case: true }), ['INBOX#3', 'INBOX#4'])
      assert.deepEqual(await refs(user, '\\d+'), [])
    },
  )

  verifies('items_grep.exact', 'texts are compared as they are stored, without normalization', async () => {
    const user = await newUser()
    for (const title of ['é', 'e\u0301', 'ｱ', 'ア', '100%_\\']) await user.task(title)
    const found = { é: [1], 'e\u0301': [2], ｱ: [3], ア: [4], '%_': [5], '\\': [5], _: [5] }
    for (const [pattern, numbers] of Object.entries(found)) {
      assert.deepEqual(
        await refs(user, pattern),
        numbers.map(number => `INBOX#${number}`),
        pattern,
      )
    }
  })

  verifies(
    'items_grep.filters',
    'filters narrow the search; free words in them are ignored with a warning',
    async () => {
      const user = await newUser()
      for (const labels of [['x'], []]) await user.task({ title: 'needle', labels })
      const { items, warnings } = await grep(user, 'needle', { filters: 'label:x hay "two words"' })
      assert.deepEqual(
        items.map(item => item.ref),
        ['INBOX#1'],
      )
      assert.deepEqual(warnings, ['Free words in filters were ignored: hay two words.'])
      await user.call('items_patch', { item_ref: '#2', archived_at: '2026-05-01T00:00:00Z' })
      assert.deepEqual(await refs(user, 'needle'), ['INBOX#1'])
      assert.deepEqual(await refs(user, 'needle', { filters: 'is:archived' }), ['INBOX#2'])
      await assert.rejects(refs(user, 'x', { filters: 'nokey:1' }), { code: 'invalid_query', field: 'filters' })
    },
  )

  verifies(
    ['items_grep.context', 'items_grep.snippets'],
    'three snippets with 80 characters around, or as many as are asked for',
    async () => {
      const user = await newUser()
      await user.task({
        title: 't',
        detail: Array.from({ length: 5 }, () => `${'😀'.repeat(100)}hit${'会'.repeat(100)}`).join(''),
      })
      const [hit] = (await grep(user, 'hit')).items
      assert.deepEqual([hit!.count, hit!.snippets!.length], [5, 3])
      assert.deepEqual(hit!.snippets![0], {
        field: 'detail',
        before: '😀'.repeat(80),
        match: 'hit',
        after: '会'.repeat(80),
      })
      const [other] = (await grep(user, 'hit', { context_chars: 2, max_snippets_per_item: 4 })).items
      assert.equal(other!.snippets!.length, 4)
      assert.deepEqual(other!.snippets![3], { field: 'detail', before: '😀😀', match: 'hit', after: '会会' })
      const [bare] = (await grep(user, 'hit', { context_chars: 0, max_snippets_per_item: 1 })).items
      assert.deepEqual(bare!.snippets, [{ field: 'detail', before: '', match: 'hit', after: '' }])
    },
  )

  verifies('items_grep.count_only', 'count_only returns only the counts', async () => {
    const user = await newUser()
    await user.task({ title: 'banana', detail: 'a' })
    assert.deepEqual((await grep(user, 'a', { count_only: true })).items, [
      { ref: 'INBOX#1', title: 'banana', type: 'task', count: 4 },
    ])
  })

  verifies(
    ['items_grep.limit_items', 'items_grep.cursor', 'paging.has_more'],
    'a page has fifty items, and the cursor continues after it',
    async () => {
      const user = await newUser()
      await seed(
        user,
        Array.from({ length: 120 }, (_, n) => ({ title: `needle ${n}`, detail: '' })),
      )
      const first = await grep(user, 'needle')
      assert.deepEqual([first.items.length, first.has_more], [50, true])
      await shared.host.sql`delete from items.items where owner_id = ${user.userId} and number = 50`
      const second = await grep(user, 'needle', { cursor: first.next_cursor, limit_items: 2 })
      assert.deepEqual(
        second.items.map(item => item.ref),
        ['INBOX#51', 'INBOX#52'],
      )
      for (const limit_items of [1, 7, 200]) {
        const hits = await all(user, 'needle', { limit_items })
        assert.deepEqual(
          hits.map(hit => hit.ref),
          Array.from({ length: 120 }, (_, n) => `INBOX#${n + 1}`).toSpliced(49, 1),
        )
      }
      const refused = { code: 'invalid_argument', field: 'cursor' }
      const forged = Buffer.from(`${user.userId} 50`).toString('base64url')
      for (const cursor of ['made up', forged]) await assert.rejects(grep(user, 'needle', { cursor }), refused)
      await assert.rejects(grep(user, 'needl', { cursor: first.next_cursor }), refused)
      await assert.rejects(grep(await newUser(), 'needle', { cursor: first.next_cursor }), refused)
      const exact = await grep(user, 'needle', { limit_items: 119 })
      assert.deepEqual([exact.items.length, exact.next_cursor], [119, null])
    },
  )

  verifies('items_grep.literal', 'it finds the same matches as a plain search in all texts, page by page', async () => {
    const user = await newUser()
    const word = fc.constantFrom('a', 'b', 'ab', 'A', '会', '議', '😀', ' ', '.', '%', '_', '\n', 'e\u0301')
    const text = (max: number) => fc.array(word, { maxLength: max }).map(words => words.join(''))
    const items = fc.sample(fc.record({ title: text(4), detail: text(25) }), { numRuns: 80, seed: 3 })
    await seed(user, items)
    const count = (pattern: string, value: string): number => value.split(pattern).length - 1
    await fc.assert(
      fc.asyncProperty(text(3), fc.integer({ min: 1, max: 30 }), async (pattern, limit_items) => {
        if (pattern === '') return
        const expected = items.flatMap(({ title, detail }, n) => {
          const matches = count(pattern, title) + count(pattern, detail)
          return matches === 0 ? [] : [[`INBOX#${n + 1}`, matches]]
        })
        const hits = await all(user, pattern, { count_only: true, limit_items })
        assert.deepEqual(
          hits.map(hit => [hit.ref, hit.count]),
          expected,
        )
      }),
      { numRuns: 60 },
    )
    const regex = fc.constantFrom('a+b', '[会議]', '^a', 'b$', '(?i)AB', 'a.?b', '\\W\\s', '(a|会)(b|議)', '\\.%')
    await fc.assert(
      fc.asyncProperty(regex, async pattern => {
        const insensitive = pattern.startsWith('(?i)')
        const expression = new RegExp(insensitive ? pattern.slice(4) : pattern, insensitive ? 'gimu' : 'gmu')
        const matches = (value: string): number => [...value.matchAll(expression)].length
        const expected = items.flatMap(({ title, detail }, n) => {
          const found = matches(title) + matches(detail)
          return found === 0 ? [] : [[`INBOX#${n + 1}`, found]]
        })
        const hits = await all(user, pattern, { regex: true, count_only: true })
        assert.deepEqual(
          hits.map(hit => [hit.ref, hit.count]),
          expected,
          pattern,
        )
      }),
      { numRuns: 20 },
    )
  })

  verifies(['items_grep.linear', 'errors.names_value'], 'slow patterns are refused', { timeout: 60_000 }, async () => {
    const user = await newUser()
    await seed(
      user,
      Array.from({ length: 20 }, (_, n) => ({ title: `t${n}`, detail: `${'a'.repeat(30_000)}!` })),
    )
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(.*)*x', 'a{0,50}a{0,50}b', '(?:a?){30}a{30}']) {
      const began = performance.now()
      await grep(user, pattern, { regex: true })
      assert.ok(performance.now() - began < 8000, pattern)
    }
    for (const pattern of ['(a)\\1', 'a(?=b)', '(?<!a)b', '(a', 'a{2000}']) {
      await assert.rejects(
        grep(user, pattern, { regex: true }),
        { code: 'invalid_argument', field: 'pattern' },
        pattern,
      )
    }
    await assert.rejects(grep(user, ''), { code: 'invalid_argument', field: 'pattern' })
  })

  test('partially counted matches are reported', async () => {
    const user = await newUser()
    await seed(user, [{ title: 't', detail: 'a'.repeat(100_000) }])
    const { items, warnings } = await grep(user, '(?s)a.*b|a', { regex: true })
    assert.ok(items[0]!.count < 100_000)
    assert.deepEqual(warnings, ['Counting took too long in INBOX#1: there are more matches than count says.'])
  })

  verifies('results.ceiling', 'a page with large snippets ends early, and the cursor skips nothing', async () => {
    const user = await newUser()
    const detail = `${'会'.repeat(400)}hit${'会'.repeat(400)}`.repeat(20)
    await seed(
      user,
      Array.from({ length: 12 }, (_, n) => ({ title: `t${n}`, detail })),
    )
    const args = { context_chars: 400, max_snippets_per_item: 20, limit_items: 200 }
    const first = await grep(user, 'hit', args)
    assert.ok(first.items.length < 12 && first.has_more)
    assert.ok(Buffer.byteLength(JSON.stringify(first)) < 200_000)
    assert.deepEqual(first.warnings, [
      `The page ends after ${first.items.length} items to stay small; go on with next_cursor.`,
    ])
    assert.equal((await all(user, 'hit', args)).length, 12)
  })

  verifies('items_grep.visible_only', 'it covers shared projects and nothing else of other owners', async () => {
    const [owner, member] = [await newUser(), await newUser()]
    await owner.createProject('APP')
    await owner.share('APP', member.email, 'viewer')
    for (const project_key of ['INBOX', 'APP']) await owner.task({ project_key, title: 'needle' })
    await member.task('needle')
    const hits = (user: ItemsUser) => all(user, 'needle', { limit_items: 1 })
    assert.deepEqual(
      (await hits(owner)).map(hit => hit.ref),
      ['INBOX#1', 'APP#2'],
    )
    assert.deepEqual((await hits(member)).map(hit => hit.ref).toSorted(), ['APP#2', 'INBOX#1'])
  })

  test('it sends one statement if the database narrows well, and few in any case', async () => {
    const user = await newUser()
    await seed(
      user,
      Array.from({ length: 300 }, (_, n) => ({ title: `needle ${n}`, detail: 'x'.repeat(n) })),
    )
    const count = async (pattern: string, args: object = {}) =>
      (await statements(() => grep(user, pattern, args))).length
    assert.equal(await count('needle 7'), 1)
    assert.equal(await count('needle'), 1)
    assert.equal(await count('needle 1\\d\\d', { regex: true }), 1)
    // The database prefilter ignores ends of lines, so all 300 items are candidates.
    assert.ok((await count('needle \\d$', { regex: true })) <= 4)
  })
})
