import { WEEKDAYS } from '../calendar.ts'
import type { Frequency } from '../rule.ts'
import { monthly, timeIn, timePart, untilPart, WEEKEND, WORKDAYS } from './vocabulary.ts'
import type { Part, Phrase, Vocabulary } from './vocabulary.ts'

export const DAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
export const MONTH_NAMES =
  'january february march april may june july august september october november december'.split(' ')
/** The names of months as alternatives of a pattern. */
export const MONTHS = [...MONTH_NAMES.flatMap(name => [name, name.slice(0, 3)]), 'sept'].join('|')
export const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']
export const NUMBERS = 'two three four five six seven eight nine ten eleven twelve'.split(' ')
const UNITS: Readonly<Record<string, Frequency>> = {
  hour: 'HOURLY',
  day: 'DAILY',
  week: 'WEEKLY',
  month: 'MONTHLY',
  quarter: 'MONTHLY',
  year: 'YEARLY',
}
const NAMED: Readonly<Record<string, readonly [Frequency, number]>> = {
  hourly: ['HOURLY', 1],
  daily: ['DAILY', 1],
  weekly: ['WEEKLY', 1],
  biweekly: ['WEEKLY', 2],
  fortnightly: ['WEEKLY', 2],
  monthly: ['MONTHLY', 1],
  quarterly: ['MONTHLY', 3],
  yearly: ['YEARLY', 1],
  annually: ['YEARLY', 1],
}

/** The hours that are meant when only a part of the day is named. */
export const TIMES: Readonly<Record<string, number>> = { noon: 12, morning: 9, afternoon: 13, evening: 19, night: 21 }

const day =
  '(?:sun|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?\\b'
const month = `(?:${MONTHS})\\b`
const and = '(?:\\s*(?:,|and|&|,\\s*and)\\s*)'
const ordinal = `(?:${ORDINALS.join('|')}|last|\\d{1,2}(?:st|nd|rd|th))\\b`
const number = `(?:\\d{1,3}|${NUMBERS.join('|')})\\b`
const every = '(?:every|each)'
const ofMonth = `(?:\\s+(?:of|in)\\s+(?:the|${every})\\s+month)`
const workday = '(?:working\\s*days?|business\\s*days?|workdays?|weekdays?)\\b'
const list = (word: string): string => `((?:${word})(?:${and}(?:the\\s+)?(?:${word}))*)`
const pattern = (text: string): RegExp => new RegExp(text, 'y')

const wordsIn = (text: string): string[] => text.split(new RegExp(and)).map(each => each.replace(/^the\s+/, '').trim())
const codeOf = (name: string): string => WEEKDAYS[DAY_NAMES.findIndex(full => full.startsWith(name.slice(0, 3)))]!
const codesOf = (text: string): string[] => wordsIn(text).map(codeOf)
const monthOf = (name: string): number => MONTH_NAMES.findIndex(full => full.startsWith(name.slice(0, 3))) + 1
/** Returns the number of digits or of a word; 1 for other words, such as `a`. */
export const numberOf = (text: string): number =>
  /^\d/.test(text) ? Number.parseInt(text, 10) : NUMBERS.indexOf(text) + 2
function ordinalOf(text: string): number {
  if (text === 'last') return -1
  return /^\d/.test(text) ? Number.parseInt(text, 10) : ORDINALS.indexOf(text) + 1
}
const intervalOf = (text: string): number =>
  text === 'other' ? 2 : new RegExp(`^${ordinal}$`).test(text) ? ordinalOf(text) : numberOf(text)

const nthDays = (numbers: string, name: string): string[] =>
  wordsIn(numbers).map(text => ordinalOf(text) + codeOf(name))
const onDates = (numbers: string): Part => monthly({ monthDays: wordsIn(numbers).map(ordinalOf) })
const onWorkdays = (numbers: string): Part => monthly({ days: WORKDAYS, positions: wordsIn(numbers).map(ordinalOf) })

const phrases: readonly Phrase[] = [
  [pattern(`(?:${every}\\s+)?(?:the\\s+)?${list(ordinal)}\\s+${workday}${ofMonth}`), onWorkdays],
  [
    pattern(`(?:${every}\\s+)?(?:the\\s+)?${list(ordinal)}\\s+(${day})${ofMonth}`),
    (numbers, name) => monthly({ days: nthDays(numbers, name) }),
  ],
  [
    pattern(`(?:${every}\\s+)?(?:the\\s+)?${list(ordinal)}\\s+(${day})\\s+(?:of|in)\\s+(?:${every}\\s+)?(${month})`),
    (numbers, name, of) => ({ freq: 'YEARLY', months: [monthOf(of)], days: nthDays(numbers, name) }),
  ],
  [pattern(`(?:${every}\\s+)?(?:the\\s+)?${list(ordinal)}(?:\\s+days?)?${ofMonth}`), onDates],
  [
    pattern(`${every}\\s+(?:(other|${ordinal}|${number})\\s+)?(${Object.keys(UNITS).join('|')})s?\\b`),
    (count, unit) => ({
      freq: UNITS[unit]!,
      interval: (count ? intervalOf(count) : 1) * (unit === 'quarter' ? 3 : 1),
    }),
  ],
  [pattern(`(${Object.keys(NAMED).join('|')})\\b`), name => ({ freq: NAMED[name]![0], interval: NAMED[name]![1] })],
  [
    pattern(`${every}\\s+(other|${ordinal})\\s+${list(day)}`),
    (count, days) => (count === 'last' ? null : { freq: 'WEEKLY', interval: intervalOf(count), days: codesOf(days) }),
  ],
  [pattern(`(?:${every}\\s+|on\\s+)?${workday}`), () => ({ freq: 'WEEKLY', days: WORKDAYS })],
  [pattern(`(?:${every}\\s+|on\\s+)?weekends?\\b`), () => ({ freq: 'WEEKLY', days: WEEKEND })],
  [pattern(`(?:on\\s+)?(?:the\\s+)?${list(ordinal)}\\s+${workday}`), onWorkdays],
  [
    pattern(`(?:on\\s+)?(?:the\\s+)?${list(ordinal)}\\s+(${day})`),
    (numbers, name) => monthly({ days: nthDays(numbers, name) }),
  ],
  [pattern(`(?:${every}\\s+|on\\s+)?${list(day)}`), days => ({ freq: 'WEEKLY', days: codesOf(days) })],
  [
    pattern(`(?:on\\s+|${every}\\s+)?(${month})\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b`),
    (name, date) => ({ freq: 'YEARLY', months: [monthOf(name)], monthDays: [Number(date)] }),
  ],
  [
    pattern(`(?:on\\s+|${every}\\s+)?(?:the\\s+)?(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(${month})`),
    (date, name) => ({ freq: 'YEARLY', months: [monthOf(name)], monthDays: [Number(date)] }),
  ],
  [pattern(`(?:on\\s+)?(?:the\\s+)?${list(ordinal)}(?:\\s+days?\\b)?`), onDates],
  [pattern(`${every}\\s+(?:the\\s+)?${list('\\d{1,2}(?:st|nd|rd|th)\\b')}`), onDates],
  [
    pattern(
      `(${every}\\s+)?(?:in\\s+the\\s+|at\\s+)?(${Object.keys(TIMES).join('|')})s?\\b(?:\\s+at\\s+(\\d{1,2})(?::(\\d\\d))?(?:\\s*([ap])\\.?m\\b\\.?)?)?`,
    ),
    (repeats, part, hour, minute, half) => {
      const time = timeIn(TIMES[part]!, hour, minute, half)
      return time && { ...time, ...(repeats && { freq: 'DAILY' }) }
    },
  ],
  [pattern('(?:at\\s+)?midnight\\b'), () => ({ time: 0 })],
  [pattern('(?:at\\s+)?(\\d{1,2})(?::(\\d\\d))?\\s*([ap])\\.?m\\b\\.?'), timePart],
  [pattern('(?:at\\s+)?(\\d{1,2}):(\\d\\d)\\b'), (hour, minute) => timePart(hour, minute)],
  [pattern('at\\s+(\\d{1,2})\\b(?!:)'), hour => timePart(hour)],
  [pattern('until\\s+(\\d{4}-\\d\\d-\\d\\d)\\b'), untilPart],
  [pattern(`(?:for\\s+)?(${number})\\s+times\\b`), count => ({ count: numberOf(count) })],
]

export const english: Vocabulary = { phrases, fillers: /(?:\s|,|on\b|and\b|of\b)+/y }
