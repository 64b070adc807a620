import type { Frequency } from '../rule.ts'

/** The part of a rule that some words describe. */
export interface Part {
  readonly freq?: Frequency
  readonly interval?: number
  readonly count?: number
  /** `YYYYMMDD`. */
  readonly until?: string
  readonly months?: readonly number[]
  readonly monthDays?: readonly number[]
  /** As in BYDAY. */
  readonly days?: readonly string[]
  /** As in BYSETPOS. */
  readonly positions?: readonly number[]
  /** Minutes into the day. */
  readonly time?: number
  /** Weekdays that are left out, as in BYDAY. */
  readonly except?: readonly string[]
  /** Number of the day from which the rule applies. */
  readonly start?: number
  /** Returns the number of the day that is meant; null for an invalid day. */
  readonly day?: (today: number) => number | null
  /** Minutes from now. */
  readonly later?: number
  /** Words of a range of times, of which `time` is the beginning. */
  readonly range?: string
}

/** A pattern for the beginning of the remaining text, and its meaning; null = another meaning. */
export type Phrase<Pattern = string> = readonly [pattern: Pattern, read: (...groups: string[]) => Part | null]

export interface Vocabulary {
  readonly phrases: readonly Phrase<RegExp>[]
  /** Words without meaning between phrases. */
  readonly fillers: RegExp
}

export const vocabulary = (phrases: readonly Phrase[], fillers: RegExp): Vocabulary => ({
  phrases: phrases.map(([pattern, read]) => [new RegExp(pattern, 'y'), read]),
  fillers,
})

export const WORKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR']
export const WEEKEND = ['SA', 'SU']

/** Reads a time of day in digits of both languages, `16:00` and `4 pm`; null for an invalid time. */
export function timePart(hour: string, minute = '0', half = ''): Part | null {
  const twelve = /^[ap午朝夜晩夕]/.test(half)
  const [hours, minutes] = [Number(hour), Number(minute)]
  if (minutes > 59 || hours > 23 || (twelve && hours > 12)) return null
  const late = /^[p夜晩夕]|午後/.test(half)
  return { time: (twelve ? (hours % 12) + (late ? 12 : 0) : hours) * 60 + minutes }
}

/** Returns a part with a time in a part of the day, which is `usual` hours if none is given; null for an invalid time. */
export function timeIn(usual: number, hour?: string, minute?: string, half?: string): Part | null {
  if (hour === undefined) return { time: usual * 60 }
  const isLate = usual > 12 && (usual < 21 || Number(hour) >= 5)
  return timePart(hour, minute, half ?? (Number(hour) > 12 ? '' : isLate ? 'p' : 'a'))
}

/** Returns a part whose range of times a title keeps; null for an invalid time. */
export const rangePart = (range: string, part: Part | null): Part | null => part && { ...part, range }

/** Return parts that repeat every week, month or year. */
export const weekly = (days: readonly string[]): Part => ({ freq: 'WEEKLY', days })
export const monthly = (part: Part): Part => ({ freq: 'MONTHLY', ...part })
export function yearly(month: string | number, date: string): Part {
  return { freq: 'YEARLY', months: [Number(month)], monthDays: [Number(date)] }
}

/** Returns whether a text has Japanese signs. */
export const isJapanese = (text: string): boolean => /[\p{Script=Han}\p{Script=Hiragana}]/u.test(text)

/** Reads all of a text as phrases that do not contradict each other. @returns a string for the part that was not understood */
export function readParts(text: string, { phrases, fillers }: Vocabulary): Part | null | string {
  const parts: Part[] = []
  let at = 0
  while (at < text.length) {
    const found = readPhrase(text, at, phrases)
    if (found) parts.push(found.part)
    fillers.lastIndex = at
    if (!found && !fillers.test(text)) return text.slice(at)
    at = found?.end ?? fillers.lastIndex
  }
  return parts.reduce<Part | null>((all, part) => all && merge(all, part), {})
}

function readPhrase(text: string, at: number, phrases: Vocabulary['phrases']) {
  for (const [pattern, read] of phrases) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    const part = match && read(...match.slice(1))
    if (part) return { part, end: pattern.lastIndex }
  }
  return null
}

/** Merges two parts; null if they contradict each other. */
function merge(one: Part, other: Part): Part | null {
  const isTimed = ({ freq, time }: Part): boolean => freq === 'DAILY' && time !== undefined
  if (isTimed(one) && other.freq === 'WEEKLY') return merge(other, one)
  const shared = (Object.keys(other) as (keyof Part)[]).filter(name => one[name] !== undefined)
  const agrees = shared.every(
    name =>
      String(one[name]) === String(other[name]) ||
      (name === 'interval' && other.interval === 1) ||
      // Of `平日毎朝`, the mornings are those of the weekdays.
      (name === 'freq' && one.freq === 'WEEKLY' && one.days !== undefined && isTimed(other)),
  )
  return agrees ? { ...other, ...one } : null
}
