import { WEEKDAYS } from '../calendar.ts'
import type { Frequency } from '../rule.ts'
import { monthly, timeIn, timePart, untilPart, WEEKEND, WORKDAYS, type Phrase, type Vocabulary } from './vocabulary.ts'

export const DAY_SIGNS = '日月火水木金土'
const UNITS: Readonly<Record<string, Frequency>> = {
  時: 'HOURLY',
  日: 'DAILY',
  週: 'WEEKLY',
  月: 'MONTHLY',
  年: 'YEARLY',
}

/** The hours that are meant when only a part of the day is named. */
export const TIMES_OF_DAY: Readonly<Record<string, number>> = {
  正午: 12,
  朝: 9,
  昼: 12,
  午後: 13,
  夕: 18,
  夕方: 18,
  晩: 21,
  夜: 21,
}

/** `月曜日`, `月・水・金曜`, `月曜と木曜`. */
const days = `([${DAY_SIGNS}](?:曜日?)?(?:(?:・|、|,|と|及び)?[${DAY_SIGNS}](?:曜日?)?)*(?<=曜日?|[・、と][${DAY_SIGNS}]))`
/** `第2・第4`, `最終`. */
const ordinals = '((?:第[1-5]|最終|最後の|最初の)(?:(?:・|、|,|と)(?:第?[1-5]|最終|最後の))*)'
const pattern = (text: string): RegExp => new RegExp(text, 'y')

const codesOf = (text: string): string[] =>
  Array.from(
    text.replaceAll(/曜日?/g, '').matchAll(new RegExp(`[${DAY_SIGNS}]`, 'g')),
    ([sign]) => WEEKDAYS[DAY_SIGNS.indexOf(sign)]!,
  )
const ordinalsOf = (text: string): number[] =>
  Array.from(text.matchAll(/[1-5]|最終|最後|最初/g), ([word]) =>
    /\d/.test(word) ? Number(word) : word === '最初' ? 1 : -1,
  )

const nthDays = (numbers: string, sign: string): string[] => ordinalsOf(numbers).map(n => n + codesOf(sign)[0]!)

const phrases: readonly Phrase[] = [
  [
    pattern('(\\d{1,3})\\s*(時間|日|週間?|か月|ヶ月|カ月|ヵ月|ケ月|年)(?:ごと|毎|に1回|に一回)(?:に|の)?'),
    (count, unit) => ({ freq: UNITS[unit.at(-1) === '月' ? '月' : unit[0]!]!, interval: Number(count) }),
  ],
  [
    pattern('(?:1|一)\\s*(日|週間?|か月|ヶ月|年)おき(?:に|の)?'),
    unit => ({ freq: UNITS[unit.at(-1) === '月' ? '月' : unit[0]!]!, interval: 2 }),
  ],
  [pattern('(四半期|半年)(?:ごと|毎|に1回|に一回)(?:に|の)?'), unit => monthly({ interval: unit === '半年' ? 6 : 3 })],
  [
    pattern('毎(朝|昼|夕方?|晩|夜)の?\\s*(?:(\\d{1,2})(?:時|:(?=\\d\\d))(?:(半)|(\\d{1,2})分?)?)?'),
    (part, hour, thirty, minute) => {
      const time = timeIn(TIMES_OF_DAY[part]!, hour, thirty ? '30' : minute)
      return time && { freq: 'DAILY', ...time }
    },
  ],
  [
    pattern(`毎年の?(\\d{1,2})月の?${ordinals}([${DAY_SIGNS}])曜日?`),
    (month, text, sign) => ({ freq: 'YEARLY', months: [Number(month)], days: nthDays(text, sign) }),
  ],
  [pattern('(?:毎月の?|毎)?月初め?'), () => monthly({ monthDays: [1] })],
  [pattern('(?:毎月|月の)?末日?(?=$|[\\s\\d、午正にの])|(?:毎)?月末'), () => monthly({ monthDays: [-1] })],
  [pattern(`(?:毎月)?(?:の)?${ordinals}営業日`), text => monthly({ days: WORKDAYS, positions: ordinalsOf(text) })],
  [pattern(`(?:毎月)?(?:の)?${ordinals}([${DAY_SIGNS}])曜日?`), (text, sign) => monthly({ days: nthDays(text, sign) })],
  [
    pattern('(?:毎月)?(?:の)?(\\d{1,2}日(?:(?:と|、|,|・)(?:\\d{1,2}日|月?末日?))*)(?!ごと|毎|おき|間)'),
    text => monthly({ monthDays: Array.from(text.matchAll(/\d+|末/g), ([day]) => (day === '末' ? -1 : Number(day))) }),
  ],
  [
    pattern('毎年(?:の)?(\\d{1,2})月(\\d{1,2})日'),
    (month, date) => ({ freq: 'YEARLY', months: [Number(month)], monthDays: [Number(date)] }),
  ],
  [pattern('(?:毎週?)?平日(?:毎日)?'), () => ({ freq: 'WEEKLY', days: WORKDAYS })],
  [pattern('(?:毎週)?(?:週末|土日)(?!曜)'), () => ({ freq: 'WEEKLY', days: WEEKEND })],
  [pattern(`毎週([${DAY_SIGNS}]{2,7})(?=$|[\\s\\dのに])`), text => ({ freq: 'WEEKLY', days: codesOf(text) })],
  [pattern(`(?:毎(?!週))${days}`), text => ({ freq: 'WEEKLY', days: codesOf(text) })],
  [
    pattern('([毎隔])(時間?|日|週|月|年)'),
    (sign, unit) => ({ freq: UNITS[unit[0]!]!, interval: sign === '隔' ? 2 : 1 }),
  ],
  [pattern(days), text => ({ freq: 'WEEKLY', days: codesOf(text) })],
  [
    pattern('(午前|午後|朝|夜(?=[5-9]時|1[01]))?\\s*(\\d{1,2})時(?:(半)|(\\d{1,2})分)?'),
    (half, hour, thirty, minute) => timePart(hour, thirty ? '30' : minute, half),
  ],
  [pattern('(午前|午後)?\\s*(\\d{1,2}):(\\d\\d)'), (half, hour, minute) => timePart(hour, minute, half)],
  [pattern('正午'), () => ({ time: 720 })],
  [pattern('(\\d{4}-\\d\\d-\\d\\d)まで'), untilPart],
  [pattern('(\\d{1,3})回'), count => ({ count: Number(count) })],
]

export const japanese: Vocabulary = { phrases, fillers: /(?:\s|、|に|の|は|から)+/y }
