import { WEEKDAYS } from '../calendar.ts'
import { dayPhrases, monthEnd, monthsLater, nextDate, readDate, weekdayAfter, weekdayIn, yearEnd } from './days.ts'
import { monthly, rangePart, timeIn, timePart, vocabulary, WEEKEND, weekly, WORKDAYS, yearly } from './vocabulary.ts'
import type { Part, Phrase } from './vocabulary.ts'

export const DAY_SIGNS = '日月火水木金土'
const UNITS = { 時: 'HOURLY', 日: 'DAILY', 週: 'WEEKLY', 月: 'MONTHLY', 年: 'YEARLY' } as const
/** The hours that are meant when only a part of the day is named. */
const HOURS = { 正午: 12, 朝: 9, 昼: 12, 午後: 13, 夕: 18, 夕方: 18, 晩: 21, 夜: 21 } as const
const hourOf = (part: string): number => HOURS[part as keyof typeof HOURS]

/** `月曜日`, `月・水・金曜`, `月曜と木曜`. */
const days = `([${DAY_SIGNS}](?:曜日?)?(?:(?:・|、|,|と|及び)?[${DAY_SIGNS}](?:曜日?)?)*(?<=曜日?|[・、と][${DAY_SIGNS}]))`
const unit = '(時間|日|週間?|か月|ヶ月|カ月|ヵ月|ケ月|年)'
/** `第2・第4`, `最終`. */
const ordinals = '((?:第[1-5一二三四五]|最終|最後の|最初の)(?:(?:・|、|,|と)(?:第?[1-5一二三四五]|最終|最後の))*)'

const codesOf = (text: string): string[] =>
  Array.from(text.replaceAll(/曜日?|[^曜日月火水木金土]/g, ''), sign => WEEKDAYS[DAY_SIGNS.indexOf(sign)]!)
const ordinalsOf = (text: string): number[] =>
  Array.from(text.matchAll(/[1-5一二三四五]|最終|最後|最初/g), ([word]) =>
    /\d/.test(word) ? Number(word) : word === '最初' ? 1 : '一二三四五'.indexOf(word) + 1 || -1,
  )

const nthDays = (numbers: string, sign: string): string[] => ordinalsOf(numbers).map(n => n + codesOf(sign)[0]!)

/** Repeats every `interval` units. */
const repeat = (unit: string, interval = 1): Part => {
  return { freq: UNITS[unit.replace(/^.(?=月)/, '')[0] as keyof typeof UNITS], interval }
}

/** The days from one weekday to another. */
const daysBetween = (from: string, to: string): string[] => {
  const [first, last] = [DAY_SIGNS.indexOf(from), DAY_SIGNS.indexOf(to)]
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, n) => WEEKDAYS[(first + n) % 7]!)
}

const times: readonly Phrase[] = [
  [
    '(?:(午前|午後|朝|[夜晩](?=[5-9]時|1[01])|夕方?(?=[3-7]時)) ?)?(\\d{1,2})時(?:(半)|(\\d{1,2})分)?',
    (half, hour, thirty, minute) => timePart(hour, thirty ? '30' : minute, half),
  ],
  ['(?:(午前|午後) ?)?(\\d{1,2}):(\\d\\d)', (half, hour, minute) => timePart(hour, minute, half)],
  ['(正午|朝|昼|午後|夕方|晩|夜)', part => ({ time: hourOf(part) * 60 })],
]

const phrases: readonly Phrase[] = [
  ['(?:土日|週末)以外の?', () => ({ except: WEEKEND })],
  [`${days}以外の?`, text => ({ except: codesOf(text) })],
  [
    `(?:毎週の?)?([${DAY_SIGNS}])(?:曜日?)?(?:から|[〜~])([${DAY_SIGNS}])(?:曜日?)?`,
    (from, to) => weekly(daysBetween(from, to)),
  ],
  ['毎?([日週月年])に?[1一][回度]', unit => repeat(unit)],
  [`(\\d{1,3})\\s*${unit}(?:ごと|毎|に1回|に一回)(?:に|の)?`, (count, unit) => repeat(unit, Number(count))],
  [
    '(\\d{1,3})\\s*(日)おき(?:に|の)?|[1一]\\s*(日|週間?|か月|ヶ月|年)おき(?:に|の)?',
    (days = '1', day, unit) => repeat(day ?? unit, Number(days) + 1),
  ],
  ['(四半期|半年)(?:ごと|毎|に1回|に一回)(?:に|の)?', unit => monthly({ interval: unit === '半年' ? 6 : 3 })],
  [
    '毎(朝|昼|夕方?|晩|夜)の?\\s*(?:(\\d{1,2})(?:時|:(?=\\d\\d))(?:(半)|(\\d{1,2})分?)?)?',
    (part, hour, thirty, minute) => {
      const time = timeIn(hourOf(part), hour, thirty ? '30' : minute)
      return time && { freq: 'DAILY', ...time }
    },
  ],
  [
    `毎年の?(\\d{1,2})月の?${ordinals}([${DAY_SIGNS}])曜日?`,
    (month, text, sign) => ({ freq: 'YEARLY', months: [Number(month)], days: nthDays(text, sign) }),
  ],
  ['(?:毎月の?|毎)?月初め?', () => monthly({ monthDays: [1] })],
  ['(?:毎月|月の)?末日?(?=$|[\\s\\d、午正にの])|(?:毎)?月末', () => monthly({ monthDays: [-1] })],
  [`(?:毎月)?(?:の)?${ordinals}営業日`, text => monthly({ days: WORKDAYS, positions: ordinalsOf(text) })],
  [`(?:毎月)?(?:の)?${ordinals}([${DAY_SIGNS}])曜日?`, (text, sign) => monthly({ days: nthDays(text, sign) })],
  [
    '(?:毎月)?(?:の)?(\\d{1,2}日(?:(?:と|、|,|・)(?:\\d{1,2}日|月?末日?))*)(?!ごと|毎|おき|間)',
    text => monthly({ monthDays: Array.from(text.matchAll(/\d+|末/g), ([day]) => (day === '末' ? -1 : Number(day))) }),
  ],
  ['毎年の?(\\d{1,2})月(\\d{1,2})日', yearly],
  ['(?:毎週?)?平日(?:毎日)?|毎営業日', () => weekly(WORKDAYS)],
  ['(?:毎週)?(?:週末|土日)(?!曜)', () => weekly(WEEKEND)],
  [`毎週 ?([${DAY_SIGNS}]{1,7})(?=$|[\\s\\dのに])`, text => weekly(codesOf(text))],
  [`(?:毎(?!週))${days}`, text => weekly(codesOf(text))],
  ['([毎隔])(時間?|日|週|月|年)', (sign, unit) => repeat(unit, sign === '隔' ? 2 : 1)],
  [days, text => weekly(codesOf(text))],
  ...times,
  ['(\\d{1,3})回', count => ({ count: Number(count) })],
]

export const japanese = vocabulary(phrases, /(?:[\s、()]|に|の|は|から)+/y)

const sign = `([${DAY_SIGNS}])曜日?`
const WEEKS = ['今週', '来週', '再来週']
const dates = dayPhrases([
  ['(\\d{4})-(\\d\\d)-(\\d\\d)', readDate],
  ['(?:(\\d{4})[年/])?(\\d{1,2})[月/](\\d{1,2})日?', readDate],
  ['(?:今日|本日)中?|今[夜晩](?!\\d)|今(?=[夜晩]\\d)', today => today],
  ['明日|あした', today => today + 1],
  ['明後日|あさって', today => today + 2],
  ['(\\d{1,3})(日|週間)後', (today, count, unit) => today + Number(count) * (unit === '日' ? 1 : 7)],
  ['(\\d{1,2})(?:か月|ヶ月|カ月)後', (today, count) => monthsLater(today, Number(count))],
  [
    `(${WEEKS.join('|')})の?${sign}`,
    (today, week, day) => weekdayIn(today, DAY_SIGNS.indexOf(day), WEEKS.indexOf(week)),
  ],
  [`(?:次の)?${sign}`, (today, day) => weekdayAfter(today, DAY_SIGNS.indexOf(day))],
  ['(再)?来週', (today, again) => today + (again ? 14 : 7)],
  ['来月の?(\\d{1,2})日', (today, d) => nextDate(monthEnd(today) + 1, Number(d), 1)],
  ['(来|今)?月末', (today, month) => monthEnd(today, month === '来' ? 1 : 0)],
  ['来月', today => monthsLater(today, 1)],
  ['年末', yearEnd],
]).map(([words, read]): Phrase => [`(?:${words})(?:\\([${DAY_SIGNS}]\\))?`, read])
const clock = '(午前|午後)?(\\d{1,2})(?:[時:](\\d\\d?)分?|時(半)?)'
const durationsAndRanges: readonly Phrase[] = [
  ['(\\d{1,3})時間(半)?後', (hours, half) => ({ later: Number(hours) * 60 + (half ? 30 : 0) })],
  ['(\\d{1,3})分後', minutes => ({ later: Number(minutes) })],
  [
    `(${clock}(?:[〜~–-]|から)${clock}(?:まで)?)`,
    (range, half, hour, minute, thirty) => rangePart(range, timePart(hour, thirty ? '30' : minute, half)),
  ],
]
export const japaneseDates = vocabulary([...durationsAndRanges, ...dates, ...times], /(?:[ 、]|までに|まで|に|の|は)+/y)
