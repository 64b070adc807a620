import fc from 'fast-check'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  changeRecurrence,
  previousOccurrence,
  readRecurrence,
  upcoming,
} from '../../../plugins/templates/recurrence.ts'
import type { Recurrence } from '../../../plugins/templates/recurrence.ts'
import { DATA_FOLDER } from '../../issues.ts'
import { verifies } from '../../verifies.ts'
import { RULES } from '../../stalls/corpus.ts'
import { naiveOccurrences } from './naive-rule.ts'

const DAY = 86_400_000
const NOW = new Date('2026-03-01T00:00:00Z')
const BEFORE_ALL = new Date(0)
/** Milliseconds of processor time. */
const STALL = 50
/** libical takes the month of DTSTART; RFC 5545 expands BYMONTHDAY of a yearly rule, as dateutil, rrule.js and rrule-temporal do. */
const EVERY_MONTH: Readonly<Record<string, string>> = {
  'FREQ=YEARLY;BYMONTHDAY=29;COUNT=3': '20240229,20240329,20240429',
  'FREQ=YEARLY;BYMONTHDAY=-29,-1;COUNT=4': '20240201,20240229,20240303,20240331',
}

const read = (text: string, timeZone = 'UTC', now = NOW): Recurrence => readRecurrence(text, timeZone, now)
const texts = (dates: readonly Date[]) => dates.map(date => date.toISOString().slice(0, 16))
/** Formats a date as in iCalendar. */
const digits = (date: Date) => date.toISOString().replace(/[-:]|\.\d+Z/g, '')

describe('recurrence rules', () => {
  const skip = DATA_FOLDER === null && 'TEST_DATA_DIR is not set: it names the folder with the recurrence vectors'
  verifies(
    'templates.vectors',
    'every published vector gives its occurrences, or is refused with a reason',
    { skip },
    t => {
      const refused = new Map<string, number>()
      let right = 0
      for (const { rule, start, instances } of vectors()) {
        const recurrence = attempt(() => read(`DTSTART:${start}\nRRULE:${rule}`))
        if (typeof recurrence === 'string') {
          refused.set(recurrence, (refused.get(recurrence) ?? 0) + 1)
          continue
        }
        const found = upcoming(recurrence, BEFORE_ALL, instances.length + 1).map(digits)
        const form = start.length === 8 ? (text: string) => text.slice(0, 8) : (text: string) => text
        assert.deepEqual(found.map(form), EVERY_MONTH[rule]?.split(',') ?? instances, `${rule} from ${start}`)
        right++
      }
      const reasons = [...refused].map(([reason, count]) => `${count} × ${reason}`)
      t.diagnostic(`${right} of 146 vectors accepted and right; refused: ${reasons.join(' ')}`)
      assert.equal(right, 131)
      assert.deepEqual(reasons.toSorted(), [
        '1 × BYMONTHDAY and BYWEEKNO cannot be combined.',
        '1 × BYSECOND=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 is finer than a minute; tasks are due at full minutes.',
        '2 × BYWEEKNO with INTERVAL needs a DTSTART that is an occurrence.',
        '5 × FREQ=MINUTELY is finer than HOURLY.',
        '6 × FREQ=SECONDLY is finer than HOURLY.',
      ])
    },
  )

  test('accepted rules agree with a simple implementation of the RFC, strictly increasing and from any instant', () => {
    let accepted = 0
    fc.assert(
      fc.property(anyRule, anyStart, (rule, start) => {
        const recurrence = attempt(() => read(`DTSTART:${digits(start)}\nRRULE:${rule}`))
        if (typeof recurrence === 'string') return
        accepted++
        const until = new Date(start.getTime() + SPANS[recurrence.rule.slice(5, 7)]! * DAY)
        const wanted: number[] = []
        for (const time of naiveOccurrences(rule, start.getTime(), until.getTime())) if (wanted.push(time) === 8) break
        const found = upcoming(recurrence, new Date(start.getTime() - 1), 8)
        const within = found.filter(at => at <= until)
        assert.deepEqual(texts(within), texts(wanted.map(time => new Date(time))), rule)
        assert.ok(found.every((at, n) => n === 0 || at > found[n - 1]!))
        const middle = within[Math.floor(within.length / 2)]
        if (!middle || within.length < 3) return
        assert.deepEqual(upcoming(recurrence, middle, 1)[0], found[Math.floor(within.length / 2) + 1])
        assert.deepEqual(previousOccurrence(recurrence, middle), middle)
        assert.deepEqual(
          previousOccurrence(recurrence, new Date(middle.getTime() - 1)),
          found[Math.floor(within.length / 2) - 1],
        )
      }),
      { numRuns: 200 },
    )
    assert.ok(accepted > 60, `${accepted} rules were accepted`)
  })

  test('in any time zone occurrences increase, and each shows the time that the rule names', () => {
    const zone = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Asia/Tokyo',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Pacific/Apia',
    )
    const rule = fc.constantFrom(
      'FREQ=HOURLY',
      'FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0,30',
      'FREQ=DAILY',
      'FREQ=WEEKLY;BYDAY=SU;BYHOUR=2',
    )
    fc.assert(
      fc.property(zone, rule, anyStart, (timeZone, text, now) => {
        const recurrence = read(text, timeZone, now)
        const found = upcoming(recurrence, now, 12)
        assert.equal(found.length, 12)
        assert.ok(found.every((at, n) => at > (found[n - 1] ?? now)))
        const shown = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' })
        for (const at of found) {
          const [hour, minute] = shown.format(at).split(':').map(Number)
          if (text.includes('BYHOUR=0')) assert.ok(hour! < 4 && minute! % 30 === 0)
          else if (text.includes('BYHOUR=2')) assert.equal(`${hour}:${minute}`, '2:0')
        }
        assert.deepEqual(previousOccurrence(recurrence, found[5]!), found[5])
      }),
      { numRuns: 60 },
    )
  })

  test('a time that daylight saving skips is omitted and not counted; of a repeated time the first is used', () => {
    const berlin = read('DTSTART:20260327T023000\nRRULE:FREQ=DAILY;COUNT=3', 'Europe/Berlin')
    assert.deepEqual(texts(upcoming(berlin, BEFORE_ALL, 9)), [
      '2026-03-27T01:30',
      '2026-03-28T01:30',
      '2026-03-30T00:30',
    ])
    const newYork = read('DTSTART:20261031T013000\nRRULE:FREQ=DAILY;COUNT=3', 'America/New_York')
    assert.deepEqual(texts(upcoming(newYork, BEFORE_ALL, 9)), [
      '2026-10-31T05:30',
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ])
    const hourly = read('DTSTART:20261025T010000\nRRULE:FREQ=HOURLY;COUNT=3', 'Europe/Berlin')
    assert.deepEqual(texts(upcoming(hourly, BEFORE_ALL, 9)), [
      '2026-10-24T23:00',
      '2026-10-25T00:00',
      '2026-10-25T02:00',
    ])
    const tokyo = read('FREQ=DAILY;BYHOUR=2;BYMINUTE=30', 'Asia/Tokyo')
    assert.deepEqual(texts(upcoming(tokyo, new Date('2026-03-28T00:00:00Z'), 2)), [
      '2026-03-28T17:30',
      '2026-03-29T17:30',
    ])
  })

  test('the same local time is kept when the clocks change', () => {
    const rule = read('FREQ=WEEKLY;BYDAY=MO;BYHOUR=9', 'America/New_York')
    assert.deepEqual(texts(upcoming(rule, NOW, 3)), ['2026-03-02T14:00', '2026-03-09T13:00', '2026-03-16T13:00'])
  })

  test('a query after clocks moved back finds earlier due times', () => {
    const rule = read('DTSTART:20261025T023000\nRRULE:FREQ=DAILY', 'Europe/Berlin')
    // 02:10 occurs for the second time; the rule's 02:30 was already at its first occurrence.
    assert.deepEqual(previousOccurrence(rule, new Date('2026-10-25T01:10:00Z')), new Date('2026-10-25T00:30:00Z'))
  })

  test('days begin at their first local time, even if midnight is skipped, and days skipped by a time zone do not occur', () => {
    const cairo = read('FREQ=DAILY', 'Africa/Cairo', new Date('2026-04-22T22:30:00Z'))
    assert.deepEqual(texts(upcoming(cairo, new Date('2026-04-22T22:30:00Z'), 2)), [
      '2026-04-23T22:00',
      '2026-04-24T21:00',
    ])
    const apia = read('FREQ=DAILY', 'Pacific/Apia', new Date('2011-12-28T22:30:00Z'))
    assert.deepEqual(texts(upcoming(apia, new Date('2011-12-28T22:30:00Z'), 2)), [
      '2011-12-29T10:00',
      '2011-12-30T10:00',
    ])
  })

  test('without DTSTART the series begins now, and only future occurrences count', () => {
    const now = new Date('2026-03-04T03:00:00Z')
    const weekly = readRecurrence('FREQ=WEEKLY;COUNT=2', undefined, now)
    assert.equal(weekly.timezone, 'Asia/Tokyo')
    assert.deepEqual(texts(upcoming(weekly, now, 9)), ['2026-03-10T15:00', '2026-03-17T15:00'])
    const daily = readRecurrence('rrule:freq=daily;byhour=9,21;count=3', undefined, now)
    assert.deepEqual(texts(upcoming(daily, now, 9)), ['2026-03-04T12:00', '2026-03-05T00:00', '2026-03-05T12:00'])
  })

  test('DTSTART sets the time and the zone in which the series begins', () => {
    const zoned = readRecurrence(
      'DTSTART;TZID=America/New_York:20260401T090000\r\nRRULE:FREQ=WEEKLY;COUNT=2',
      undefined,
      NOW,
    )
    assert.deepEqual(
      [zoned.timezone, ...texts(upcoming(zoned, BEFORE_ALL, 9))],
      ['America/New_York', '2026-04-01T13:00', '2026-04-08T13:00'],
    )
    const utc = readRecurrence('DTSTART:20260401T000000Z\nFREQ=DAILY;COUNT=2', 'Asia/Tokyo', NOW)
    assert.deepEqual(texts(upcoming(utc, BEFORE_ALL, 9)), ['2026-04-01T00:00', '2026-04-02T00:00'])
    const dates = readRecurrence(
      'DTSTART;VALUE=DATE:20260401\nRRULE:FREQ=DAILY;BYHOUR=9;UNTIL=20260402',
      'Asia/Tokyo',
      NOW,
    )
    assert.deepEqual(texts(upcoming(dates, BEFORE_ALL, 9)), ['2026-03-31T15:00', '2026-04-01T15:00'])
  })

  test('UNTIL is included, as a date, a local time or an instant', () => {
    for (const until of ['20260403', '20260403T090000', '20260403T000000Z']) {
      const rule = read(`DTSTART:20260401T090000\nRRULE:FREQ=DAILY;UNTIL=${until}`, 'Asia/Tokyo')
      assert.equal(upcoming(rule, BEFORE_ALL, 9).length, 3, until)
      assert.deepEqual(previousOccurrence(rule, new Date('2030-01-01')), new Date('2026-04-03T00:00:00Z'))
    }
    assert.equal(
      upcoming(read('DTSTART:20260401T090000\nRRULE:FREQ=DAILY;UNTIL=20260402T235959Z', 'Asia/Tokyo'), BEFORE_ALL, 9)
        .length,
      2,
    )
  })

  verifies(
    'templates.exceptions',
    'EXDATE removes occurrences and RDATE adds some, as times of the series, of another time zone, in UTC and as days',
    () => {
      const rule = (lines: string) => read(`DTSTART:20260401T090000\nRRULE:FREQ=DAILY;COUNT=4\n${lines}`, 'Asia/Tokyo')
      const days = (recurrence: Recurrence) => texts(upcoming(recurrence, BEFORE_ALL, 9)).map(text => text.slice(8))
      assert.deepEqual(days(rule('EXDATE:20260402T090000')), ['01T00:00', '03T00:00', '04T00:00'])
      assert.deepEqual(days(rule('EXDATE:20260402T000000Z,20260403T000000Z')), ['01T00:00', '04T00:00'])
      assert.deepEqual(days(rule('EXDATE;TZID=Europe/Berlin:20260402T020000')), ['01T00:00', '03T00:00', '04T00:00'])
      assert.deepEqual(days(rule('EXDATE;VALUE=DATE:20260401\nRDATE:20260410T120000')), [
        '02T00:00',
        '03T00:00',
        '04T00:00',
        '10T03:00',
      ])
      assert.deepEqual(
        previousOccurrence(rule('RDATE:20260410T120000'), new Date('2030-01-01')),
        new Date('2026-04-10T03:00:00Z'),
      )
      assert.deepEqual(
        previousOccurrence(rule('EXDATE:20260404T090000'), new Date('2030-01-01')),
        new Date('2026-04-03T00:00:00Z'),
      )
      const whole = read('DTSTART;VALUE=DATE:20260401\nRRULE:FREQ=DAILY\nEXDATE:20260402\nRDATE:20260401', 'UTC')
      assert.equal(whole.rule, 'FREQ=DAILY\nEXDATE;VALUE=DATE:20260402\nRDATE;VALUE=DATE:20260401')
      assert.deepEqual(days(whole).slice(0, 2), ['01T00:00', '03T00:00'])
      assert.throws(() => rule('EXDATE;VALUE=DATE:20260401,20260402,20260403,20260404'), /never comes due/)
    },
  )

  verifies('templates.skip', 'an occurrence is left out or moved, any number of times, and back', () => {
    const weekly = read('DTSTART:20260401T090000\nRRULE:FREQ=WEEKLY', 'Asia/Tokyo')
    const next = (recurrence: Recurrence) => texts(upcoming(recurrence, NOW, 3)).map(text => text.slice(5))
    const first = new Date('2026-04-01T00:00:00Z')
    const skipped = changeRecurrence(weekly, first, null, NOW)
    assert.deepEqual(next(skipped), ['04-08T00:00', '04-15T00:00', '04-22T00:00'])
    const moved = changeRecurrence(weekly, first, new Date('2026-04-02T03:00:00Z'), NOW)
    assert.deepEqual(next(moved), ['04-02T03:00', '04-08T00:00', '04-15T00:00'])
    const again = changeRecurrence(moved, new Date('2026-04-02T03:00:00Z'), new Date('2026-04-09T03:00:00Z'), NOW)
    assert.deepEqual(next(again), ['04-08T00:00', '04-09T03:00', '04-15T00:00'])
    const back = changeRecurrence(again, new Date('2026-04-09T03:00:00Z'), first, NOW)
    assert.deepEqual(next(back), ['04-01T00:00', '04-08T00:00', '04-15T00:00'])
    assert.deepEqual(next(read(`DTSTART:20260401T090000\n${moved.rule}`, 'Asia/Tokyo')), next(moved))
  })

  const refusals: readonly (readonly [rule: string, problem: RegExp, field?: string])[] = [
    ['FREQ=MINUTELY', /FREQ=MINUTELY is finer than HOURLY/],
    ['FREQ=SECONDLY', /finer than HOURLY/],
    ['FREQ=FORTNIGHTLY', /no frequency/],
    ['BYDAY=MO', /needs FREQ/],
    ['every blue moon', /"every blue moon" is not understood/],
    ['every monday every month', /does not say one rule/],
    ['毎度', /"毎度" is not understood/],
    ['every monday at 25:00', /"at 25:00" is not understood/],
    ['every day\nevery week', /cannot be in a recurrence_rule/],
    ['FREQ=DAILY;FREQ=DAILY', /FREQ is given twice/],
    ['FREQ=DAILY;BYDAYS=MO', /no part BYDAYS/],
    ['FREQ=DAILY;INTERVAL=0', /INTERVAL=0/],
    ['FREQ=DAILY;COUNT=1001', /COUNT=1001/],
    ['FREQ=DAILY;COUNT=1;UNTIL=20270101', /exclude each other/],
    ['FREQ=DAILY;UNTIL=tomorrow', /UNTIL=TOMORROW/],
    ['FREQ=DAILY;UNTIL=20200101', /has ended already/],
    ['FREQ=DAILY;UNTIL=20270230', /UNTIL=20270230 is no date/],
    ['FREQ=DAILY;BYHOUR=24', /BYHOUR cannot be 24/],
    ['FREQ=DAILY;BYSECOND=30', /BYSECOND=30 is finer than a minute/],
    ['FREQ=WEEKLY;BYDAY=XX', /BYDAY cannot be XX/],
    ['FREQ=WEEKLY;BYDAY=1MO', /only MONTHLY and YEARLY/],
    ['FREQ=MONTHLY;BYDAY=6MO', /counts from 1 to 5/],
    ['FREQ=MONTHLY;BYMONTHDAY=32', /BYMONTHDAY cannot be 32/],
    ['FREQ=MONTHLY;BYMONTHDAY=0', /BYMONTHDAY cannot be 0/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY cannot be in a WEEKLY/],
    ['FREQ=DAILY;BYWEEKNO=1', /BYWEEKNO is for YEARLY/],
    ['FREQ=MONTHLY;BYYEARDAY=1', /BYYEARDAY is for YEARLY and HOURLY/],
    ['FREQ=DAILY;BYSETPOS=1', /BYSETPOS needs another/],
    ['FREQ=YEARLY;BYDAY=54MO', /counts from 1 to 53/],
    ['FREQ=YEARLY;BYYEARDAY=1;BYWEEKNO=1', /cannot be combined/],
    ['FREQ=YEARLY;BYYEARDAY=1;BYDAY=2MO', /cannot count weekdays together with BYYEARDAY/],
    ['FREQ=DAILY;WKST=XX', /WKST=XX/],
    ['FREQ=DAILY\nEXRULE:FREQ=WEEKLY', /EXRULE/],
    ['FREQ=DAILY\nEXDATE:20260231', /no date/],
    ['FREQ=DAILY;BYHOUR=9\nRDATE;VALUE=DATE:20260401', /RDATE has a date without a time/],
    ['DTSTART:20260401', /no RRULE/],
    ['DTSTART:20260431\nRRULE:FREQ=DAILY', /no start/],
    ['DTSTART:18000101\nRRULE:FREQ=DAILY', /DTSTART goes from 1900/],
    ['DTSTART:20260401\nRRULE:FREQ=HOURLY', /HOURLY rule cannot start on a date/],
    ['DTSTART;TZID=Asia/Seoul:20260401T090000\nRRULE:FREQ=DAILY', /DTSTART is in Asia\/Seoul/i],
    ['DTSTART;TZID=Mars/Olympus:20260401T090000\nRRULE:FREQ=DAILY', /not an IANA time zone/, 'timezone'],
  ]
  verifies(
    ['templates_create.invalid_rule', 'templates_create.too_fine'],
    'invalid, too frequent or ambiguous rules are refused by their part',
    () => {
      for (const [rule, message, field = 'recurrence_rule'] of refusals) {
        assert.throws(
          () => read(rule),
          (error: { code: string; message: string; help: { field: string } }) => {
            assert.match(error.message, message, rule)
            assert.deepEqual([error.code, error.help.field], ['invalid_argument', field], rule)
            return true
          },
        )
      }
    },
  )

  test('rules without occurrences are refused in bounded time', () => {
    const never = [
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30;BYMINUTE=1,2,3',
      'FREQ=WEEKLY;BYDAY=FR;BYSETPOS=3',
      'FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2,4,6',
      'FREQ=HOURLY;INTERVAL=24;BYHOUR=7;BYMINUTE=0',
    ]
    for (const rule of never) {
      const begin = process.threadCpuUsage().user
      assert.throws(() => read(rule), { code: 'invalid_argument', message: /never comes due/ }, rule)
      const spent = (process.threadCpuUsage().user - begin) / 1000
      assert.ok(spent < STALL, `${rule} took ${spent} ms`)
    }
  })

  test('no rule blocks the process, accepted or not', t => {
    const hours = Array.from({ length: 24 }, (_, n) => n).join(',')
    const minutes = (step: number) => Array.from({ length: 60 / step }, (_, n) => n * step).join(',')
    const refused = [
      `FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes(4)};BYSETPOS=366`,
      `FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes(4)};BYSETPOS=361,-361;COUNT=1000`,
      `FREQ=MONTHLY;BYDAY=5MO;BYMONTH=2;BYHOUR=${hours};BYMINUTE=0,30;BYSETPOS=49`,
      // Berlin skips this hour in every year.
      'DTSTART;TZID=Europe/Berlin:20260101T023000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
      'DTSTART;TZID=Europe/Berlin:20260101T023000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;COUNT=3',
    ]
    let longest = 0
    for (const rule of [...RULES, ...refused]) {
      const timeZone = /TZID=([^:]+)/.exec(rule)?.[1] ?? 'UTC'
      const work = (): Recurrence | string => {
        const recurrence = attempt(() => read(rule, timeZone))
        if (typeof recurrence !== 'string') {
          upcoming(recurrence, NOW, 3)
          previousOccurrence(recurrence, NOW)
          previousOccurrence(recurrence, new Date('2190-01-01'))
        }
        return recurrence
      }
      // The first rules run before V8 has optimized the code.
      const recurrence = work()
      const begin = process.threadCpuUsage().user
      work()
      const spent = (process.threadCpuUsage().user - begin) / 1000
      longest = Math.max(longest, spent)
      assert.ok(spent < STALL, `${rule} took ${spent} ms`)
      if (refused.includes(rule)) assert.match(String(recurrence), /never comes due/)
    }
    t.diagnostic(`the longest took ${longest} ms of processor time`)
  })
})

/** Days to compare, by prefix of the frequency. */
const SPANS: Readonly<Record<string, number>> = { YE: 5000, MO: 3000, WE: 1000, DA: 500, HO: 100 }

const numbers = (from: number, to: number, signed = false) =>
  fc.uniqueArray(
    signed
      ? fc.oneof(fc.integer({ min: from, max: to }), fc.integer({ min: -to, max: -from }))
      : fc.integer({ min: from, max: to }),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
const seldom = <T>(values: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values })
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU')
const anyDay = fc.oneof(
  fc.uniqueArray(weekday, { minLength: 1, maxLength: 3 }),
  fc
    .tuple(
      fc.constantFrom(1, 2, 4, 5, -1, -3, 20, -52, 53, -53),
      fc.uniqueArray(weekday, { minLength: 1, maxLength: 2 }),
    )
    .map(([n, days]) => days.map(day => n + day)),
  fc.tuple(fc.constantFrom(1, 2, -1, 53), weekday, weekday).map(([n, counted, plain]) => [n + counted, plain]),
)
/** Parts that a frequency does not allow. Most other combinations occur, including some that are refused. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  YEARLY: [],
  MONTHLY: ['BYWEEKNO', 'BYYEARDAY'],
  WEEKLY: ['BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY'],
  DAILY: ['BYWEEKNO', 'BYYEARDAY'],
  HOURLY: ['BYWEEKNO'],
}
const anyRule = fc
  .record({
    FREQ: fc.constantFrom('YEARLY', 'YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'),
    INTERVAL: fc.option(fc.integer({ min: 2, max: 13 }), { nil: undefined }),
    BYMONTH: seldom(numbers(1, 12)),
    BYWEEKNO: seldom(fc.oneof(numbers(1, 53, true), fc.constantFrom([1], [53], [52, 53], [-1]))),
    BYYEARDAY: seldom(numbers(1, 366, true)),
    BYMONTHDAY: seldom(numbers(1, 31, true)),
    BYDAY: seldom(anyDay),
    BYHOUR: seldom(numbers(0, 23)),
    BYMINUTE: seldom(numbers(0, 59)),
    BYSETPOS: seldom(fc.uniqueArray(fc.constantFrom(1, 2, -1, -2), { minLength: 1, maxLength: 2 })),
    WKST: seldom(weekday),
  })
  .map(parts =>
    Object.entries(parts)
      .filter(([name, value]) => value !== undefined && !FOREIGN[parts.FREQ]!.includes(name))
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(';'),
  )
/** Often around New Year, where week-based years differ from calendar years. */
const anyStart = fc.oneof(
  fc
    .integer({ min: Date.UTC(1995, 0) / 60_000, max: Date.UTC(2035, 0) / 60_000 })
    .map(minute => new Date(minute * 60_000)),
  fc
    .tuple(fc.integer({ min: 1995, max: 2035 }), fc.integer({ min: -6, max: 6 }))
    .map(([year, day]) => new Date(Date.UTC(year, 0, day, 9))),
)

function attempt(work: () => Recurrence): Recurrence | string {
  try {
    return work()
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error && error.code === 'invalid_argument', String(error))
    return error.message
  }
}

/** Reads libical's test file: comments, RRULE, DTSTART and INSTANCES, with a blank line between cases. */
function* vectors(): Generator<{ rule: string; start: string; instances: readonly string[] }> {
  const text = readFileSync(join(DATA_FOLDER!, 'rrule', 'icalrecur_test.txt'), 'utf8')
  for (const block of text.split(/\n\s*\n/)) {
    const line = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(block)?.[1]
    const [rule, start, instances] = [line('RRULE'), line('DTSTART'), line('INSTANCES')]
    if (rule === undefined || start === undefined || instances === undefined) continue
    yield { rule, start, instances: instances.split(',').map(text => text.replace('Z', '')) }
  }
}
