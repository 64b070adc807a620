import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plusDays } from 'tasuki/plugin'
import { overviewPeriod } from '../../../plugins/workspace/period.ts'

const EVENING = new Date('2026-03-01T20:30:00Z')

const at = (now: Date, more: Partial<Parameters<typeof overviewPeriod>[1]> = {}) =>
  overviewPeriod(now, { timeZone: 'Asia/Tokyo', offset: 0, weekStart: 'monday', ...more })

test('the day is that of the time zone, whatever the offset', () => {
  for (const offset of [0, 540, -300]) {
    const { today, clock } = at(EVENING, { offset })
    assert.deepEqual({ today, clock }, { today: '2026-03-02', clock: '05:30' })
  }
  assert.equal(at(EVENING, { timeZone: 'America/New_York' }).today, '2026-03-01')
})

test('the week is that of the offset, which is positive east of UTC', () => {
  assert.equal(at(EVENING).weekBegin, '2026-02-23')
  assert.equal(at(EVENING, { offset: 540 }).weekBegin, '2026-03-02')
  assert.equal(at(EVENING, { offset: -300 }).weekBegin, '2026-02-23')
  assert.equal(at(EVENING, { timeZone: 'America/New_York', offset: 540 }).weekBegin, '2026-03-02')
})

test('weeks begin on the requested day', () => {
  assert.equal(at(EVENING, { weekStart: 'sunday' }).weekBegin, '2026-03-01')
  assert.equal(at(EVENING, { weekStart: 'monday' }).weekBegin, '2026-02-23')
})

test('a week begins at most six days ago and on the right weekday', () => {
  const instants = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(
      instants,
      fc.integer({ min: -840, max: 840 }),
      fc.constantFrom<'sunday' | 'monday'>('sunday', 'monday'),
      (now, offset, weekStart) => {
        const { today, weekBegin } = at(now, { offset, weekStart })
        const there = new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 10)
        assert.equal(new Date(weekBegin).getUTCDay(), weekStart === 'sunday' ? 0 : 1)
        assert.ok(weekBegin <= there && there <= plusDays(weekBegin, 6), `${weekBegin} ${there}`)
        assert.equal(today, new Date(now.getTime() + 540 * 60_000).toISOString().slice(0, 10))
      },
    ),
  )
})
