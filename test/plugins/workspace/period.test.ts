import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overviewPeriod, plusDays } from '../../../plugins/workspace/period.ts'

const EVENING = new Date('2026-03-01T20:30:00Z')

test('the day is the one of the zone', () => {
  const { today, clock, weekBegin } = overviewPeriod(EVENING, 'Asia/Tokyo', 'monday')
  assert.deepEqual({ today, clock, weekBegin }, { today: '2026-03-02', clock: '05:30', weekBegin: '2026-03-02' })
  assert.equal(overviewPeriod(EVENING, 'America/New_York', 'monday').weekBegin, '2026-02-23')
})

test('an offset counts east of UTC', () => {
  const at = (minutes: number) => {
    const { today, clock } = overviewPeriod(EVENING, minutes, 'monday')
    return `${today} ${clock}`
  }
  assert.equal(at(0), '2026-03-01 20:30')
  assert.equal(at(540), '2026-03-02 05:30')
  assert.equal(at(-300), '2026-03-01 15:30')
})

test('weeks begin on the day asked for', () => {
  assert.equal(overviewPeriod(EVENING, 0, 'sunday').weekBegin, '2026-03-01')
  assert.equal(overviewPeriod(EVENING, 0, 'monday').weekBegin, '2026-02-23')
})

test('a week begins at most six days ago and on the right weekday', () => {
  const instants = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(
      instants,
      fc.integer({ min: -840, max: 840 }),
      fc.constantFrom('sunday', 'monday'),
      (now, offset, start) => {
        const { today, weekBegin } = overviewPeriod(now, offset, start)
        assert.equal(new Date(weekBegin).getUTCDay(), start === 'sunday' ? 0 : 1)
        assert.ok(weekBegin <= today && today <= plusDays(weekBegin, 6), `${weekBegin} ${today}`)
        assert.equal(today, new Date(now.getTime() + offset * 60_000).toISOString().slice(0, 10))
      },
    ),
  )
})
