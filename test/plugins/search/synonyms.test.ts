import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { pruneVectorsJob } from '../../../plugins/search/jobs.ts'
import { DICTIONARY, openDictionary } from '../../../plugins/search/synonyms/dictionary.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { makeDictionary } from './make-dictionary.ts'
import { ENGLISH, JAPANESE, NONSENSE, type Paraphrase } from './paraphrases.ts'
import { writeNotes } from './passages.ts'
import { searchHost } from './search-host.ts'

const MEANING = ['semantic', 'hybrid']

forEachEngine('search by synonyms', engine => {
  const search = searchHost(engine)
  const { newUser, titles, write, statements } = search

  verifies('query.semantic', 'finds English and Japanese synonyms, also across both', async () => {
    const user = await newUser()
    await write(user, ['buy a car', '会議の準備', '壊れた自転車', 'fix the failing test', 'unrelated'])
    for (const mode of MEANING) {
      assert.deepEqual(await titles(user, 'purchase automobile', { mode }), ['buy a car'])
      assert.deepEqual(await titles(user, 'ミーティング', { mode }), ['会議の準備'])
      assert.deepEqual(await titles(user, 'meeting', { mode }), ['会議の準備'])
      assert.deepEqual(await titles(user, '購買', { mode }), [])
      assert.deepEqual(await titles(user, 'repairs', { mode, limit: 1 }), ['fix the failing test'])
    }
    const { items } = await user.call('query', { q: 'automobile', mode: 'semantic' })
    assert.equal(items[0].snippet, 'buy a «car»')
    assert.deepEqual(await titles(user, 'automobile'), [])
    assert.deepEqual(await titles(user, '"automobile"', { mode: 'semantic' }), [], 'a phrase has no synonyms')
  })

  verifies('query.semantic', 'nonsense finds nothing, and paraphrases find the intended text', async t => {
    const user = await newUser()
    const all = [...ENGLISH, ...JAPANESE]
    const numbers = await search.host.write(ctx => writeNotes(ctx, user.userId, all))
    const places = async (pairs: readonly Paraphrase[], mode: string): Promise<number[]> => {
      const found: number[] = []
      for (const pair of pairs) {
        const { items } = await user.call('query', { q: pair.asked, mode })
        found.push(items.findIndex((item: { ref: string }) => item.ref === `INBOX#${numbers[all.indexOf(pair)]}`))
      }
      return found
    }
    for (const mode of ['fulltext', ...MEANING]) {
      for (const word of NONSENSE) assert.deepEqual(await titles(user, word, { mode }), [], `${mode} ${word}`)
      for (const [language, pairs] of [
        ['English', ENGLISH],
        ['Japanese', JAPANESE],
      ] as const) {
        const found = (await places(pairs, mode)).filter(place => place >= 0).length
        t.diagnostic(`${mode}, ${language}: ${found} of ${pairs.length} paraphrases in the first ten`)
        assert.ok(mode === 'fulltext' ? found <= 0.2 * pairs.length : found >= 0.5 * pairs.length, `${mode}: ${found}`)
      }
    }
  })

  verifies('query.hybrid', 'hybrid keeps the order of full text where a text has the words', async () => {
    const user = await newUser()
    const texts = ['car repair', 'repair the car of Anna before the trip', 'car', 'automobile', 'auto repair shop']
    await write(user, texts)
    const words = await titles(user, 'car repair')
    const both = await titles(user, 'car repair', { mode: 'hybrid' })
    assert.deepEqual(both.slice(0, words.length), words)
    assert.deepEqual(new Set(both), new Set(texts))
  })

  verifies(
    'query.hybrid',
    'results of full text keep their rank, however little of the query they contain',
    async () => {
      const user = await newUser()
      const all = [...ENGLISH, ...JAPANESE]
      await search.host.write(ctx => writeNotes(ctx, user.userId, all))
      let more = 0
      for (const { asked } of all) {
        const words = await titles(user, asked)
        const both = await titles(user, asked, { mode: 'hybrid' })
        assert.deepEqual(both.slice(0, words.length), words, asked)
        if (both.length > words.length) more++
      }
      assert.ok(more > all.length / 2, `${more} of ${all.length} find more`)
    },
  )

  verifies('query.hybrid', 'stop words rank texts in hybrid as they do in full text', async () => {
    const user = await newUser()
    // Of the cars few are "other", of the automobiles all.
    const texts = ['other car', ...Array.from({ length: 4 }, () => 'car through')]
    await write(user, [...texts, ...Array.from({ length: 30 }, () => 'other automobile')])
    for (const mode of ['fulltext', 'hybrid'])
      assert.deepEqual(await titles(user, 'which other car through', { mode, limit: 5 }), texts, mode)
  })

  test('a search by synonyms is one statement', async () => {
    const user = await newUser()
    for (const mode of MEANING)
      assert.equal((await statements(() => user.call('query', { q: 'purchase automobile', mode }))).length, 1)
  })

  test('vectors of the provider that was built in are deleted', async () => {
    const user = await newUser()
    await write(user, ['water the plants'])
    await search.host
      .sql`update search.documents set model = 'built-in built-in/1 exact', code = '101', vector = '{1,0}'`
    await search.host.write(ctx => pruneVectorsJob.run(ctx, {}))
    const left = await search.host.sql`
      select from search.documents where model is not null or code is not null or vector is not null`
    assert.equal(left.length, 0)
  })
})

test('the dictionary matches WordNet and Sudachi, and every word in it is found', async () => {
  const text = await makeDictionary()
  assert.ok(brotliDecompressSync(readFileSync(DICTIONARY)).equals(Buffer.from(text)), 'npm run synonyms')
  const dictionary = await openDictionary()
  const lines = text.trimEnd().split('\n')
  for (const line of [lines[0]!, lines.at(-1)!, ...lines.filter((_line, n) => n % 997 === 0)]) {
    const [word = '', same = ''] = line.split('\t')
    assert.equal(dictionary(word)?.same.join(','), same, word)
  }
  for (const word of ['', 'zzzzzzzz', '0', 'car\t', '\u{10ffff}']) assert.equal(dictionary(word), null)
})
