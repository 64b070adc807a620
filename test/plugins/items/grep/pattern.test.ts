import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ToolError } from 'tasuki/plugin'
import { longestTurn } from '../../../longest-turn.ts'
import { compilePattern, LITERAL_MAX_LENGTH, REGEX_MAX_LENGTH } from '../../../../plugins/items/grep/pattern.ts'
import type { PatternSource } from '../../../../plugins/items/grep/pattern.ts'
import { MATCH_SHOWN_MAX } from '../../../../plugins/items/grep/snippets.ts'

function refusal(source: PatternSource): ToolError {
  try {
    compilePattern(source)
  } catch (error) {
    assert.ok(error instanceof ToolError, String(error))
    assert.equal(error.code, 'invalid_argument')
    assert.equal(error.help.field, 'pattern')
    return error
  }
  return assert.fail(`${source.pattern} was accepted`)
}

describe('compilePattern', () => {
  const matching: [source: PatternSource, text: string, matches: boolean][] = [
    [{ pattern: 'a.c' }, 'abc', false],
    [{ pattern: 'a.c' }, 'xa.c', true],
    [{ pattern: 'TODO' }, 'todo', false],
    [{ pattern: 'TODO', ignoreCase: true }, 'todo', true],
    [{ pattern: 'É', ignoreCase: true }, 'é', true],
    [{ pattern: 's', ignoreCase: true }, 'ſ', false],
    [{ pattern: 'é' }, 'e\u0301', false],
    [{ pattern: 'ｱ' }, 'ア', false],
    [{ pattern: 'a.c', regex: true }, 'abc', true],
    [{ pattern: '^b', regex: true }, 'a\nb', true],
    [{ pattern: 'a$', regex: true }, 'a\nb', true],
    [{ pattern: 'a.b', regex: true }, 'a\nb', false],
    [{ pattern: '会.議', regex: true }, '会😀議', true],
    [{ pattern: '\\bABC\\b', regex: true, ignoreCase: true }, 'x abc.', true],
    [{ pattern: 'x*', regex: true }, 'abc', false],
    [{ pattern: 'x*', regex: true }, 'abxc', true],
    [{ pattern: '\\b', regex: true }, 'abc', false],
  ]
  for (const [source, text, matches] of matching) {
    test(`${JSON.stringify(source)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(text)}`, async () => {
      const pattern = compilePattern(source)
      assert.equal(pattern.test(text), matches)
      assert.equal((await pattern.snippets(text, 1, 0)).count > 0, matches)
    })
  }

  const invalid: [pattern: string, reason: RegExp, hint: RegExp, position: number | undefined][] = [
    ['ab(', /missing closing \) `ab\(`/, /RE2/, undefined],
    ['ab[z-a]', /range.*z-a.*character 4/, /RE2/, 4],
    ['会(a)\\1', /escape.*character 5/, /Back-references/, 5],
    ['a(?=b)', /\(\?=.*character 2/, /Lookaround/, 2],
    ['a(?<=b)', /\(\?<=/, /Lookaround/, 2],
    ['(?>a)', /\(\?>/, /atomic/, 1],
    ['a++', /\+\+/, /Possessive/, 2],
    ['a{1001}', /1001/, /RE2/, 2],
    ['a\\', /trailing backslash/, /RE2/, undefined],
  ]
  for (const [pattern, reason, hint, position] of invalid) {
    test(`refuses the regular expression ${pattern}`, () => {
      const error = refusal({ pattern, regex: true })
      assert.match(error.message, reason)
      assert.match(error.help.hint ?? '', hint)
      if (position !== undefined) assert.equal(error.help.details?.['position'], position)
    })
  }

  test('refuses patterns that are empty, too long, too large or not text', () => {
    refusal({ pattern: '' })
    refusal({ pattern: 'a'.repeat(LITERAL_MAX_LENGTH + 1) })
    refusal({ pattern: 'a'.repeat(REGEX_MAX_LENGTH + 1), regex: true })
    refusal({ pattern: '(a{30}){30}', regex: true })
    refusal({ pattern: 'a\0' })
    refusal({ pattern: '\ud83d' })
    assert.ok(compilePattern({ pattern: '😀'.repeat(LITERAL_MAX_LENGTH) }))
  })

  test('a literal matches itself, whatever its characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string(),
        fc.boolean(),
        (literal, around, ignoreCase) => {
          const text = around + literal + around
          assert.ok(compilePattern({ pattern: literal, ignoreCase }).test(text))
          assert.equal(compilePattern({ pattern: literal }).test(around), around.includes(literal))
        },
      ),
    )
  })

  test('every pattern is either compiled or refused', () => {
    const noise = fc.oneof(fc.string(), fc.stringMatching(/^[ab(){}[\]\\*+?|^$.,:<>P=!\-dwpQE0-9]{1,12}$/))
    fc.assert(
      fc.property(noise, fc.boolean(), (pattern, ignoreCase) => {
        try {
          compilePattern({ pattern, regex: true, ignoreCase }).test('aab{}[]')
        } catch (error) {
          assert.ok(error instanceof ToolError, `${String(error)} for ${JSON.stringify(pattern)}`)
        }
      }),
      { numRuns: 3000 },
    )
  })
})

describe('snippets', () => {
  test('counts every match and shows the first matches with their context', async () => {
    const pattern = compilePattern({ pattern: 'TODO' })
    assert.deepEqual(await pattern.snippets('😀 TODO one, TODO two, TODO', 2, 5), {
      count: 3,
      snippets: [
        { start: 2, match: 'TODO', before: '😀 ', after: ' one,' },
        { start: 12, match: 'TODO', before: 'one, ', after: ' two,' },
      ],
    })
  })

  test('shows no snippet unless requested', async () => {
    assert.deepEqual(await compilePattern({ pattern: 'a' }).snippets('banana', 0, 80), { count: 3, snippets: [] })
  })

  test('a long match is shown by its beginning', async () => {
    const pattern = compilePattern({ pattern: 'a+', regex: true })
    const { count, snippets } = await pattern.snippets(`${'a'.repeat(5000)}b`, 3, 10)
    assert.equal(count, 1)
    assert.equal(snippets[0]?.match.length, MATCH_SHOWN_MAX)
    assert.equal(snippets[0]?.after, '')
  })

  test('positions are code points, and no surrogate pair is split', async () => {
    const unit = fc.constantFrom('a', 'b', '会', '😀', '👨‍👩‍👧', '\n')
    const text = fc.array(unit, { maxLength: 30 }).map(units => units.join(''))
    const source = fc.constantFrom<PatternSource>(
      { pattern: 'a' },
      { pattern: '😀' },
      { pattern: 'A', ignoreCase: true },
      { pattern: '[a😀]+', regex: true },
      { pattern: '.', regex: true },
      { pattern: '(?i)B?会', regex: true },
    )
    await fc.assert(
      fc.asyncProperty(source, text, fc.nat(5), fc.nat(4), async (each, sample, max, context) => {
        const { count, snippets } = await compilePattern(each).snippets(sample, max, context)
        const characters = Array.from(sample)
        assert.equal(snippets.length, Math.min(count, max))
        for (const { start, match, before, after } of snippets) {
          const end = start + Array.from(match).length
          assert.equal(match, characters.slice(start, end).join(''))
          assert.equal(before, characters.slice(Math.max(0, start - context), start).join(''))
          assert.equal(after, characters.slice(end, end + context).join(''))
        }
      }),
    )
  })

  test('counting stops early if every match would scan to the end', async () => {
    const pattern = compilePattern({ pattern: '(?s)a.*b|a', regex: true })
    const { count, partial } = await pattern.snippets('a'.repeat(100_000), 1, 10)
    assert.ok(count > 0)
    assert.equal(partial, true)
  })

  test('a text is searched alike in the worker thread', async () => {
    const text = `${'some words of a text, '.repeat(4000)}and the last ones`
    const small = await compilePattern({ pattern: 'w(or)ds|last', regex: true }).snippets(text, 2, 10)
    // The same, with more instructions than the thread of the service takes.
    const large = compilePattern({ pattern: 'w(or)ds|last|(?:x{30}y)', regex: true })
    assert.deepEqual(await large.snippets(text, 2, 10), small)
    assert.equal(small.count, 4001)
  })

  for (const [what, pattern, text] of [
    ['many matches', '.', 'a'.repeat(96_000)],
    ['matches that scan to the end', '(?s)a.*b|a', 'a'.repeat(96_000)],
    ['an expression of many instructions', '(.*){20}[xe]', 'some words of a text, and more. '.repeat(3000)],
    ['a literal', '', 'a'.repeat(96_000)],
  ] as const)
    test(`a search does not hold the event loop: ${what}`, async t => {
      const compiled = pattern === '' ? compilePattern({ pattern: 'a' }) : compilePattern({ pattern, regex: true })
      // Compiles, and starts the thread.
      await compiled.snippets(text, 3, 80)
      let longest = Infinity
      // The collector of garbage may have texts of other tests to free: measured again before it fails.
      for (let attempt = 0; attempt < 3 && longest > 50; attempt++) {
        const turn = await longestTurn(async () => {
          for (let n = 0; n < 4; n++) await compiled.snippets(text, 3, 80)
        })
        longest = Math.min(longest, turn)
      }
      t.diagnostic(`${longest.toFixed(0)} ms`)
      assert.ok(longest <= 50, `${longest.toFixed(0)} ms`)
    })
})
