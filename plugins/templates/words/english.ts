import { WEEKDAYS } from '../calendar.ts'
import { dayPhrases, monthEnd, monthsLater, nextDate, readDate, weekdayAfter, weekdayIn, yearEnd } from './days.ts'
import type { ReadDay } from './days.ts'
import { monthly, rangePart, timeIn, timePart, vocabulary, WEEKEND, weekly, WORKDAYS, yearly } from './vocabulary.ts'
import type { Part, Phrase } from './vocabulary.ts'

export const DAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
export const MONTH_NAMES =
  'january february march april may june july august september october november december'.split(' ')
/** The names of months as alternatives of a pattern. */
export const MONTHS = ['sept', ...MONTH_NAMES, ...MONTH_NAMES.map(name => name.slice(0, 3))].join('|')
export const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']
const NUMBERS = 'two three four five six seven eight nine ten eleven twelve'.split(' ')
const UNITS = {
  hour: 'HOURLY',
  day: 'DAILY',
  week: 'WEEKLY',
  month: 'MONTHLY',
  quarter: 'MONTHLY',
  year: 'YEARLY',
} as const

/** The hours that are meant when only a part of the day is named. */
const TIMES: Readonly<Record<string, number>> = { noon: 12, morning: 9, afternoon: 13, evening: 19, night: 21 }

/** The names of weekdays as alternatives of a pattern. */
export const DAYS = `${DAY_NAMES.join('|')}|sun|mon|tues|tue|wed|thurs|thur|thu|fri|sat`
const day = `(?:${DAYS})s?\\b`
const month = `(?:${MONTHS})\\b`
const and = '(?: ?(?:,|and|&|, ?and) ?)'
const ordinal = `(?:${ORDINALS.join('|')}|last|\\d{1,2}(?:st|nd|rd|th))\\b`
const number = `(?:\\d{1,3}|${NUMBERS.join('|')})\\b`
const every = '(?:every|each)'
const ofMonth = `(?: (?:of|in) (?:the|${every}) month)`
const unit = `(${Object.keys(UNITS).join('|')})`
const workday = '(?:working ?days?|business ?days?|workdays?|weekdays?)\\b'
const list = (word: string): string => `((?:${word})(?:${and}(?:the )?(?:${word}))*)`

const wordsIn = (text: string): string[] => text.split(new RegExp(and)).map(each => each.replace(/^the /, '').trim())
/** Returns the weekday with a name or its beginning; 0 = Sunday. */
const weekdayOf = (name: string): number => DAY_NAMES.findIndex(full => full.startsWith(name.slice(0, 3)))
const codeOf = (name: string): string => WEEKDAYS[weekdayOf(name)]!
const codesOf = (text: string): string[] => wordsIn(text).map(codeOf)
export const monthOf = (name: string): number => MONTH_NAMES.findIndex(full => full.startsWith(name.slice(0, 3))) + 1
/** Returns the number of digits or of a word; 1 for other words, such as `a`. */
const numberOf = (text: string): number => (/^\d/.test(text) ? Number.parseInt(text, 10) : NUMBERS.indexOf(text) + 2)
const ordinalOf = (text: string): number =>
  /^\d/.test(text) ? Number.parseInt(text, 10) : ORDINALS.indexOf(text) + 1 || -1
const intervalOf = (text: string): number =>
  text === 'other' ? 2 : new RegExp(`^${ordinal}$`).test(text) ? ordinalOf(text) : numberOf(text)

const nthDays = (numbers: string, name: string): string[] =>
  wordsIn(numbers).map(text => ordinalOf(text) + codeOf(name))
const onDates = (numbers: string): Part => monthly({ monthDays: wordsIn(numbers).map(ordinalOf) })
const onWorkdays = (numbers: string): Part => monthly({ days: WORKDAYS, positions: wordsIn(numbers).map(ordinalOf) })

const onNthDays = (numbers: string, name: string): Part => monthly({ days: nthDays(numbers, name) })
/** Repeats every `interval` units. */
const repeat = (unit: string, interval = 1): Part => ({
  freq: UNITS[unit as keyof typeof UNITS],
  interval: interval * (unit === 'quarter' ? 3 : 1),
})
const daysOf = (text: string): readonly string[] =>
  text.startsWith('weekend') ? WEEKEND : text.startsWith('weekday') ? WORKDAYS : codesOf(text)

/** `at 8`, after a part of the day. */
const atClock = '(?: at (\\d{1,2})(?::(\\d\\d))?(?: ?([ap])\\.?m\\b\\.?)?)?'
const times: readonly Phrase[] = [
  [
    `(${every} )?(?:in the |at )?(${Object.keys(TIMES).join('|')})s?\\b${atClock}`,
    (repeats, part, hour, minute, half) => {
      const time = timeIn(TIMES[part]!, hour, minute, half)
      return time && { ...time, ...(repeats && { freq: 'DAILY' }) }
    },
  ],
  ['(?:at )?midnight\\b', () => ({ time: 0 })],
  ['(?:at )?(\\d{1,2})(?::(\\d\\d))? ?([ap])\\.?m\\b\\.?', timePart],
  ['(?:at )?(\\d{1,2}):(\\d\\d)\\b', (hour, minute) => timePart(hour, minute)],
  ['at (\\d{1,2})\\b(?!:)', hour => timePart(hour)],
]

const phrases: readonly Phrase[] = [
  [`(?:except|but not)(?: for)?(?: on)? ${list(`${day}|weekends?|weekdays?`)}`, text => ({ except: daysOf(text) })],
  [`(?:at |on )?(?:the )?end of (?:the|${every}) month\\b`, () => monthly({ monthDays: [-1] })],
  [`(?:at |on )?(?:the )?(?:${every} )?month end\\b`, () => monthly({ monthDays: [-1] })],
  [`once an? ${unit}\\b`, name => repeat(name)],
  [`(?:${every} )?(?:the )?${list(ordinal)} ${workday}${ofMonth}`, onWorkdays],
  [`(?:${every} )?(?:the )?${list(ordinal)} (${day})${ofMonth}`, onNthDays],
  [
    `(?:${every} )?(?:the )?${list(ordinal)} (${day}) (?:of|in) (?:${every} )?(${month})`,
    (numbers, name, of) => ({ freq: 'YEARLY', months: [monthOf(of)], days: nthDays(numbers, name) }),
  ],
  [`(?:${every} )?(?:the )?${list(ordinal)}(?: days?)?${ofMonth}`, onDates],
  [`${every} ${unit}s?\\b`, name => repeat(name)],
  [`${every} (other|${ordinal}|${number}) ${unit}s?\\b`, (count, name) => repeat(name, intervalOf(count))],
  ['(hour|week|month|quarter|year)ly\\b', name => repeat(name)],
  ['daily\\b', () => repeat('day')],
  ['(?:biweekly|fortnightly)\\b', () => repeat('week', 2)],
  ['annually\\b', () => repeat('year')],
  [`${every} last ${list(day)}`, days => monthly({ days: codesOf(days).map(code => `-1${code}`) })],
  [
    `${every} (other|${ordinal}) ${list(day)}`,
    (count, days) => ({ ...weekly(codesOf(days)), interval: intervalOf(count) }),
  ],
  [`(?:${every} |on )?${workday}`, () => weekly(WORKDAYS)],
  [`(?:${every} |on )?weekends?\\b`, () => weekly(WEEKEND)],
  [`(?:on )?(?:the )?${list(ordinal)} ${workday}`, onWorkdays],
  [`(?:on )?(?:the )?${list(ordinal)} (${day})`, onNthDays],
  [`(?:${every} |on )?${list(day)}`, days => weekly(codesOf(days))],
  [`(?:on |${every} )?(${month}) (\\d{1,2})(?:st|nd|rd|th)?\\b`, (name, date) => yearly(monthOf(name), date)],
  [
    `(?:on |${every} )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)? (?:of )?(${month})`,
    (date, name) => yearly(monthOf(name), date),
  ],
  [
    `(?:on |${every} )?(\\d{1,2})/(\\d{1,2})\\b`,
    (one, two) => (Number(one) > 12 ? yearly(two, one) : yearly(one, two)),
  ],
  [`(?:on )?(?:the )?${list(ordinal)}(?: days?\\b)?`, onDates],
  [`${every} (?:the )?${list('\\d{1,2}(?:st|nd|rd|th)\\b')}`, onDates],
  ...times,
  [`(?:for )?(${number}) times\\b`, count => ({ count: numberOf(count) })],
]

export const english = vocabulary(phrases, /(?:\s|,|on\b|and\b|of\b)+/y)

const date = '(\\d{1,2})(?:st|nd|rd|th)?'
const dayFirst: ReadDay = (today, d, m, y) => readDate(today, y, m, d)
/** The month is first, as in the United States and Japan, unless it cannot be one. */
const inDigits: ReadDay = (today, one, two, y) =>
  Number(one) > 12 ? dayFirst(today, one, two, y) : dayFirst(today, two, one, y)
const ofMonthNamed: ReadDay = (today, d, name, y) => dayFirst(today, d, String(monthOf(name)), y)
const inSome = `in (\\d{1,3}|an?|one|${NUMBERS.join('|')})`

const dates = dayPhrases([
  ['(?:on )?(\\d{4})-(\\d\\d)-(\\d\\d)', readDate],
  ['(?:on )?(\\d{1,2})/(\\d{1,2})(?:/(\\d{4}))?', inDigits],
  ['(?:on )?(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})', dayFirst],
  ['today|tonight(?! at)|to(?=night at)|this (?=afternoon|evening)|eod|(?:the )?end of (?:the )?day', today => today],
  ['tomorrow(?: eod)?', today => today + 1],
  ['(?:the )?day after tomorrow', today => today + 2],
  [`${inSome} (day|week)s?`, (today, count, unit) => today + numberOf(count) * (unit === 'day' ? 1 : 7)],
  [`${inSome} months?`, (today, count) => monthsLater(today, numberOf(count))],
  ['this weekend', today => Math.max(today, weekdayIn(today, 6, 0))],
  ['next week', today => today + 7],
  ['next month', today => monthsLater(today, 1)],
  ['(?:at )?(?:the )?end of (?:the |this |(next ))?month', (today, next) => monthEnd(today, next ? 1 : 0)],
  ['(?:at )?(?:the )?end of (?:the |this )?year', yearEnd],
  [`next (${DAYS})`, (today, name) => weekdayIn(today, weekdayOf(name), 1)],
  [`(?:on )?(${DAYS}) week`, (today, name) => weekdayAfter(today, weekdayOf(name)) + 7],
  [`(?:on |this )?(${DAYS})(?: eod)?`, (today, name) => weekdayAfter(today, weekdayOf(name))],
  [`(?:on )?(?:the )?${date} (?:of )?(${MONTHS})(?: (\\d{4}))?`, ofMonthNamed],
  [`(?:on )?(${MONTHS}) (?:the )?${date}(?:,? (\\d{4}))?`, (today, name, d, y) => ofMonthNamed(today, d, name, y)],
  ['(?:on )?the (\\d{1,2})(?:st|nd|rd|th)', (today, d) => nextDate(today, Number(d))],
])
const clock = '(\\d\\d?)(?::(\\d\\d))?(?: ?([ap])m)?'
const durationsAndRanges: readonly Phrase[] = [
  [`${inSome} (hour|minute|min)s?`, (count, unit) => ({ later: numberOf(count) * (unit === 'hour' ? 60 : 1) })],
  ['in half an hour', () => ({ later: 30 })],
  [
    `((?:from )?${clock} ?(?:-|–|to) ?\\d\\d?(?::\\d\\d)?(?: ?([ap])m)?)(?<=.*[:m].*)`,
    (range, hour, minute, half, halfOfEnd) => rangePart(range, timePart(hour, minute, half ?? halfOfEnd)),
  ],
]
export const englishDates = vocabulary([...durationsAndRanges, ...dates, ...times], /(?: |(?:due|by|until) )+/y)
