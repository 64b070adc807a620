import { dateOf, DAY_MS, MINUTE_MS, normalizeText } from 'tasuki/plugin'
import { dayNumber, dayOf, calendarDay, monthLength, weekdayOf } from '../calendar.ts'
import { timeOf } from '../zone.ts'
import { DAY_NAMES, MONTH_NAMES, MONTHS, numberOf, NUMBERS, TIMES } from './english.ts'
import { DAY_SIGNS, TIMES_OF_DAY } from './japanese.ts'
import { minutesOf } from './vocabulary.ts'

/** Only this many characters at each end of a text are examined. */
const MAX_EXAMINED = 120

/** A text without its date, and the date. */
export interface DatedText {
  readonly text: string
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** `HH:MM`. */
  readonly time: string | null
}

/** @param today its day number @returns null for an invalid day */
type ReadDay = (today: number, ...groups: string[]) => number | null

const month = `(${MONTHS})`
const count = `(\\d{1,3}|an?|one|${NUMBERS.join('|')})`
const day = '(sun|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sunday|monday|tuesday|wednesday|thursday|friday|saturday)'
const weekdayNamed = (name: string): number => DAY_NAMES.findIndex(full => full.startsWith(name.slice(0, 3)))
const monthNamed = (name: string): string =>
  String(MONTH_NAMES.findIndex(full => full.startsWith(name.slice(0, 3))) + 1)

/** Returns the next day after today with a weekday. */
const nextWeekday = (today: number, weekday: number): number => today + (((weekday - weekdayOf(today) + 6) % 7) + 1)
/** Returns a weekday of the week `weeks` from now; weeks start on Monday. */
const ofWeek = (today: number, weekday: number, weeks: number): number =>
  today - ((weekdayOf(today) + 6) % 7) + ((weekday + 6) % 7) + 7 * weeks
function monthsLater(today: number, months: number): number {
  const { year, month: from, date } = calendarDay(today)
  const first = calendarDay(dayNumber(year, from + months, 1))
  return dayNumber(first.year, first.month, Math.min(date, monthLength(first.year, first.month)))
}
function monthEnd(today: number, months = 0): number {
  const { year, month: from } = calendarDay(today)
  return dayNumber(year, from + months + 1, 1) - 1
}
const dayOfNextMonth = (today: number, date: number): number | null =>
  date > 0 && monthEnd(today) + date <= monthEnd(today, 1) ? monthEnd(today) + date : null
/** Returns the day in this year, or in the next one if it has passed. */
function dateIn(today: number, inMonth: number, date: number, inYear?: number): number | null {
  const year = inYear ?? calendarDay(today).year
  if (inMonth < 1 || inMonth > 12 || date < 1 || date > monthLength(year, inMonth)) return null
  const found = dayNumber(year, inMonth, date)
  return found < today && inYear === undefined ? dateIn(today, inMonth, date, year + 1) : found
}

const yearFirst: ReadDay = (today, y, m, d) => dateIn(today, Number(m), Number(d), y ? Number(y) : undefined)
const monthFirst: ReadDay = (today, name, d, y) => yearFirst(today, y, monthNamed(name), d)

const ENGLISH: readonly (readonly [pattern: string, read: ReadDay])[] = [
  ['(\\d{4})-(\\d\\d)-(\\d\\d)', yearFirst],
  ['(?:the )?day after tomorrow', today => today + 2],
  ['tomorrow', today => today + 1],
  ['to(?:day|night)', today => today],
  [`in ${count} days?`, (today, number) => today + numberOf(number)],
  [`in ${count} weeks?`, (today, number) => today + 7 * numberOf(number)],
  [`in ${count} months?`, (today, number) => monthsLater(today, numberOf(number))],
  ['this weekend', today => Math.max(today, ofWeek(today, 6, 0))],
  ['next week', today => today + 7],
  ['next month', today => monthsLater(today, 1)],
  ['(?:at )?(?:the )?end of (?:the |this )?month', today => monthEnd(today)],
  [`next ${day}`, (today, name) => ofWeek(today, weekdayNamed(name), 1)],
  [`(?:this )?${day}`, (today, name) => nextWeekday(today, weekdayNamed(name))],
  [`${month} (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?`, monthFirst],
  [`(\\d{1,2})(?:st|nd|rd|th)? ${month}(?: (\\d{4}))?`, (today, d, name, y) => monthFirst(today, name, d, y)],
]
/** Number of groups of `timeOr`. */
const TIME_GROUPS = 6
const timeOr = (parts: string): string => `(?:at )?(?:(\\d{1,2})(?::(\\d\\d))? ?([ap])m|(\\d{1,2}):(\\d\\d)|(${parts}))`
const PREPOSITION = '(?:(?:by|on|due|until) )?'
/** A day may follow its time: `at 3pm tomorrow`. The second time of a range is not the due time. */
const BEFORE_DAY = `(?:^|\\s)${PREPOSITION}(?:(?<!(?:to|and|or|than|[-–]) )${timeOr('noon')} )?${PREPOSITION}`
const AFTER_DAY = `(?: (?:(?:morning|afternoon|evening|night) )?${timeOr(Object.keys(TIMES).join('|'))})?[.!]?$`

const sign = `([${DAY_SIGNS}])曜日?`
const weekdayBySign = (name: string): number => DAY_SIGNS.indexOf(name)
const JAPANESE: readonly (readonly [pattern: string, read: ReadDay])[] = [
  ['(\\d{4})-(\\d\\d)-(\\d\\d)', yearFirst],
  ['(?:(\\d{4})年)?(\\d{1,2})月(\\d{1,2})日', yearFirst],
  ['明後日|あさって', today => today + 2],
  ['明日|あした', today => today + 1],
  ['(?:今日|本日)中?|今晩|今夜', today => today],
  ['(\\d{1,3})日後', (today, count) => today + Number(count)],
  ['(\\d{1,2})週間後', (today, count) => today + 7 * Number(count)],
  ['(\\d{1,2})(?:か月|ヶ月|カ月)後', (today, count) => monthsLater(today, Number(count))],
  [`再来週の?${sign}`, (today, name) => ofWeek(today, weekdayBySign(name), 2)],
  [`来週の?${sign}`, (today, name) => ofWeek(today, weekdayBySign(name), 1)],
  [`今週の?${sign}`, (today, name) => ofWeek(today, weekdayBySign(name), 0)],
  [`(?:次の)?${sign}`, (today, name) => nextWeekday(today, weekdayBySign(name))],
  ['来週', today => today + 7],
  ['来月末', today => monthEnd(today, 1)],
  ['来月の?(\\d{1,2})日', (today, d) => dayOfNextMonth(today, Number(d))],
  ['来月', today => monthsLater(today, 1)],
  ['(?:今)?月末', today => monthEnd(today)],
]
const JAPANESE_TIME =
  '(?:の?\\s*(?:(午前|午後|朝|夜(?=[5-9]時|1[01]))?(\\d{1,2})時(?:(半)|(\\d{1,2})分)?|(\\d{1,2}):(\\d\\d)|(正午|朝|昼|午後|夕方|晩|夜)))?'

/**
 * Finds a due date in words at the end of a text, for Japanese also at the beginning.
 * @param now wall-clock time of the user, as if it were UTC
 * @returns null for none
 */
export function readDateWords(text: string, now: number): DatedText | null {
  const plain = normalizeText(text).trim().replaceAll(/\s+/g, ' ')
  const today = dayOf(now)
  const tail = plain.slice(-MAX_EXAMINED)
  for (const [pattern, read] of ENGLISH) {
    const match = new RegExp(`${BEFORE_DAY}${pattern}${AFTER_DAY}`, 'i').exec(tail)
    const after = match && englishTime(match.slice(-TIME_GROUPS))
    const found = after === null ? match && englishTime(match.slice(1, 1 + TIME_GROUPS)) : after
    const groups = match?.slice(1 + TIME_GROUPS, -TIME_GROUPS).map(each => each?.toLowerCase())
    const date = groups && found !== undefined ? read(today, ...groups) : null
    const rest = plain.slice(0, plain.length - (match?.[0].length ?? 0))
    // Of several weekdays, the last one alone is not the date; a last Friday is past, and the sun and Black Friday are no days.
    if (date !== null && !/ (?:and|or|last|since|the|black)$/i.test(rest)) return withoutDate(rest, date, found!)
  }
  const head = plain.slice(0, MAX_EXAMINED)
  for (const [pattern, read] of JAPANESE) {
    const words = `(?:${pattern})${JAPANESE_TIME}(?:までに|まで|に|は|、)?`
    for (const [match, atStart] of [
      [new RegExp(`(?:^|\\s)${words}$`).exec(tail), false],
      [new RegExp(`^(?:${pattern})${JAPANESE_TIME}(?:までに|まで|に|、|\\s|$)`).exec(head), true],
    ] as const) {
      const found = match && japaneseTime(match.slice(-7))
      const date = match && found !== undefined ? read(today, ...match.slice(1, -7)) : null
      if (!match || date === null) continue
      const rest = atStart ? plain.slice(match[0].length) : plain.slice(0, -match[0].length)
      return withoutDate(rest, date, found!)
    }
  }
  return null
}

type Groups = readonly (string | undefined)[]

const englishTime = ([hour, minute, half, hours, minutes, part]: Groups) =>
  readTime(part, hour ?? hours, minute ?? minutes, half?.toLowerCase())

const japaneseTime = ([half, hour, thirty, minute, hours, minutes, part]: Groups) =>
  readTime(part, hour ?? hours, thirty ? '30' : (minute ?? minutes), half)

/** Minutes into the day; null = no time, undefined = an invalid time. */
function readTime(part?: string, hour?: string, minute?: string, half?: string): number | null | undefined {
  if (part) return (TIMES[part.toLowerCase()] ?? TIMES_OF_DAY[part]!) * 60
  return hour === undefined ? null : (minutesOf(hour, minute, half) ?? undefined)
}

function withoutDate(text: string, day: number, time: number | null): DatedText {
  return { text: text.trim(), date: dateOf(day * DAY_MS), time: time === null ? null : timeOf(time * MINUTE_MS) }
}
