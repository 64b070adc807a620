import { WEEKDAYS } from '../calendar.ts'
import { refusal } from '../rule.ts'
import { readDay } from './read-dates.ts'
import { english } from './english.ts'
import { japanese } from './japanese.ts'
import { clip, dateOf, DAY_MS, normalizeText } from 'tasuki/plugin'
import { isJapanese, readParts, type Part } from './vocabulary.ts'

/** Maximum length of a rule in words. */
const LENGTH_MAX = 200
const WEEK = [...WEEKDAYS.slice(1), WEEKDAYS[0]!]
const EXAMPLES = [
  'every second Friday at 16:00',
  'every weekday',
  'last working day of the month',
  'monthly on the 1st and 15th',
  '毎週月曜日',
  '隔週金曜16時',
  '毎月最終営業日',
]

/** Returns whether a text is a rule in words instead of iCalendar notation. */
export function isInWords(text: string): boolean {
  return !/[=:;]\s*\S*=|^\s*[A-Z-]+\s*[=:;]|FREQ/i.test(text.replaceAll(/\d:\d/g, ''))
}

/**
 * Parses a rule in English or Japanese words, in which `until June` counts from today. @throws ToolError invalid_argument with examples
 * @returns the value of an RRULE, after a line DTSTART if the words name a start
 */
export function readWords(text: string, today = 0): string {
  const read = parseWords(text, today)
  return 'rule' in read ? read.rule : refuse(read.problem)
}

/** Returns whether words describe a rule. */
export function saysRule(text: string, today: number): boolean {
  return 'rule' in parseWords(text, today)
}

const TIMES =
  '(?:twice|(?:\\d{1,3}|two|three|four|five|six|several|many) times) (?:an?|per|each|every) (?:day|week|month|year)'
const HOW_OFTEN = new RegExp(`\\b${TIMES}\\b|毎?[日週月年] ?に?(?!1[回度])(?:\\d{1,3}|[二三四五六七八九十])[回度]`, 'i')
/** Returns the words of a text that say how often, and not when, such as `twice a week` and `毎日10回`; null for none. */
export const howOften = (text: string): string | null => HOW_OFTEN.exec(text)?.[0] ?? null

const EDGES =
  /(?:,? |^)(until|till|through|starting|beginning|from) (?:on )?(.+?)(?=,? (?:until|till|through|starting|beginning|from|for|every|each|at|on)\b|$)/g
const JAPANESE_EDGES = /([^\s、]+?)の?(まで|から)(?:に|の|、|\s)*(?![日月火水木金土])/g

/** Takes the end and the start of a series out of its words. */
function takeEdges(text: string, today: number): { readonly rest: string; readonly edges: Part } {
  let edges: Part = {}
  const rest = text.replaceAll(isJapanese(text) ? JAPANESE_EDGES : EDGES, (all, one: string, two: string) => {
    const [mark, name] = isJapanese(text) ? [two, one] : [one, two]
    const isEnd = /^(?:until|till|through|まで)$/.test(mark)
    const day = readDay(name, today, isEnd ? 'last' : 'first')
    if (day === null || (isEnd ? edges.until : edges.start) !== undefined) return all
    edges = { ...edges, ...(isEnd ? { until: basicDate(day) } : { start: day }) }
    return ' '
  })
  return { rest: rest.replaceAll(/ +/g, ' ').replace(/^[ ,]+| $/g, ''), edges }
}

const basicDate = (day: number): string => dateOf(day * DAY_MS).replaceAll('-', '')

function parseWords(text: string, today: number): { readonly rule: string } | { readonly problem: string } {
  const plain = normalizeText(text).trim().toLowerCase().replaceAll(/\s+/g, ' ')
  const unclear = howOften(plain)
  if (unclear !== null) return { problem: `"${clip(unclear, 40)}" says how often, not when: name the days or times` }
  const { rest, edges } = takeEdges(plain.slice(0, LENGTH_MAX + 1), today)
  const part = plain.length > LENGTH_MAX ? plain : readParts(rest, isJapanese(plain) ? japanese : english)
  if (typeof part === 'string') return { problem: `"${clip(part, 40)}" is not understood in recurrence_rule` }
  const rule = part && ruleOf({ ...part, ...edges })
  return rule === null ? { problem: `"${clip(plain, 80)}" does not say one rule` } : { rule }
}

function refuse(problem: string): never {
  throw refusal(problem, {
    hint: 'Write words like these, or an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9.',
    allowed: EXAMPLES,
  })
}

/** Turns the days that are left out into those that remain; null if words leave out days of no week. */
function withoutExcepted({ except, ...part }: Part): Part | null {
  if (except === undefined) return part
  const { freq, interval = 1, days = freq === 'DAILY' ? WEEK : [] } = part
  const left = days.filter(day => !except.includes(day))
  const isWeekly = freq === 'WEEKLY' || (freq === 'DAILY' && interval === 1)
  return isWeekly && left.length > 0 && left.length < days.length ? { ...part, freq: 'WEEKLY', days: left } : null
}

function ruleOf(merged: Part): string | null {
  const part = withoutExcepted(merged)
  if (part === null) return null
  const { freq, interval = 1, count, until, months, monthDays, days, positions, time, start } = part
  if (freq === undefined || (freq === 'HOURLY' && time !== undefined)) return null
  if (freq === 'WEEKLY' && (monthDays || months)) return null
  const fields: (readonly [string, unknown])[] = [
    ['FREQ', freq],
    ['INTERVAL', interval === 1 ? undefined : interval],
    ['COUNT', count],
    ['UNTIL', until],
    ['BYMONTH', months],
    ['BYMONTHDAY', monthDays],
    ['BYDAY', days],
    ['BYSETPOS', positions],
    ['BYHOUR', time === undefined ? undefined : Math.floor(time / 60)],
    ['BYMINUTE', time === undefined || time % 60 === 0 ? undefined : time % 60],
  ]
  const rule = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${String(value)}`])).join(';')
  if (start === undefined) return rule
  return `DTSTART:${basicDate(start)}${time === undefined && freq !== 'HOURLY' ? '' : 'T000000'}\n${rule}`
}
