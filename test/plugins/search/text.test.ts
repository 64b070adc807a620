import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../code-point.ts'
import { quantize, normalize } from '../../../plugins/search/embedding/binary-quantization.ts'
import { fromBytes, toBytes } from '../../../plugins/search/ranking/cursor.ts'
import { renderBeginning, markerFor } from '../../../plugins/search/text/snippet.ts'
import { tokens } from '../../../plugins/search/text/tokens.ts'
import { typosOf } from '../../../plugins/search/text/typos.ts'
import { indexText } from '../../../plugins/search/text/vector.ts'
import { termsOf, wordQuery } from '../../../plugins/search/text/words.ts'

const splitOf = (text: string) => Array.from(tokens(text), token => token.text)
const word = (text: string) => wordQuery({ text, phrase: false })

test('scripts without spaces are split into pairs, others into words, also in mixed text', () => {
  assert.deepEqual(splitOf('議事録'), ['議事', '事録', '録'])
  assert.deepEqual(splitOf('Team meeting'), ['team', 'meeting'])
  assert.deepEqual(splitOf('第3回ＰＴＡ総会'), ['第', '3', '回', 'pta', '総会', '会'])
  assert.deepEqual(splitOf('1994年のルワンダ').slice(0, 3), ['1994', '年の', 'のル'])
  assert.deepEqual(splitOf('ｻｰﾊﾞｰ'), splitOf('サーバー'))
  assert.deepEqual(splitOf('か\u3099く'), splitOf('がく'))
  assert.deepEqual(splitOf('don\u2019t, e-mail!'), ['don', 't', 'e', 'mail'])
  assert.deepEqual(splitOf('🎉 …'), ['🎉'])
})

test('60 characters of a word count, also if each is two UTF-16 units long', () => {
  for (const letter of ['a', '𐐨']) {
    for (const length of [30, 31, 60]) assert.deepEqual(splitOf(letter.repeat(length)), [letter.repeat(length)])
    assert.deepEqual(splitOf(letter.repeat(130)), [letter.repeat(60)])
  }
  const long = 'a'.repeat(3000)
  for (const text of [`${long}1`, `${long}#`, `${long}Bc`])
    for (const { parts = [] } of tokens(text)) assert.equal(parts[0], 'a'.repeat(60), text.slice(-2))
})

test('identifiers are one word and their parts, and combining marks belong to their letter', () => {
  const wholeAndParts = (text: string) =>
    Array.from(tokens(text), ({ text: whole, position, parts }) => [position, whole, ...(parts ?? [])])
  assert.deepEqual(wholeAndParts('fooBarBaz qux'), [
    [1, 'foobarbaz', 'foo', 'bar', 'baz'],
    [4, 'qux'],
  ])
  assert.deepEqual(wholeAndParts('HTTPServer E4021'), [
    [1, 'httpserver', 'http', 'server'],
    [3, 'e4021', '4021'],
  ])
  assert.deepEqual(splitOf('src/core/main.ts snake_case'), ['src', 'core', 'main', 'ts', 'snake', 'case'])
  assert.deepEqual(wholeAndParts('C++, C#; APP#12'), [
    [1, 'c++', 'c'],
    [2, 'c#', 'c'],
    [3, 'app'],
    [4, '12'],
  ])
  assert.deepEqual(splitOf('3f2504e04f8911d39a0c0305e82c3301'), ['3f2504e04f8911d39a0c0305e82c3301'])
})

test('accents, sharp s and the width of letters do not distinguish words', () => {
  assert.deepEqual(splitOf('Café Straße ｆｏｏ naïve Ёлка'), ['cafe', 'strasse', 'foo', 'naive', 'елка'])
  assert.deepEqual(splitOf('が'), ['が'])
})

test('a text is indexed by words, stems and hiragana, and its length counts only significant words', async () => {
  assert.deepEqual(await indexText('Deployments', 'of the サーバー'), {
    tsv: "'deployments':1A 'deploy':1A 'of':3 'the':4 'さー':5 'ーば':6 'ばー':7 'ー':8",
    length: 6,
    words: [['deployments', 'deploy']],
  })
  // No phrase begins in the title and ends in the body.
  assert.equal((await indexText('fooBar', 'baz')).tsv, "'foobar':1A 'foo':1A 'bar':2A 'baz':4")
})

test('queries require the tokens of a word', () => {
  assert.equal(word('議事録'), "(('議事' | '議+事') & ('事録' | '事+録'))")
  assert.equal(word('会'), "'会':*")
  assert.equal(word('meetup'), "('meetup' | 'meetup':* | ('mee' <-> 'tup') | ('meet' <-> 'up'))")
  assert.equal(word('go'), "'go'")
  assert.equal(word('2024'), "'2024'")
  assert.equal(wordQuery({ text: 'red apple', phrase: true }), "('red' <1> 'apple')")
  assert.equal(
    wordQuery({ text: 'time-out', phrase: false }),
    "((('time' | 'time':*) & ('out' | 'out':*)) | 'timeout')",
  )
  assert.equal(word('fooBar9'), "(('foobar9' | ('foo' <-> 'bar')) | 'foobar9':*)")
  assert.equal(word('!'), null)
})

const termsIn = (text: string) => termsOf(text.split(' ').map(each => ({ text: each, phrase: false })))

test('stop words are not needed, unless there is nothing else; only some rank, and neighbours rank together', () => {
  const terms = termsIn('What is the boundary layer')
  assert.deepEqual(
    terms.map(({ query, needed }) => [query, needed]),
    [
      ["'boundari'", true],
      ["'layer'", true],
      ["'boundari' <1> 'layer'", false],
    ],
  )
  assert.deepEqual(
    termsIn('the other boundary of our layer')
      .filter(({ kind }) => kind === 'common')
      .map(({ query, needed }) => [query, needed]),
    [
      ["'other'", false],
      ["'our'", false],
    ],
  )
  assert.ok(termsIn('to be').every(({ kind }) => kind !== 'common'))
  assert.ok(termsIn('our roof wall door window floor stairs lamp table').every(({ kind }) => kind !== 'common'))
  assert.deepEqual(
    termsIn('to be')
      .filter(({ needed }) => needed)
      .map(({ query }) => query),
    ["'to'", "'be'"],
  )
})

test('a term names the lexeme whose positions tell the passage, unless it is a prefix', () => {
  assert.deepEqual(
    termsIn('closing parseQuery ﾃｽﾄ 卵').map(({ query, lexeme }) => [query, lexeme]),
    [
      ["'close'", 'close'],
      ["('parsequery' | ('pars' <-> 'queri'))", 'parsequery'],
      ["'てす'", 'てす'],
      ["'すと'", 'すと'],
      ["'pars'", 'pars'],
      ["'queri'", 'queri'],
      ["'卵':*", undefined],
      ["'close' <1> 'parsequeri'", undefined],
    ],
  )
})

test('a word counts by its stem and, if it is inflected, as it is written', () => {
  assert.deepEqual(
    termsIn('closing the issue').map(({ kind, query, written }) => [kind, query, written]),
    [
      ['word', "'close'", "'closing'"],
      ['word', "'issu'", "'issue'"],
      ['adjacent', "'close' <2> 'issu'", undefined],
    ],
  )
  assert.ok(termsIn('E4021 fooBar C++ bug').every(({ written }) => written == null))
})

test('particles are ignored if there are enough other words', () => {
  const ranking = (text: string) => termsIn(text).filter(({ weight }) => weight > 0)
  const queries = ranking('東京都の人口はいくつですか').map(({ query }) => query)
  assert.deepEqual(new Set(queries.filter(query => /^'[ぁ-ん]+'$/.test(query))), new Set())
  assert.equal(ranking('いくつですか').length, 5)
})

test('at most twelve words of a query are corrected', () => {
  const words = Array.from({ length: 40 }, (_, n) => `word${String.fromCharCode(97 + (n % 26), 97 + (n >> 1))}`)
  assert.equal(termsIn(words.join(' ')).filter(({ typos }) => typos != null).length, 12)
})

test('a typo is an added, missing or wrong letter, or two swapped letters', () => {
  const { near, head, tail } = typosOf('deployment')!
  const reverse = (text: string) => Array.from(text).toReversed().join('')
  for (const typed of [
    'deploymen',
    'deploymentt',
    'deploynent',
    'deploymnet',
    'delpoyment',
    'deplyoment',
    'xeployment',
  ]) {
    assert.match(typed, new RegExp(near), typed)
    assert.ok(typed.startsWith(head) || reverse(typed).startsWith(tail), typed)
  }
  for (const typed of ['deploy', 'deplymnet', 'unemployment']) assert.doesNotMatch(typed, new RegExp(near), typed)
  for (const none of ['abc', 'e4021', '2024', 'a'.repeat(31)]) assert.equal(typosOf(none), null)
})

test('no text gives a token with a special character of the database', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), text => {
      for (const { text: token, parts = [] } of tokens(text))
        for (const each of [token, ...parts]) assert.match(each, /^[\p{L}\p{M}\p{N}+#\p{Extended_Pictographic}]+$/u)
    }),
    { examples: [['។'], ['ក។ខ'], ['၊'], ['\u0301#']] },
  )
})

test('snippets are parts of the text with marks, cut between characters', () => {
  const unit = fc.constantFrom('議事録', '🍜', '𠮷', 'か\u3099', ' ', 'meeting ', 'の', '。', '\n')
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 200 }),
      fc.constantFrom('議事録', 'meet', 'が', '𠮷の'),
      (parts, wanted) => {
        const text = parts.join('')
        const plain = text.replace(/\s+/gu, ' ').trim()
        const marked = markerFor([{ text: wanted, phrase: false }]).mark(text)
        for (const snippet of [renderBeginning(text), ...(marked === null ? [] : [marked])]) {
          assert.ok(snippet.isWellFormed())
          assert.ok(plain.includes(snippet.replaceAll(/[«»]|^…|…$/gu, '').trim()), snippet)
          assert.ok(Array.from(snippet).length <= 160 * 2 + 40)
        }
        if (marked !== null) assert.match(marked, /«[^«»]+»/u)
      },
    ),
  )
})

test('a snippet of plain ASCII is that of the same text with another character', () => {
  const unit = fc.constantFrom('meeting ', 'Meet', 'notes.', ' ', '\n', '\u0000', 'x'.repeat(70))
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 60 }),
      fc.constantFrom('meet', 'notes', 'meeting notes'),
      (parts, wanted) => {
        // The end is too far away to be in a snippet.
        const text = `${parts.join('')}${'z'.repeat(300)}`
        const marker = markerFor([{ text: wanted, phrase: false }])
        assert.equal(marker.mark(text), marker.mark(`${text}é`))
      },
    ),
  )
})

test('a cursor returns the shown items, in about two characters per item', () => {
  const me = '01890000-0000-7000-8000-000000000001'
  const owner = fc.constantFrom(me, '01890000-0000-7000-8000-00000000000f')
  const shown = fc.uniqueArray(fc.record({ ownerId: owner, number: fc.integer({ min: 1, max: 2_147_483_647 }) }), {
    selector: ({ ownerId, number }) => `${ownerId} ${number}`,
    maxLength: 200,
  })
  const key = ({ ownerId, number }: { ownerId: string; number: number }) => `${ownerId} ${number}`
  fc.assert(
    fc.property(shown, items => {
      const cursor = fromBytes(toBytes({ kind: 'shown', items }, me), me)
      assert.ok(cursor?.kind === 'shown')
      assert.deepEqual(cursor.items.map(key).toSorted(), items.map(key).toSorted())
    }),
  )
  const tens = Array.from({ length: 30 }, (_, n) => ({ ownerId: me, number: 400 + 9 * n }))
  assert.ok(toBytes({ kind: 'shown', items: tens }, me).length < 45)
})

test('arbitrary bytes as cursor do not break the search', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      const cursor = fromBytes(Buffer.from(bytes), 'me')
      assert.ok(cursor === null || cursor.kind === 'shown' || bytes.length === 17)
    }),
  )
})

test('binary codes of similar vectors differ in few bits', () => {
  const at = (angle: number) => [Math.cos(angle), Math.sin(angle), ...Array.from({ length: 510 }, () => 0)]
  const differing = (a: number, b: number) => {
    const [one, other] = [quantize(at(a)), quantize(at(b))]
    return Array.from(one).filter((bit, n) => bit !== other[n]).length / one.length
  }
  assert.equal(quantize(at(0)).length, 512)
  assert.equal(differing(0, 0), 0)
  assert.ok(differing(0, 0.2) < 0.15, String(differing(0, 0.2)))
  assert.ok(differing(0, Math.PI / 2) > 0.35, String(differing(0, Math.PI / 2)))
  assert.equal(differing(0, Math.PI), 1)
  assert.deepEqual(normalize([3, 4]), [0.6, 0.8])
  for (const empty of [
    [0, 0],
    [Number.NaN, 1],
    [1e308, 1e308],
    [1, Infinity],
    [1, null as never],
  ])
    assert.equal(normalize(empty), null)
})
