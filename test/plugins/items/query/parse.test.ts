import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ToolError } from 'tasuki/plugin'
import { codePoint } from '../../../code-point.ts'
import type { Expr } from '../../../../plugins/items/query/expr.ts'
import { parseQuery, QUERY_MAX_LENGTH, QUERY_MAX_NESTING } from '../../../../plugins/items/query/parse.ts'
import { printQuery } from './print.ts'

/** Returns the expression without positions. */
function shape(expr: Expr): unknown {
  return JSON.parse(JSON.stringify(expr, (name, value: unknown) => (name === 'at' ? undefined : value)))
}
function value(text: string, quoted = false): object {
  return { kind: 'value', text, quoted }
}
function term(key: string, op: string, ...values: object[]): object {
  return { kind: 'term', key, op, values }
}
function word(text: string): object {
  return { kind: 'word', text }
}
function refusal(query: string): ToolError {
  try {
    parseQuery(query)
  } catch (error) {
    assert.ok(error instanceof ToolError, `not a ToolError: ${String(error)}`)
    return error
  }
  return assert.fail(`"${query}" was accepted`)
}

describe('parseQuery', () => {
  const accepted: [query: string, expr: unknown][] = [
    ['', { kind: 'and', parts: [] }],
    ['　 ', { kind: 'and', parts: [] }],
    ['hello', word('hello')],
    ['"a b"', { kind: 'phrase', text: 'a b' }],
    [String.raw`"say \"hi\" \\ \n"`, { kind: 'phrase', text: String.raw`say "hi" \ \n` }],
    ['due:today', term('due', '=', value('today'))],
    ['DUE:today', term('due', '=', value('today'))],
    ['due:<=+7d', term('due', '<=', value('+7d'))],
    ['label:a,"b c"', term('label', '=', value('a'), value('b c', true))],
    ['label:!=none', term('label', '!=', value('none'))],
    ['due:today..+7d', term('due', '=', { kind: 'range', from: value('today'), to: value('+7d') })],
    ['due:..today', term('due', '=', { kind: 'range', from: null, to: value('today') })],
    ['due:today..', term('due', '=', { kind: 'range', from: value('today'), to: null })],
    ['x:"a".."b"', term('x', '=', { kind: 'range', from: value('a', true), to: value('b', true) })],
    ['cf.顧客:山田', term('cf.顧客', '=', value('山田'))],
    ['12:30 :smile: http//x', { kind: 'and', parts: [word('12:30'), word(':smile:'), word('http//x')] }],
    ['a b OR c', { kind: 'or', parts: [{ kind: 'and', parts: [word('a'), word('b')] }, word('c')] }],
    ['a AND (b OR c)', { kind: 'and', parts: [word('a'), { kind: 'or', parts: [word('b'), word('c')] }] }],
    ['((a))', word('a')],
    [
      'NOT a -b',
      {
        kind: 'and',
        parts: [
          { kind: 'not', part: word('a') },
          { kind: 'not', part: word('b') },
        ],
      },
    ],
    ['-(a b)', { kind: 'not', part: { kind: 'and', parts: [word('a'), word('b')] } }],
    ['a - b or', { kind: 'and', parts: [word('a'), word('-'), word('b'), word('or')] }],
    ['ORDER ANDROID', { kind: 'and', parts: [word('ORDER'), word('ANDROID')] }],
  ]
  for (const [query, expr] of accepted) {
    test(`reads ${query || '(nothing)'}`, () => assert.deepEqual(shape(parseQuery(query)), expr))
  }

  test('reads full-width syntax as its ASCII form and keeps values as written', () => {
    const full = parseQuery('（ｄｕｅ：＞＝２０２６－０１－０１　ＯＲ　ｌａｂｅｌ：重要，“至急 対応”）　－ＡＢＣ')
    assert.deepEqual(shape(full), {
      kind: 'and',
      parts: [
        {
          kind: 'or',
          parts: [
            term('due', '>=', value('２０２６－０１－０１')),
            term('label', '=', value('重要'), value('至急 対応', true)),
          ],
        },
        { kind: 'not', part: word('ＡＢＣ') },
      ],
    })
  })

  test('straight quotes may contain curly quotes', () => {
    assert.deepEqual(shape(parseQuery('"so “called”"')), { kind: 'phrase', text: 'so “called”' })
  })

  test('positions count code points from 1', () => {
    const expr = parseQuery('😀 due:today,none')
    assert.equal(expr.kind, 'and')
    const due = expr.kind === 'and' ? expr.parts[1] : undefined
    assert.equal(due?.at, 3)
    assert.deepEqual(due?.kind === 'term' && due.values.map(each => each.at), [7, 13])
  })

  const refused: [query: string, position: number][] = [
    ['(a', 3],
    ['a)', 2],
    ['()', 2],
    ['a OR', 5],
    ['OR a', 1],
    ['a AND OR b', 7],
    ['NOT', 4],
    ['due:', 5],
    ['due: today', 5],
    ['label:a,', 9],
    ['label:a, b', 9],
    ['due:>=', 7],
    ['due:..', 7],
    ['due:>1..2', 6],
    ['"open', 6],
    ['label:"open', 12],
    ['😀 (', 4],
  ]
  for (const [query, position] of refused) {
    test(`refuses ${query} at character ${position}`, () => {
      const error = refusal(query)
      assert.equal(error.code, 'invalid_query')
      assert.equal(error.help.field, 'q')
      assert.equal(error.help.details?.['position'], position)
      assert.match(error.message, /expected/)
      assert.match(error.help.hint ?? '', /key:value/)
    })
  }

  test('limits length and nesting', () => {
    assert.doesNotThrow(() => parseQuery('😀'.repeat(QUERY_MAX_LENGTH)))
    assert.equal(refusal('a'.repeat(QUERY_MAX_LENGTH + 1)).code, 'limit_exceeded')
    const deep = (levels: number): string => `${'('.repeat(levels)}a${')'.repeat(levels)}`
    assert.deepEqual(shape(parseQuery(deep(QUERY_MAX_NESTING))), word('a'))
    assert.equal(refusal(deep(QUERY_MAX_NESTING + 1)).code, 'limit_exceeded')
    assert.equal(refusal(`${'-'.repeat(QUERY_MAX_NESTING + 1)}a`).code, 'limit_exceeded')
    assert.equal(refusal('NOT '.repeat(400)).code, 'limit_exceeded')
  })
})

const anyText = fc.string({ unit: 'grapheme', maxLength: 8 })
const quotedValue = anyText.map(text => ({ kind: 'value' as const, text, quoted: true, at: 0 }))
const bareText = fc.stringMatching(/^[a-z0-9あ漢😀+@#_%*-][a-z0-9あ漢😀.:+@#_%*-]{0,8}$/u)
const bareValue = bareText
  .filter(text => !text.includes('..') && !text.endsWith('.'))
  .map(text => ({ kind: 'value' as const, text, quoted: false, at: 0 }))
const termValue = fc.oneof(quotedValue, bareValue)
const range = fc
  .tuple(fc.option(termValue), fc.option(termValue))
  .filter(([from, to]) => from !== null || to !== null)
  .map(([from, to]) => ({ kind: 'range' as const, from, to, at: 0 }))
const leaf: fc.Arbitrary<Expr> = fc.oneof(
  fc.record({
    kind: fc.constant('term' as const),
    key: fc.constantFrom('due', 'label', 'cf.risk', '優先'),
    op: fc.constantFrom('=' as const, '!=' as const),
    values: fc.array(fc.oneof(termValue, range), { minLength: 1, maxLength: 3 }),
    at: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('term' as const),
    key: fc.constant('due'),
    op: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
    values: fc.array(termValue, { minLength: 1, maxLength: 3 }),
    at: fc.constant(0),
  }),
  fc.record({
    kind: fc.constant('word' as const),
    text: bareText.filter(text => !/^-.|^[\p{L}_][\p{L}\p{N}_.-]*:/u.test(text)),
    at: fc.constant(0),
  }),
  fc.record({ kind: fc.constant('phrase' as const), text: anyText, at: fc.constant(0) }),
)
const { expr: anyExpr } = fc.letrec<{ expr: Expr }>(tie => ({
  expr: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc.record({ kind: fc.constant('not' as const), part: tie('expr'), at: fc.constant(0) }),
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('expr'), { minLength: 2, maxLength: 4 }),
      at: fc.constant(0),
    }),
  ),
}))

describe('parseQuery, for all inputs', () => {
  test('parsing a printed expression gives the expression', () => {
    fc.assert(
      fc.property(anyExpr, expr => {
        const printed = printQuery(expr)
        fc.pre(Array.from(printed).length <= QUERY_MAX_LENGTH)
        assert.deepEqual(shape(parseQuery(printed)), shape(expr))
      }),
      { numRuns: 500 },
    )
  })

  test('nothing but a ToolError with a position inside the text is ever thrown', () => {
    const noise = fc.array(
      fc.oneof(
        fc.constantFrom(
          '(',
          ')',
          ':',
          ',',
          '"',
          '“',
          '..',
          '-',
          '>=',
          '!=',
          'NOT ',
          ' OR ',
          ' AND ',
          'due',
          '　',
          '：',
          '\\',
        ),
        fc.string({ unit: codePoint, maxLength: 3 }),
        fc.string({ maxLength: 3 }),
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(noise, pieces => {
        const query = pieces.join('')
        try {
          parseQuery(query)
        } catch (error) {
          assert.ok(error instanceof ToolError, `${String(error)} for ${JSON.stringify(query)}`)
          const position = error.help.details?.['position']
          assert.ok(typeof position === 'number' && position >= 1 && position <= Array.from(query).length + 1)
        }
      }),
      { numRuns: 2000 },
    )
  })

  const nasty: [name: string, piece: string][] = [
    ['open parentheses', '('],
    ['closed groups', '(a)'],
    ['a long OR chain', 'a OR '],
    ['minus signs', '-'],
    ['colons', 'a:'],
    ['commas', 'due:a,,,,'],
    ['quotes', '"a'],
    ['dots', 'due:......'],
    ['escapes', '"\\'],
    ['spaces', '　 '],
  ]
  for (const [name, piece] of nasty) {
    test(`${name} to the full length take a moment at most`, () => {
      const query = piece.repeat(QUERY_MAX_LENGTH).slice(0, QUERY_MAX_LENGTH)
      const start = process.cpuUsage()
      for (let n = 0; n < 20; n++) {
        try {
          parseQuery(query)
        } catch (error) {
          assert.ok(error instanceof ToolError)
        }
      }
      const { user } = process.cpuUsage(start)
      assert.ok(user < 1_000_000, `${user / 20_000} ms each`)
    })
  }
})
