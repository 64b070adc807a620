import { refusal } from '../rule.ts'
import { english } from './english.ts'
import { japanese } from './japanese.ts'
import { normalizeText, clip } from 'tasuki/plugin'
import type { Part, Vocabulary } from './vocabulary.ts'

/** Maximum length of a rule in words. */
const LENGTH_MAX = 200
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

/** Parses a rule in English or Japanese words. @returns the value of an RRULE @throws ToolError invalid_argument with examples */
export function readWords(text: string): string {
  const read = parseWords(text)
  return 'rule' in read ? read.rule : refuse(read.problem)
}

/** Returns the value of the RRULE that words describe; null for other texts. */
export function ruleOfWords(text: string): string | null {
  const read = parseWords(text)
  return 'rule' in read ? read.rule : null
}

function parseWords(text: string): { readonly rule: string } | { readonly problem: string } {
  const plain = normalizeText(text).trim().toLowerCase()
  const language = /[\p{Script=Han}\p{Script=Hiragana}]/u.test(plain) ? japanese : english
  const parts = plain.length > LENGTH_MAX ? plain : partsOf(plain, language)
  if (typeof parts === 'string') return { problem: `"${clip(parts, 40)}" is not understood in recurrence_rule` }
  const merged = parts.reduce<Part | null>((all, part) => all && merge(all, part), {})
  const rule = merged && ruleOf(merged)
  return rule === null ? { problem: `"${clip(plain, 80)}" does not say one rule` } : { rule }
}

function refuse(problem: string): never {
  throw refusal(problem, {
    hint: 'Write words like these, or an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9.',
    allowed: EXAMPLES,
  })
}

/** Parses the phrases of a text; a string is the part that was not understood. */
function partsOf(text: string, { phrases, fillers }: Vocabulary): readonly Part[] | string {
  const parts: Part[] = []
  let at = 0
  while (at < text.length) {
    let next = at
    for (const [pattern, read] of phrases) {
      pattern.lastIndex = at
      const match = pattern.exec(text)
      const part = match && read(...match.slice(1))
      if (!part) continue
      parts.push(part)
      next = pattern.lastIndex
      break
    }
    if (next === at) {
      fillers.lastIndex = at
      if (!fillers.test(text)) return text.slice(at)
      next = fillers.lastIndex
    }
    at = next
  }
  return parts
}

/** Merges two parts; null if they contradict each other. */
function merge(one: Part, other: Part): Part | null {
  const shared = (Object.keys(other) as (keyof Part)[]).filter(name => one[name] !== undefined)
  const agrees = shared.every(
    name => String(one[name]) === String(other[name]) || (name === 'interval' && other.interval === 1),
  )
  return agrees ? { ...other, ...one } : null
}

function ruleOf(part: Part): string | null {
  const { freq, interval = 1, count, until, months, monthDays, days, positions, time } = part
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
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${String(value)}`])).join(';')
}
