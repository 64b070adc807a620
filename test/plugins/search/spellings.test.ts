import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rebuildJob, upgradeJob } from '../../../plugins/search/jobs.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { searchHost } from './search-host.ts'
import { ENGLISH_SPELLINGS, JAPANESE_SPELLINGS } from './spellings.ts'

forEachEngine('other spellings', engine => {
  const search = searchHost(engine)
  const { newUser, titles, write } = search

  for (const [language, pairs, titleOf] of [
    ['English', ENGLISH_SPELLINGS, (word: string) => `Check the ${word} again`],
    ['Japanese', JAPANESE_SPELLINGS, (word: string) => `明日の${word}を確認`],
  ] as const)
    verifies('query.fulltext', `a word is found by the other way to write it: ${language}`, async t => {
      const missed: string[] = []
      for (const [from, to] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const user = await newUser()
        await write(
          user,
          pairs.map(pair => titleOf(pair[to])),
        )
        for (const pair of pairs) {
          const [first] = await titles(user, pair[from])
          const { items } = await user.call('tasks_list', { project_key: 'INBOX', q: pair[from] })
          const listed = items.some((item: { title: string }) => item.title === titleOf(pair[to]))
          if (first !== titleOf(pair[to])) missed.push(`query ${pair[from]}: ${first}`)
          if (!listed && !pair[from].includes(' ')) missed.push(`tasks_list ${pair[from]}`)
        }
      }
      t.diagnostic(`${language}: ${missed.length} of ${4 * pairs.length} missed`)
      assert.deepEqual(missed, [])
    })

  test('both ways are found together, as far as one of them is not the whole query', async () => {
    const user = await newUser()
    await write(user, [
      'timeout of the proxy',
      'time-out in a match',
      '締切を延ばす',
      '締め切りの日',
      '高山に登る',
      '高い山に登る',
    ])
    assert.equal((await titles(user, 'time-out')).length, 2)
    assert.equal((await titles(user, '締切')).length, 2)
    assert.equal((await titles(user, '締め切り')).length, 2)
    for (const [quoted, found] of [
      ['"高山"', '高山に登る'],
      ['"締切"', '締切を延ばす'],
      ['"time out"', 'time-out in a match'],
    ] as const)
      assert.deepEqual(await titles(user, quoted), [found])
  })

  test('what is written as in the query comes first', async () => {
    const user = await newUser()
    await write(user, ['高い山に登る', '高山に登る', 'play list of songs', 'playlist of songs'])
    assert.deepEqual(await titles(user, '高い山'), ['高い山に登る', '高山に登る'])
    assert.deepEqual(await titles(user, 'play list'), ['play list of songs', 'playlist of songs'])
  })

  test('a snippet shows the other spelling', async () => {
    const user = await newUser()
    const filler = 'The quick brown fox jumps over the lazy dog. 本日は晴天なり。'.repeat(10)
    await write(user, [
      ['Proxy', `${filler}It has a time-out of a minute. ${filler}`],
      ['Room', `${filler}来週の打ち合わせは中止です。${filler}`],
    ])
    for (const [q, shown] of [
      ['timeout', '«time-out»'],
      ['打合せ', '«打ち合»わせ'],
    ] as const) {
      const { items } = await user.call('query', { q })
      assert.ok(items[0].snippet.includes(shown), items[0].snippet)
    }
  })

  test('documents of the last release are found before and after they are indexed again', async () => {
    const user = await newUser()
    await write(user, ['打ち合わせの準備'])
    await search.host.sql`
      update search.documents set analyzer = 2, tsv = array_to_tsvector(array(
        select l from unnest(tsvector_to_array(tsv)) l where position('+' in l) = 0))
      where owner_id = ${user.userId}`
    assert.deepEqual(await titles(user, '打ち合わせ'), ['打ち合わせの準備'])
    assert.deepEqual(await titles(user, '打合せ'), [])
    await search.host.write(ctx => upgradeJob.run(ctx, {}))
    await search.host.write(ctx => rebuildJob.run(ctx, {}))
    assert.deepEqual(await titles(user, '打合せ'), ['打ち合わせの準備'])
  })
})
