import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { DATE_FORMS, daySpan } from '../../../../plugins/items/query/dates.ts'

/** A Friday. */
const monday = { today: '2026-11-20', weekStart: 1 }
const sunday = { today: '2026-11-20', weekStart: 0 }

describe('daySpan', () => {
  const spans: [word: string, from: string, to: string][] = [
    ['2026-02-28', '2026-02-28', '2026-03-01'],
    ['２０２６－０２－２８', '2026-02-28', '2026-03-01'],
    ['2026-02', '2026-02-01', '2026-03-01'],
    ['2026-12', '2026-12-01', '2027-01-01'],
    ['9999-12-31', '9999-12-31', '10000-01-01'],
    ['9999-12', '9999-12-01', '10000-01-01'],
    ['Today', '2026-11-20', '2026-11-21'],
    ['tomorrow', '2026-11-21', '2026-11-22'],
    ['yesterday', '2026-11-19', '2026-11-20'],
    ['+7d', '2026-11-27', '2026-11-28'],
    ['-2w', '2026-11-06', '2026-11-07'],
    ['+1m', '2026-12-20', '2026-12-21'],
    ['+3m', '2027-02-20', '2027-02-21'],
    ['-1y', '2025-11-20', '2025-11-21'],
    ['fri', '2026-11-20', '2026-11-21'],
    ['sat', '2026-11-21', '2026-11-22'],
    ['mon', '2026-11-23', '2026-11-24'],
    ['thu', '2026-11-26', '2026-11-27'],
    ['lastweek', '2026-11-09', '2026-11-16'],
    ['thisweek', '2026-11-16', '2026-11-23'],
    ['nextweek', '2026-11-23', '2026-11-30'],
    ['lastmonth', '2026-10-01', '2026-11-01'],
    ['thismonth', '2026-11-01', '2026-12-01'],
    ['nextmonth', '2026-12-01', '2027-01-01'],
  ]
  for (const [word, from, to] of spans) {
    test(`reads ${word}`, () => assert.deepEqual(daySpan(word, monday), { from, to }))
  }

  test("the week begins on the owner's first day of the week", () => {
    assert.deepEqual(daySpan('thisweek', sunday), { from: '2026-11-15', to: '2026-11-22' })
    assert.deepEqual(daySpan('thisweek', { today: '2026-11-15', weekStart: 1 }), {
      from: '2026-11-09',
      to: '2026-11-16',
    })
  })

  test('months and years stop at the last day of the month', () => {
    assert.deepEqual(daySpan('+1m', { ...monday, today: '2026-01-31' }), { from: '2026-02-28', to: '2026-03-01' })
    assert.deepEqual(daySpan('-1m', { ...monday, today: '2026-03-31' }), { from: '2026-02-28', to: '2026-03-01' })
    assert.deepEqual(daySpan('+1y', { ...monday, today: '2028-02-29' }), { from: '2029-02-28', to: '2029-03-01' })
  })

  for (const word of [
    '',
    '2026-02-29',
    '2026-13',
    '0000-01-01',
    '7d',
    '+7',
    '+7h',
    '+99999y',
    '-9999y',
    'someday',
    '2026/01/01',
  ]) {
    test(`refuses ${word || '(nothing)'}`, () => assert.equal(daySpan(word, monday), null))
  }

  test('every documented form is read', () => {
    const samples: Record<string, string> = {
      'YYYY-MM-DD': '2026-01-31',
      'YYYY-MM': '2026-01',
      'mon..sun: the next one, today included': 'wed',
    }
    for (const form of DATE_FORMS) assert.ok(daySpan(samples[form] ?? form, monday), form)
  })

  test('a span is never empty, and offsets of days and weeks keep their distance', () => {
    const anyDay = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    const offset = fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.constantFrom('d', 'w', 'm', 'y'))
    fc.assert(
      fc.property(anyDay, offset, (date, [count, unit]) => {
        const today = date.toISOString().slice(0, 10)
        const span = daySpan(`${count < 0 ? '' : '+'}${count}${unit}`, { today, weekStart: 1 })
        if (!span) return
        assert.equal(Date.parse(span.to) - Date.parse(span.from), 86_400_000)
        const days = unit === 'd' ? count : unit === 'w' ? 7 * count : null
        if (days !== null) assert.equal(Date.parse(span.from) - Date.parse(today), days * 86_400_000)
      }),
    )
  })
})
