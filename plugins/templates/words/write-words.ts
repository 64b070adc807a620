import { WEEKDAYS } from '../calendar.ts'
import { splitRule } from '../exceptions.ts'
import { readRule, type Rule } from '../rule.ts'
import { DAY_NAMES, MONTH_NAMES, ORDINALS } from './english.ts'
import { DAY_SIGNS } from './japanese.ts'
import { WEEKEND, WORKDAYS } from './vocabulary.ts'

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
const english = (code: string): string => capital(DAY_NAMES[WEEKDAYS.indexOf(code)]!)
const japanese = (code: string): string => DAY_SIGNS[WEEKDAYS.indexOf(code)]!
const ordinal = (n: number): string => (n === -1 ? 'last' : ORDINALS[n - 1]!)
const ordinalDate = (n: number): string => (n === -1 ? 'last day' : `${n}${suffix(n)}`)

function suffix(n: number): string {
  if (n >= 11 && n <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][n % 10] ?? 'th'
}

/** The properties of a rule that can be put into words; other rules are shown in their notation. */
interface Sayable {
  readonly interval: number
  readonly freq: Rule['freq']
  readonly time: string | null
  readonly month: number | null
  readonly dates: readonly number[] | null
  readonly days: readonly string[] | null
  /** With a weekday as in `2MO`, or of workdays. */
  readonly ordinals: readonly number[] | null
  readonly ofWorkdays: boolean
}

/** Describes a rule in words that `readWords` reads as the same rule; null if that is not possible. */
export function wordsOf(rule: Rule, language: 'en' | 'ja'): string | null {
  const said = describableParts(rule)
  const end = endIn(language, rule)
  return said && end !== null ? (language === 'ja' ? inJapanese(said) : inEnglish(said)) + end : null
}

/** Describes a stored rule without its exceptions: in words, or else in its notation. */
export function describeRule(stored: string, language: 'en' | 'ja'): string {
  const { rule } = splitRule(stored)
  return wordsOf(readRule(rule), language) ?? rule
}

/** @returns null for an end that words cannot say, an empty text for none */
function endIn(language: 'en' | 'ja', { count, until }: Rule): string | null {
  if (count !== null) return count < 2 || count > 999 ? null : language === 'ja' ? `、${count}回` : `, ${count} times`
  if (until === null) return ''
  const date = until.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  return date === until ? null : language === 'ja' ? `、${date}まで` : ` until ${date}`
}

const KNOWN_PARTS = ['BYMONTH', 'BYMONTHDAY', 'BYDAY', 'BYSETPOS', 'BYHOUR', 'BYMINUTE']

function describableParts({ freq, interval, parts }: Rule): Sayable | null {
  if ([...parts.keys()].some(name => !KNOWN_PARTS.includes(name))) return null
  const numbers = (name: string): number[] | null => parts.get(name)?.split(',').map(Number) ?? null
  const [months, hours, minutes] = ['BYMONTH', 'BYHOUR', 'BYMINUTE'].map(numbers)
  if ([months, hours, minutes].some(list => list && list.length > 1) || (!hours && minutes)) return null
  const time = hours ? `${String(hours[0]).padStart(2, '0')}:${String(minutes?.[0] ?? 0).padStart(2, '0')}` : null
  const dates = numbers('BYMONTHDAY')
  if (dates?.some(date => date < -1)) return null
  const weekdays = describableDays(freq, parts.get('BYDAY')?.split(',') ?? null, numbers('BYSETPOS'))
  const said = weekdays && { freq, interval, time, month: months?.[0] ?? null, dates, ...weekdays }
  return said && IS_SAYABLE[freq](said) ? said : null
}

function describableDays(
  freq: Rule['freq'],
  byDay: readonly string[] | null,
  positions: readonly number[] | null,
): Pick<Sayable, 'days' | 'ordinals' | 'ofWorkdays'> | null {
  const days = byDay?.map(day => day.slice(-2)) ?? null
  const counted = byDay?.map(day => Number(day.slice(0, -2))) ?? []
  const ordinals = positions ?? (counted.some(Boolean) ? counted : null)
  if (ordinals?.some(n => n !== -1 && (n < 1 || n > 5))) return null
  if (positions) {
    const areWorkdays = freq === 'MONTHLY' && byDay?.join() === WORKDAYS.join()
    return areWorkdays ? { days, ordinals, ofWorkdays: true } : null
  }
  return ordinals && new Set(days).size > 1 ? null : { days, ordinals, ofWorkdays: false }
}

const IS_SAYABLE: Readonly<Record<Rule['freq'], (said: Sayable) => boolean>> = {
  HOURLY: ({ time, month, dates, days }) => time === null && month === null && !dates && !days,
  DAILY: ({ month, dates, days }) => month === null && !dates && !days,
  WEEKLY: ({ month, dates, ordinals }) => month === null && !dates && !ordinals,
  MONTHLY: ({ month, dates, days, ordinals }) => month === null && !(dates && days) && (!days || ordinals !== null),
  YEARLY: ({ interval, month, dates, days }) =>
    !days && interval === 1 && (month === null ? !dates : dates?.length === 1 && dates[0]! > 0),
}

function inEnglish({ freq, interval, time, month, dates, days, ordinals, ofWorkdays }: Sayable): string {
  const unit = { HOURLY: 'hour', DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }[freq]
  const every = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`
  const at = time === null ? '' : ` at ${time}`
  const names = days?.map(english) ?? []
  if (month !== null) return `Every year on ${capital(MONTH_NAMES[month - 1]!)} ${dates![0]}${at}`
  if (ordinals) {
    const what = ofWorkdays ? 'working day' : names[0]
    return `${capital(every)} on the ${joinWords(ordinals.map(ordinal))} ${what}${at}`
  }
  if (dates) return `${capital(every)} on the ${joinWords(dates.map(ordinalDate))}${at}`
  if (!days) return `${capital(every)}${at}`
  if (interval === 1 && days.join() === WORKDAYS.join()) return `Every weekday${at}`
  if (interval === 1 && days.join() === WEEKEND.join()) return `Every weekend${at}`
  return interval === 1 ? `Every ${joinWords(names)}${at}` : `${capital(every)} on ${joinWords(names)}${at}`
}

function inJapanese({ freq, interval, time, month, dates, days, ordinals, ofWorkdays }: Sayable): string {
  const unit = { HOURLY: '時間', DAILY: '日', WEEKLY: '週間', MONTHLY: 'か月', YEARLY: '年' }[freq]
  const one = { HOURLY: '毎時', DAILY: '毎日', WEEKLY: '毎週', MONTHLY: '毎月', YEARLY: '毎年' }[freq]
  const every = interval === 1 ? one : interval === 2 && freq === 'WEEKLY' ? '隔週' : `${interval}${unit}ごと`
  const at = time === null ? '' : ` ${time}`
  const names = days?.map(japanese) ?? []
  const nth = (n: number): string => (n === -1 ? '最終' : `第${n}`)
  if (month !== null) return `毎年${month}月${dates![0]}日${at}`
  if (ordinals) return `${every}の${ordinals.map(nth).join('・')}${ofWorkdays ? '営業日' : `${names[0]}曜日`}${at}`
  if (dates) return `${every}の${dates.map(date => (date === -1 ? '末日' : `${date}日`)).join('と')}${at}`
  if (!days) return `${every}${at}`
  if (interval === 1 && days.join() === WORKDAYS.join()) return `毎週平日${at}`
  return `${every}${interval > 2 ? 'の' : ''}${names.join('・')}曜日${at}`
}
