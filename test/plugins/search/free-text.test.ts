import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneWordsJob } from '../../../plugins/search/jobs.ts'
import { forEachEngine } from '../../engines.ts'
import { DATA_FOLDER, readIssues } from '../../issues.ts'
import { verifies } from '../../verifies.ts'
import { searchHost } from './search-host.ts'

forEachEngine('free text', engine => {
  const search = searchHost(engine)
  const { newUser, titles, write } = search

  verifies('query.fulltext', 'one word is found in every form in which people write it', async () => {
    const user = await newUser()
    const texts = [
      'Deployment of the staging cluster',
      'parseHttpHeader fails with E4021',
      'src/core/main.ts broke in 3f2504e04f8911d39a0c0305e82c3301',
      'Straße nach Köln',
      'résumé of the candidates',
      'サーバーのバックアップ',
      'Port the tool to C++',
      'Learn C by heart',
    ]
    await write(user, texts)
    for (const [q, found] of [
      ['deploying', 0],
      ['deployed clusters', 0],
      ['deplo', 0],
      ['http header', 1],
      ['parseHttp', 1],
      ['parsehttpheader', 1],
      ['E4021', 1],
      ['4021', 1],
      ['main.ts', 2],
      ['3f2504e', 2],
      ['3f2504e04f8911d39a0c0305e82c3301', 2],
      ['strasse', 3],
      ['STRASSE koln', 3],
      ['resume', 4],
      ['さーばー', 5],
      ['ｻｰﾊﾞｰ', 5],
      ['C++', 6],
      ['What is with the staging?', 0],
    ] as const)
      assert.equal((await titles(user, q))[0], texts[found], q)
    assert.deepEqual(await titles(user, 'C++'), [texts[6]])
  })

  verifies('query.fulltext', 'of all forms of a word the one that was asked for comes first', async () => {
    const user = await newUser()
    const texts = ['merging of a branch', 'merged branch', 'a merge of branches']
    await write(user, texts)
    for (const [q, found] of [
      ['merging', 0],
      ['merged', 1],
      ['branches', 2],
      ['what is merging', 0],
    ] as const)
      for (const mode of ['fulltext', 'hybrid']) assert.equal((await titles(user, q, { mode }))[0], texts[found], q)
    assert.equal((await titles(user, 'merges')).length, texts.length)
  })

  verifies('query.fulltext', 'one typo is forgiven where a word finds nothing', async () => {
    const user = await newUser()
    await write(user, ['Deployment of the cluster', 'Employment contract', 'Backup plan'])
    for (const typed of ['deplyment', 'depployment', 'deplotment', 'dpeloyment', 'deploymnet'])
      assert.deepEqual(await titles(user, typed), ['Deployment of the cluster'], typed)
    assert.deepEqual(await titles(user, 'bakcup'), ['Backup plan'])
    assert.deepEqual(await titles(user, 'xyzzyq'), [])
    const other = await newUser()
    await write(other, ['Other things'])
    assert.deepEqual(await titles(other, 'bakcup'), [])
  })

  verifies('query.items', 'a word that a query repeats counts more', async () => {
    const user = await newUser()
    await write(user, [
      ['First', 'Boards need a new printer.'],
      ['Second', 'Boards need a new invoice.'],
    ])
    const q = 'The printer prints an invoice, but not from the printers upstairs'
    for (const mode of ['fulltext', 'hybrid'])
      assert.deepEqual(await titles(user, q, { mode }), ['First', 'Second'], `${mode}: ${q}`)
  })

  test('words that no item contains leave the vocabulary', async () => {
    const user = await newUser()
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'walrus tusks' })
    await user.call('items_patch', { item_ref: item.ref, title: 'walrus teeth' })
    const words = () => search.host.sql<{ word: string }>`
      select word from search.words where owner_id = ${user.userId} order by word`
    assert.deepEqual(await words(), [{ word: 'teeth' }, { word: 'tusks' }, { word: 'walrus' }])
    await search.host.write(ctx => pruneWordsJob.run(ctx, {}))
    assert.deepEqual(await words(), [{ word: 'teeth' }, { word: 'walrus' }])
  })

  verifies('query.items', 'free text is never refused nor narrowed by what looks like syntax', async () => {
    const user = await newUser()
    const wanted = 'Stream clears E4021 in std::vector after the peek call'
    await write(user, [[wanted, 'UI boundary layer of a flat plate, see https://example.com/a and C:\\Users'], 'other'])
    for (const q of [
      'UI: Make the boundary layer flat',
      'peek()',
      'https://example.com/a',
      'std::vector',
      'C:\\Users',
      'E4021: stream',
      'boundary layer !',
      'boundary & layer',
      'What is the boundary layer (of a flat plate)?',
      'boundary (layer',
      'boundary "layer',
      'AND boundary OR',
      'boundary -> layer',
      'boundary --layer',
      'Title: boundary layer',
      'the boundary layer type:flow of a plate',
      `${'('.repeat(60)}boundary`,
    ]) {
      const found = await user.call('query', { q })
      assert.equal(found.items[0]?.title, wanted, q)
    }
    const { warnings } = await user.call('query', { q: 'UI: boundary & (layer)' })
    assert.match(warnings[0], /plain text.*UI:.*\(.*search_help/)
    assert.match(warnings[1], /Not searched.*&/)
    assert.ok(!('warnings' in (await user.call('query', { q: 'boundary layer' }))))
    const { warnings: left } = await user.call('query', { q: 'boundary layer of plates -Xmx' })
    assert.match(left[0], /Xmx are left out/)
    for (const q of ['-peek flat layer of plates', 'flat layer of plates -"peek call"'])
      assert.match((await user.call('query', { q })).warnings[0], /peek.*left out/, q)
    const options = await user.call('query', { q: 'clears the peek -call -x in std::vector' })
    assert.equal(options.items[0]?.title, wanted)
    assert.match(options.warnings[0], /plain text.*-call.*-x/)
    for (const [q, hint] of [
      ['flat lable:bug', /label/],
      ['flat proirity:high plate of steel', /priority/],
      ['is:opne', /is:open/],
    ] as const)
      await assert.rejects(user.call('query', { q }), { code: 'invalid_query', field: 'q', hint })
  })

  test('no title of a real issue is refused', { skip: !DATA_FOLDER && 'TEST_DATA_DIR is not set' }, async () => {
    const user = await newUser()
    await write(user, ['one'])
    const issues = (['mesos', 'jirasoftware', 'moodle'] as const).flatMap(readIssues)
    const odd = issues.filter(({ title }) => /[^\s\w.,]/.test(title)).filter((_issue, n) => n % 5 === 0)
    assert.ok(odd.length > 100)
    for (const { title } of odd) await user.call('query', { q: title.slice(0, 2000), limit: 1 })
  })

  test('listings and query agree on what a word is', async () => {
    const user = await newUser()
    await write(user, ['Team meetings', 'Straße nach Köln', 'サーバーの設定', 'parseHttpHeader', 'a 50% discount'])
    for (const q of ['meeting', 'strasse', 'KOLN', 'さーばー', '設定', 'http header', 'parseHttp', 'eetin', '50%']) {
      const { items } = await user.call('tasks_list', { q })
      assert.deepEqual(
        items.map((item: { title: string }) => item.title),
        await titles(user, q),
        q,
      )
    }
    const { items } = await user.call('tasks_list', { q: '-meeting -http' })
    assert.equal(items.length, 3)
  })

  test('a reference finds its item first, and then the items that mention it', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await write(user, ['the task', 'part 1 of INBOX', ['see also', 'before INBOX#1 is done'], 'the second', 'gone'])
    await write(stranger, ['not for others'])
    await user.call('items_patch', { item_ref: '#5', archived_at: '2026-01-01T00:00:00Z' })
    for (const mode of ['fulltext', 'semantic', 'hybrid']) {
      for (const q of ['INBOX#1', '#1', 'inbox#1', 'INBOX-1', 'ＩＮＢＯＸ＃１', `${user.email}/INBOX#1`])
        assert.equal((await titles(user, q, { mode }))[0], 'the task', `${mode} ${q}`)
      assert.deepEqual((await titles(user, '#4 #1', { mode })).slice(0, 2).toSorted(), ['the second', 'the task'])
      const [first, page] = [await titles(user, 'INBOX#1', { mode }), []] as [string[], string[]]
      assert.deepEqual(first.toSorted(), ['part 1 of INBOX', 'see also', 'the task'])
      for (let cursor: string | null | undefined; cursor !== null;) {
        const { items, next_cursor } = await user.call('query', {
          q: 'INBOX#1',
          mode,
          limit: 1,
          ...(cursor && { cursor }),
        })
        page.push(...items.map(({ title }: { title: string }) => title))
        cursor = next_cursor
      }
      assert.deepEqual(page, first)
      assert.deepEqual(await titles(user, '#5', { mode }), [])
      assert.deepEqual(await titles(user, 'the #4 of many', { mode }), await titles(user, 'the 4 of many', { mode }))
    }
    const { items } = await user.call('tasks_list', { q: 'INBOX#1' })
    assert.deepEqual(
      items.map(({ title }: { title: string }) => title).toSorted(),
      await titles(user, 'INBOX#1').then(all => all.toSorted()),
    )
    const series = `s${Date.now() % 1e6}`
    await search.host.command('series create', { key: series, prefix: 'BUG', user: user.email })
    await user.call('custom_numbers_assign', { item_ref: '#4', series_key: series, number: 7 })
    assert.equal((await titles(user, 'bug-7'))[0], 'the second')
    assert.deepEqual(await titles(stranger, 'BUG-7'), [])
  })
})
