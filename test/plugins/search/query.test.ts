import assert from 'node:assert/strict'
import { test } from 'node:test'
import { definePlugin, sql, Type } from 'tasuki/plugin'
import type { TestHost } from 'tasuki/testing'
import { rankTexts, searchKinds, type KindRequest } from '../../../plugins/search/index.ts'
import type { ProjectRow } from '../../../plugins/projects/index.ts'
import { share } from '../../members.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { writeNotes } from './passages.ts'
import { searchHost } from './search-host.ts'

forEachEngine('full text', engine => {
  const search = searchHost(engine)
  const { newUser, titles, write, statements } = search

  verifies(
    ['query.fulltext', 'query.items'],
    'words of one, two and more characters are found in Japanese, in titles and bodies, in any width and case',
    async () => {
      const user = await newUser()
      await write(user, [
        '会議の議事録を作成',
        ['買い物', '牛乳と卵'],
        ['報告', 'ｻｰﾊﾞｰの設定を変更した'],
        '茶',
        'ＡＢＣ商事への見積書',
      ])
      assert.deepEqual(await titles(user, '議事録'), ['会議の議事録を作成'])
      assert.deepEqual(await titles(user, '会'), ['会議の議事録を作成'])
      assert.deepEqual(await titles(user, '録'), ['会議の議事録を作成'])
      assert.deepEqual(await titles(user, '牛乳'), ['買い物'])
      assert.deepEqual(await titles(user, '卵'), ['買い物'])
      assert.deepEqual(await titles(user, '茶'), ['茶'])
      assert.deepEqual(await titles(user, 'サーバー'), ['報告'])
      assert.deepEqual(await titles(user, '商事　abc'), ['ＡＢＣ商事への見積書'])
      assert.deepEqual(await titles(user, '見積書'), ['ＡＢＣ商事への見積書'])
    },
  )

  verifies(
    'query.fulltext',
    'English words are found by their beginnings, in singular and plural, down to two letters',
    async () => {
      const user = await newUser()
      await write(user, [
        'Deployment to production',
        'Write the API docs',
        'Go to market',
        'Team meetings',
        'Café on 3 May',
      ])
      assert.deepEqual(await titles(user, 'deploy'), ['Deployment to production'])
      assert.deepEqual(await titles(user, 'meeting'), ['Team meetings'])
      assert.deepEqual(await titles(user, 'meetings'), ['Team meetings'])
      assert.deepEqual(await titles(user, 'go'), ['Go to market'])
      assert.deepEqual(await titles(user, 'API'), ['Write the API docs'])
      assert.deepEqual(await titles(user, 'cafe\u0301'), ['Café on 3 May'])
      assert.deepEqual(await titles(user, '3'), ['Café on 3 May'])
    },
  )

  verifies('query.items', 'a title counts more than a body, and a rare word more than a common word', async () => {
    const user = await newUser()
    await write(user, [
      ['Weekly notes', 'a budget was discussed, and other things besides'],
      'Budget',
      ...Array.from({ length: 8 }, (_, n) => `Budget meeting ${n}`),
      'Zebra meeting',
    ])
    assert.equal((await titles(user, 'budget'))[0], 'Budget')
    assert.equal((await titles(user, 'budget', { limit: 30 })).at(-1), 'Weekly notes')
    assert.equal((await titles(user, 'zebra budget'))[0], 'Zebra meeting')
  })

  verifies(
    'query.fulltext',
    'when few items have all words, those with some follow, and the result says so',
    async () => {
      const user = await newUser()
      await write(user, ['台風の進路と被害', '台風の名前', '地震の被害', '会議'])
      const found = await user.call('query', { q: '台風　被害　対策' })
      assert.equal(found.items[0].title, '台風の進路と被害')
      assert.deepEqual(
        new Set(found.items.map((item: { title: string }) => item.title)),
        new Set(['台風の進路と被害', '台風の名前', '地震の被害']),
      )
      assert.match(found.warnings[0], /all words/)
      await write(
        user,
        Array.from({ length: 5 }, (_, n) => `台風 被害 ${n}`),
      )
      const all = await user.call('query', { q: '台風 被害' })
      assert.equal(all.items.length, 6)
      assert.ok(!('warnings' in all))
    },
  )

  verifies('query.items', 'texts with most words of a sentence are found, however many others have all', async () => {
    const user = await newUser()
    const long = 'about many other things '.repeat(60)
    await write(user, [
      ['answer', 'Sprinklers on the roof terrace froze, and frozen sprinklers on a roof leak.'],
      ...Array.from(
        { length: 6 },
        (_, n) => [`other ${n}`, `sprinklers ${long} frozen ${long} roof ${long} winter`] as const,
      ),
    ])
    assert.equal((await titles(user, 'frozen sprinklers of the roof in winter'))[0], 'answer')
  })

  verifies('query.items', 'of texts with the same words, one that has them in one passage is first', async () => {
    const user = await newUser()
    const filler = (times: number) => 'Nothing else was written on that day. '.repeat(times)
    await write(user, [
      ['together', `${filler(10)}The captain of the ship sold an old harbour to some merchant. ${filler(10)}`],
      ['apart', ['The captain wrote. ', 'Sold out. ', 'The harbour slept. ', 'A merchant came. '].join(filler(6))],
      ['一緒', `${'初日は静かでした。'.repeat(10)}船長は、港を、商人に、売却した。${'天気は曇りでした。'.repeat(22)}`],
      ['別々', ['船長は来た。', '港を見た。', '商人に会った。', '売却した。'].join('天気は曇りでした。'.repeat(9))],
    ])
    assert.equal((await titles(user, 'Did the captain sell the harbour, sold to which merchant?'))[0], 'together')
    assert.equal((await titles(user, 'harbour captain merchant sold'))[0], 'together')
    assert.equal((await titles(user, '商人が船長から港の売却をした'))[0], '一緒')
  })

  verifies('query.items', 'a stop word tells similar texts apart, and finds nothing by itself', async () => {
    const user = await newUser()
    await write(user, ['Backup of our own server', 'Backup of the other server', 'Their own garden'])
    const [own, other] = [await titles(user, 'own server backup'), await titles(user, 'other server backup')]
    assert.deepEqual([own[0], other[0]], ['Backup of our own server', 'Backup of the other server'])
    assert.ok(!own.includes('Their own garden'))
  })

  verifies(
    'query.items',
    'filters narrow the words; a minus excludes, OR allows either, quotes keep the order',
    async () => {
      const user = await newUser()
      await write(user, ['red apple pie', 'apple red', 'green apple', 'green pear', 'plum 🍑'])
      await user.call('items_create', { project_key: 'INBOX', title: 'urgent apple', priority: 'urgent' })
      assert.deepEqual(await titles(user, 'apple priority:urgent'), ['urgent apple'])
      assert.deepEqual(await titles(user, '"red apple"'), ['red apple pie'])
      assert.deepEqual(await titles(user, 'green -apple'), ['green pear'])
      assert.deepEqual((await titles(user, 'pie OR pear')).toSorted(), ['green pear', 'red apple pie'])
      assert.deepEqual(await titles(user, '🍑'), ['plum 🍑'])
      assert.deepEqual(await titles(user, 'plum 🍑'), ['plum 🍑'])
      assert.deepEqual(await titles(user, '!!!'), [])
      await assert.rejects(user.call('query', { q: 'apple lable:red' }), { code: 'invalid_query', field: 'q' })
      await assert.rejects(user.call('query', { q: '' }), { code: 'invalid_argument', field: 'q' })
    },
  )

  test('filters alone list the matching items, newest first', async () => {
    const user = await newUser()
    await write(user, ['one', 'two', 'three'])
    await user.call('items_create', { project_key: 'INBOX', title: 'four', priority: 'low' })
    assert.deepEqual(await titles(user, 'priority:none'), ['three', 'two', 'one'])
    const first = await user.call('query', { q: 'is:open', limit: 3 })
    await write(user, ['five'])
    const second = await user.call('query', { q: 'is:open', limit: 3, cursor: first.next_cursor })
    assert.deepEqual(
      second.items.map((item: { title: string }) => item.title),
      ['one'],
    )
    assert.equal(second.next_cursor, null)
  })

  verifies('query.items', 'archived items are found only on request', async () => {
    const user = await newUser()
    await write(user, ['lemon'])
    await search.host.sql`update items.items set archived_at = now() where owner_id = ${user.userId}`
    for (const mode of ['fulltext', 'semantic', 'hybrid']) {
      assert.deepEqual(await titles(user, 'lemon', { mode }), [])
      assert.deepEqual(await titles(user, 'lemon is:archived', { mode }), ['lemon'])
    }
  })

  test('every change of an item is searchable at once', async () => {
    const user = await newUser()
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'walrus', detail: 'tusks' })
    await user.call('items_patch', { item_ref: item.ref, title: 'otter' })
    for (const mode of ['fulltext', 'hybrid']) {
      assert.deepEqual(await titles(user, 'walrus', { mode }), [])
      assert.deepEqual(await titles(user, 'tusks', { mode }), ['otter'])
    }
    await user.call('items_patch', { item_ref: item.ref, detail: 'whiskers' })
    assert.deepEqual(await titles(user, 'tusks'), [])
    assert.deepEqual(await titles(user, 'whiskers', { mode: 'semantic' }), ['otter'])
    await user.call('items_patch', { item_ref: item.ref, priority: 'low' })
    assert.deepEqual(await titles(user, 'otter'), ['otter'])
  })

  verifies('query.items', 'users find only visible items, and members find shared ones', async () => {
    const [owner, member, stranger] = [await newUser(), await newUser(), await newUser()]
    await search.host.command('project create', { key: 'APP', name: 'App', user: owner.email })
    await owner.call('items_create', { project_key: 'APP', title: 'giraffe' })
    await owner.call('items_create', { project_key: 'INBOX', title: 'private giraffe' })
    const [project] = await search.host.sql<ProjectRow>`
      select owner_id as "ownerId", id, key from projects.projects where owner_id = ${owner.userId} and key = 'APP'`
    await search.host.write(ctx => share(ctx, project!, member.email, 'viewer'))
    for (const mode of ['fulltext', 'semantic', 'hybrid']) {
      assert.deepEqual((await titles(owner, 'giraffe', { mode })).toSorted(), ['giraffe', 'private giraffe'])
      assert.deepEqual(await titles(member, 'giraffe', { mode }), ['giraffe'])
      assert.deepEqual(await titles(member, 'is:open', { mode }), ['giraffe'])
      assert.deepEqual(await titles(stranger, 'giraffe', { mode }), [])
    }
  })

  verifies('query.limit', 'limit is 1 to 30, and 10 when left out', async () => {
    const user = await newUser()
    await write(
      user,
      Array.from({ length: 31 }, (_, n) => `tiger ${n}`),
    )
    const found = async (more: object) => (await titles(user, 'tiger', more)).length
    assert.equal(await found({}), 10)
    assert.equal(await found({ limit: 1 }), 1)
    assert.equal(await found({ limit: 30 }), 30)
    for (const limit of [0, 31]) {
      await assert.rejects(user.call('query', { q: 'tiger', limit }), { code: 'invalid_argument', field: 'limit' })
    }
  })

  verifies('query.cursor', 'pages show every item once, and the last one has no next_cursor', async () => {
    const user = await newUser()
    await write(
      user,
      Array.from({ length: 23 }, (_, n) => [`lion ${n}`, 'lion '.repeat(n % 5)] as const),
    )
    for (const mode of ['fulltext', 'semantic', 'hybrid']) {
      const whole = await titles(user, 'lion', { mode, limit: 30 })
      const seen: string[] = []
      let cursor: string | null | undefined
      do {
        const page = await user.call('query', { q: 'lion', mode, limit: 7, ...(cursor != null && { cursor }) })
        seen.push(...page.items.map((item: { title: string }) => item.title))
        cursor = page.next_cursor
      } while (cursor !== null)
      assert.deepEqual(seen, whole)
      assert.equal(new Set(seen).size, 23)
    }
  })

  verifies('query.cursor', 'writes between pages neither repeat nor lose an item', async () => {
    const user = await newUser()
    await write(
      user,
      Array.from({ length: 12 }, (_, n) => `panda ${n}`),
    )
    const first = await user.call('query', { q: 'panda', limit: 5 })
    const shown: string[] = first.items.map((item: { title: string }) => item.title)
    const later = Array.from({ length: 12 }, (_, n) => `panda ${n}`).filter(title => !shown.includes(title))
    // One result on the first page gets worse, one on a later page gets better, one is deleted, one is new.
    await user.call('items_patch', { item_ref: first.items[0].ref, detail: 'something else '.repeat(50) })
    const { items } = await user.call('query', { q: `"${later[6]!}"`, limit: 1 })
    await user.call('items_patch', { item_ref: items[0].ref, detail: 'panda panda panda' })
    await search.host
      .sql`update items.items set archived_at = now() where owner_id = ${user.userId} and title = ${later[0]}`
    await write(user, ['panda'])
    const rest: string[] = []
    for (let cursor = first.next_cursor; cursor !== null;) {
      const page = await user.call('query', { q: 'panda', limit: 5, cursor })
      rest.push(...page.items.map((item: { title: string }) => item.title))
      cursor = page.next_cursor
    }
    assert.deepEqual(rest.toSorted(), [...later.slice(1), 'panda'].toSorted())
  })

  verifies(
    'query.cursor_refused',
    'a cursor is refused with other kinds, for another query, and if query did not return it',
    async () => {
      const user = await newUser()
      await write(user, ['koala 1', 'koala 2'])
      const { next_cursor: cursor } = await user.call('query', { q: 'koala', limit: 1 })
      const refused = { code: 'invalid_argument', field: 'cursor' }
      await assert.rejects(user.call('query', { q: 'bear', limit: 1, cursor }), refused)
      await assert.rejects(user.call('query', { q: 'koala', mode: 'hybrid', limit: 1, cursor }), refused)
      for (const bad of ['', 'x', '!!', 'AQ', cursor.slice(0, 6), `${cursor}gICA`]) {
        await assert.rejects(user.call('query', { q: 'koala', cursor: bad }), refused, bad)
      }
      assert.equal((await user.call('query', { q: 'koala', kinds: ['item'], limit: 1, cursor })).items.length, 1)
      const stranger = await newUser()
      await assert.rejects(stranger.call('query', { q: 'koala', cursor }), refused)
    },
  )

  test('snippets mark the matches, wherever they are', async () => {
    const user = await newUser()
    const filler = 'これは前置きです。'.repeat(60)
    await write(user, [
      ['長い文書', `${filler}ここで議事録を配布する。${filler}`],
      ['𠮷野家 🍜', '𠮷野家で昼食🍜🍜'],
      ['Deploy', 'nothing here'],
      ['half', 'ﾃﾞｰﾀﾍﾞｰｽの移行'],
    ])
    const snippet = async (q: string): Promise<string> => (await user.call('query', { q, limit: 1 })).items[0].snippet
    assert.match(await snippet('議事録'), /^….*ここで«議事録»を配布する。.*…$/)
    assert.equal(await snippet('𠮷野家'), '«𠮷野家»で昼食🍜🍜')
    assert.equal(await snippet('deploy'), '«Deploy»')
    assert.equal(await snippet('データベース'), '«ﾃﾞｰﾀﾍﾞｰｽ»の移行')
    assert.equal(await snippet('is:open'), 'ﾃﾞｰﾀﾍﾞｰｽの移行')
  })

  verifies(
    ['query.semantic', 'query.hybrid'],
    'semantic and hybrid name the provider, and hybrid combines both results',
    async () => {
      const user = await newUser()
      await write(user, ['penguins on ice', 'penguin', 'ice cream', 'unrelated'])
      for (const mode of ['semantic', 'hybrid']) {
        const found = await user.call('query', { q: 'penguin', mode })
        assert.equal(found.provider, 'built-in')
        assert.equal(found.items[0].title, 'penguin')
        assert.ok(!('warnings' in found))
      }
      assert.ok(!('provider' in (await user.call('query', { q: 'penguin' }))))
      await write(user, ['stationery', 'writing paper and pens'])
      const both = async (q: string) => (await user.call('query', { q, mode: 'hybrid' })).items
      // 1 / (60 + place)
      const [best] = await both('purchase automobile')
      assert.equal(best, undefined)
      await write(user, ['buy a car', 'car wash'])
      const found = await both('purchase automobile')
      assert.deepEqual(
        found.map(({ title }: { title: string }) => title),
        ['buy a car', 'car wash'],
      )
      assert.ok(Math.abs(found[0].score - 1 / 61) < 1e-5, String(found[0].score))
    },
  )

  test('each mode sends one statement, whatever the results', async () => {
    const user = await newUser()
    await write(
      user,
      Array.from({ length: 12 }, (_, n) => `camel ${n}`),
    )
    for (const mode of ['fulltext', 'semantic', 'hybrid']) {
      for (const q of ['camel', 'nothing', 'camel is:open', 'is:open']) {
        const sent = await statements(() => user.call('query', { q, mode }))
        assert.equal(sent.length, 1, `${mode} ${q}: ${sent.join('\n')}`)
      }
    }
  })

  test('updating the index costs one statement per write, whatever the number of items', async () => {
    const user = await newUser()
    const mine = async (call: () => Promise<unknown>) =>
      (await statements(call)).filter(text => /search\.documents|i\.project_id as "projectId", i\.title/.test(text))
        .length
    assert.equal(await mine(() => user.call('items_create', { project_key: 'INBOX', title: 'a' })), 1)
    await write(user, ['b', 'c'])
    const refs = (await user.call('tasks_list', {})).items.map((item: { ref: string }) => item.ref)
    assert.equal(await mine(() => user.confirmed('items_bulk_patch', { item_refs: refs, detail: 'new' })), 1)
    assert.equal(await mine(() => user.call('items_patch', { item_ref: refs[0], priority: 'low' })), 0)
  })
})

forEachEngine('kinds of search results', engine => {
  const asked: KindRequest[] = []
  const memos = definePlugin({
    name: 'memos',
    version: '1.0.0',
    api: 1,
    group: 'memos',
    dependsOn: ['search'],
    contributes: [
      searchKinds({
        kind: 'memo',
        list: 'memos',
        row: Type.Object({ title: Type.String() }),
        async search(ctx, request) {
          asked.push(request)
          const { rows } = await sql<{ title: string }>`select ${request.words[0]?.text ?? ''} as title`.execute(ctx.db)
          return rows
        },
      }),
    ],
  })
  const { newUser, write } = searchHost(engine, {}, { plugins: [memos] })

  verifies(
    ['query.kinds', 'query.cursor_refused'],
    'kinds selects what is searched; only items are paged',
    async () => {
      const user = await newUser()
      await write(user, ['heron 1', 'heron 2'])
      const both = await user.call('query', { q: 'heron', kinds: ['item', 'memo'], limit: 1 })
      assert.equal(both.items.length, 1)
      assert.deepEqual(both.memos, [{ title: 'heron' }])
      assert.equal(both.next_cursor, null)
      assert.equal(asked.at(-1)!.limit, 1)
      const found = await user.call('query', { q: 'heron is:open', kinds: ['memo'] })
      assert.deepEqual(found, {
        memos: [{ title: 'heron' }],
        next_cursor: null,
        warnings: ['Filters apply to items only.'],
      })
      const { next_cursor: cursor } = await user.call('query', { q: 'heron', limit: 1 })
      for (const kinds of [['memo'], ['item', 'memo']]) {
        await assert.rejects(user.call('query', { q: 'heron', kinds, cursor }), {
          code: 'invalid_argument',
          field: 'cursor',
        })
      }
      await assert.rejects(user.call('query', { q: 'heron', kinds: ['mail'] }), { code: 'invalid_argument' })
    },
  )
})

forEachEngine('search without a provider', engine => {
  const search = searchHost(engine, { provider: 'none' })
  const { newUser, write, titles } = search

  verifies('query.no_provider', 'semantic and hybrid are full text then, and say so', async () => {
    const user = await newUser()
    await write(user, ['crane'])
    for (const mode of ['semantic', 'hybrid']) {
      const found = await user.call('query', { q: 'crane', mode })
      assert.equal(found.items[0].title, 'crane')
      assert.ok(!('provider' in found))
      assert.match(found.warnings[0], /No embedding provider/)
    }
  })

  test('with more items than can be ranked, those with the rarest words are found', async () => {
    const user = await newUser()
    const notes = Array.from({ length: 3_200 }, (_, n) => ({ title: `週次会議 ${n}`, detail: 'weekly meeting' }))
    notes[5] = { title: '週次会議と請求書', detail: 'invoice' }
    await search.host.write(ctx => writeNotes(ctx, user.userId, notes))
    assert.deepEqual(await titles(user, '請求書'), ['週次会議と請求書'])
    assert.equal((await titles(user, '会議 請求書'))[0], '週次会議と請求書')
    assert.equal((await titles(user, '週次会議の請求書はどれですか'))[0], '週次会議と請求書')
    assert.equal((await titles(user, 'meetings OR invoice', { limit: 30 })).length, 30)
    assert.equal((await titles(user, '会議', { limit: 30 })).length, 30)
    assert.deepEqual(await titles(user, '会議 title:請求書'), ['週次会議と請求書'])
    for (const words of ['会議', '週次会議 weekly meeting notes'])
      assert.ok((await rowsRanked(search.host, user.userId, words)) < 500_000, words)
  })

  test('texts that repeat all words of a query do not multiply the rows', async () => {
    const user = await newUser()
    const words = Array.from({ length: 30 }, (_, n) => `word${'abcdefghij'[n % 10]}${'xyz'[n % 3]}`)
    const notes = Array.from({ length: 60 }, (_, n) => ({ title: `${n}`, detail: `${words.join(' ')} `.repeat(300) }))
    await search.host.write(ctx => writeNotes(ctx, user.userId, notes))
    assert.ok((await rowsRanked(search.host, user.userId, words.join(' '))) < 400_000)
  })
})

/** Counts the rows that the database reads to rank the documents of an owner. Directly after a bulk insert it has no statistics. */
async function rowsRanked(host: TestHost, ownerId: string, text: string): Promise<number> {
  const words = text.split(' ').map(word => ({ text: word, phrase: false }))
  const documents = {
    from: sql`search.documents`,
    id: 'item_id',
    seen: sql<boolean>`d.owner_id = ${ownerId}`,
    join: sql``,
  }
  const { rows } = await host.write(ctx =>
    sql<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>`
      explain (analyze, format json) with ${rankTexts(documents, words)} select * from ranked
    `.execute(ctx.db),
  )
  const passed = (node: PlanNode): number =>
    node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Join Filter'] ?? 0)) +
    (node.Plans ?? []).reduce((sum, below) => sum + passed(below), 0)
  return passed(rows[0]!['QUERY PLAN'][0].Plan)
}

interface PlanNode {
  readonly 'Actual Loops': number
  readonly 'Actual Rows': number
  readonly 'Rows Removed by Join Filter'?: number
  readonly Plans?: readonly PlanNode[]
}
