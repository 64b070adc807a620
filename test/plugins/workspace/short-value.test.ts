import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clip } from 'tasuki/plugin'
import { codePoint } from '../../code-point.ts'
import { shortValue, type LongText } from '../../../plugins/workspace/short-value.ts'

test('short values stay as they are', () => {
  for (const value of ['short', 12, true, null, ['a', 'b'], { name: 'Done', n: 1 }])
    assert.deepEqual(shortValue(value), value)
  assert.equal(shortValue(undefined), null)
})

test('a long text is stored as its length and its beginning', () => {
  assert.deepEqual(shortValue('x'.repeat(500)), { length: 500, excerpt: `${'x'.repeat(199)}…` })
  assert.equal(shortValue('😀'.repeat(200)), '😀'.repeat(200))
  assert.equal((shortValue('😀'.repeat(201)) as LongText).length, 201)
})

test('a long list says how much is missing', () => {
  const list = shortValue(Array.from({ length: 25 }, (_, n) => `label ${n}`)) as string[]
  assert.equal(list.length, 21)
  assert.equal(list[20], '… 5 more')
})

test('any value is stored short and as well-formed text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string({ maxLength: 3000, unit: 'grapheme' }), (json, text) => {
      for (const value of [json, text, { json, text }]) {
        const kept = JSON.stringify(shortValue(value))
        assert.ok(kept.length <= 2600, `${kept.length}`)
        assert.ok(kept.isWellFormed())
      }
    }),
    { numRuns: 200 },
  )
})

test('clip keeps at most that many characters', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60, unit: codePoint }), fc.integer({ min: 1, max: 40 }), (text, most) => {
      const clipped = clip(text, most)
      assert.ok(Array.from(clipped).length <= most)
      assert.ok(clipped === text || (clipped.endsWith('…') && text.startsWith(clipped.slice(0, -1))))
      assert.ok(clipped.isWellFormed() || !text.isWellFormed())
    }),
  )
})
