import { PGlite } from '@electric-sql/pglite'
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { RE2JS } from 're2js'
import { sql, ToolError } from 'tasuki/plugin'
import { compileFragment } from '../../../../core/plugin/sql.ts'
import { charSet, complement, addCaseVariants } from '../../../../plugins/items/grep/char-set.ts'
import { compilePattern, type Pattern, type PatternSource } from '../../../../plugins/items/grep/pattern.ts'
import { character, regex, texts } from './patterns.ts'

const db = await PGlite.create()
after(() => db.close())

/** Tells which of the texts pass the prefilter of the database. */
async function candidates(pattern: Pattern, texts: readonly string[]): Promise<boolean[]> {
  const query = compileFragment(sql`
    select ${pattern.sqlCandidate('t.v')} as candidate
    from jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb) with ordinality as t(v, n) order by t.n`)
  const { rows } = await db.query<{ candidate: boolean }>(query.sql, [...query.parameters])
  return rows.map(row => row.candidate)
}

function compile(source: PatternSource): Pattern | null {
  try {
    return compilePattern(source)
  } catch (error) {
    assert.ok(error instanceof ToolError, `${String(error)} for ${JSON.stringify(source)}`)
    return null
  }
}

describe('sqlCandidate', () => {
  test('accepts every text with a match of the regular expression', async () => {
    let matched = 0
    let held = 0
    await fc.assert(
      fc.asyncProperty(regex, fc.boolean(), texts, async (source, ignoreCase, samples) => {
        const pattern = compile({ pattern: source, regex: true, ignoreCase })
        if (!pattern) return
        const passed = await candidates(pattern, samples)
        for (const [n, sample] of samples.entries()) {
          const matches = pattern.test(sample)
          if (matches) matched++
          if (passed[n] !== true) held++
          assert.ok(passed[n] === true || !matches, `${JSON.stringify(sample)} is lost`)
        }
      }),
      { numRuns: 1000 },
    )
    assert.ok(matched > 300 && held > 300, `${matched} texts matched and ${held} were held back`)
  })

  test('accepts every text with the literal', async () => {
    let matched = 0
    let held = 0
    const literal = fc.array(character, { minLength: 1, maxLength: 3 }).map(characters => characters.join(''))
    await fc.assert(
      fc.asyncProperty(literal, fc.boolean(), texts, async (source, ignoreCase, samples) => {
        const pattern = compilePattern({ pattern: source, ignoreCase })
        const swapped = source === source.toUpperCase() ? source.toLowerCase() : source.toUpperCase()
        const all = [...samples, `x${source}x`, `x${swapped}x`]
        const passed = await candidates(pattern, all)
        for (const [n, sample] of all.entries()) {
          const matches = pattern.test(sample)
          if (matches) matched++
          if (passed[n] !== true) held++
          assert.ok(passed[n] === true || !matches, `${JSON.stringify(sample)} is lost`)
        }
      }),
      { numRuns: 500 },
    )
    assert.ok(matched > 300 && held > 300, `${matched} texts matched and ${held} were held back`)
  })

  const narrowing: [source: PatternSource, condition: RegExp, parameter: string | null][] = [
    [{ pattern: '100%_\\' }, /"t"\."v" like cast\(\$1 as text\)/, '%100\\%\\_\\\\%'],
    [{ pattern: 'Café議', ignoreCase: true }, /ilike/, '%Caf%議%'],
    [{ pattern: '\\bAPP-12\\b', regex: true }, / like /, '%APP-12%'],
    [
      { pattern: '^(TODO|FIXME):?\\s+\\d{2,4}', regex: true },
      / ~ /,
      '(?:TODO|FIXME)\\u003a?[\\u0009-\\u000a\\u000c-\\u000d\\u0020]+[0-9]{2,}',
    ],
    [{ pattern: 'as', regex: true, ignoreCase: true }, / ~ /, '[Aa][Ssſ]'],
    [{ pattern: '\\p{Han}x', regex: true }, / ~ /, '.x'],
    [{ pattern: 'a*', regex: true }, /^true$/, null],
  ]
  for (const [source, condition, parameter] of narrowing) {
    test(`narrows ${JSON.stringify(source)}`, () => {
      const query = compileFragment(compilePattern(source).sqlCandidate('t.v'))
      assert.match(query.sql, condition)
      assert.deepEqual(query.parameters, parameter === null ? [] : [parameter])
    })
  }

  test('no pattern is too complex for the database', async () => {
    const heavy = [
      '(((a+)+)+)+x',
      '((((a*)*)*)*)*x',
      '(a|aa|aaa){0,9}x',
      `${'(a|b)?'.repeat(40)}x`,
      '[a-z]{16}'.repeat(30),
      `${'(?:'.repeat(90)}ab${')+'.repeat(90)}`,
      Array.from({ length: 100 }, (_, n) => `w${n}`).join('|'),
      '(.*)(.*)(.*)(.*)(.*)x',
    ]
    const sample = `${'a'.repeat(20_000)}x`
    for (const source of heavy) {
      const pattern = compile({ pattern: source, regex: true, ignoreCase: true })
      if (pattern?.test(sample) === true) assert.deepEqual(await candidates(pattern, [sample]), [true], source)
      else if (pattern) await candidates(pattern, [sample])
    }
  })
})

const everyCharacter = Array.from({ length: 0x11_0000 }, (_, code) => code).filter(
  code => code < 0xd800 || code > 0xdfff,
)

describe('ignoring case', () => {
  test('is known exactly for every ASCII letter', () => {
    const cased = everyCharacter.filter(code => !addCaseVariants([[code, code]]) || code < 0x80)
    const text = String.fromCodePoint(...cased)
    for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
      const re = RE2JS.compile(letter, RE2JS.CASE_INSENSITIVE)
      const found = [...re.matchAll(text)].map(match => match[0]?.codePointAt(0) ?? -1)
      for (const each of [letter, letter.toUpperCase()]) {
        const code = each.charCodeAt(0)
        assert.deepEqual(addCaseVariants([[code, code]]), charSet(found.map(other => [other, other])))
      }
    }
  })

  test('a character without case matches no other character, in RE2 or in JavaScript', () => {
    const caseless = everyCharacter.filter(code => code >= 0x80 && addCaseVariants([[code, code]]))
    const cased = everyCharacter.filter(code => code >= 0x80 && !addCaseVariants([[code, code]]))
    const classText = charSet(caseless.map(code => [code, code]))
      .map(([first, last]) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`)
      .join('')
    const re = RE2JS.compile(`[${classText}]`, RE2JS.CASE_INSENSITIVE)
    const others = [...cased, ...Array.from({ length: 0x80 }, (_, code) => code)].map(code =>
      String.fromCodePoint(code),
    )
    assert.ok(cased.length > 2000 && caseless.length > 1_000_000)
    assert.deepEqual(
      others.filter(other => re.test(other)),
      [],
    )
    const upper = new Set(others.flatMap(other => [other, other.toUpperCase(), other.toLowerCase()]))
    assert.deepEqual(
      caseless.filter(code => upper.has(String.fromCodePoint(code))),
      [],
    )
  })

  test('a set and its complement are disjoint and cover every character', () => {
    const set = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 0x10ffff }), fc.nat(500)), { maxLength: 6 })
      .map(ranges => charSet(ranges.map(([first, more]) => [first, Math.min(first + more, 0x10ffff)])))
    fc.assert(
      fc.property(set, ranges => {
        assert.deepEqual(charSet([...ranges, ...complement(ranges)]), [[0, 0x10ffff]])
        assert.deepEqual(complement(complement(ranges)), ranges)
      }),
    )
  })
})
