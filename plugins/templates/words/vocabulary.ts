import type { Frequency } from '../rule.ts'

/** What some words of a text say about a rule. */
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
}

/** A pattern that matches at the beginning of what is left, and what it says; null = it says something else. */
export type Phrase = readonly [pattern: RegExp, read: (...groups: string[]) => Part | null]

export interface Vocabulary {
  readonly phrases: readonly Phrase[]
  /** What may stand between phrases and says nothing. */
  readonly fillers: RegExp
}

export const WORKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR']
export const WEEKEND = ['SA', 'SU']

/** Times of day as digits in both languages: `16:00`, `4 pm`. */
export function minutesOf(hour: string, minute = '0', half = ''): number | null {
  const twelve = /^[ap]/.test(half) || half === '午前' || half === '午後'
  const [hours, minutes] = [Number(hour), Number(minute)]
  if (minutes > 59 || hours > 23 || (twelve && hours > 12)) return null
  const late = half.startsWith('p') || half === '午後'
  return (twelve ? (hours % 12) + (late ? 12 : 0) : hours) * 60 + minutes
}

/** A part with a time of day, if there is such a time. */
export function timePart(...given: Parameters<typeof minutesOf>): Part | null {
  const time = minutesOf(...given)
  return time === null ? null : { time }
}

/** `YYYY-MM-DD` as in UNTIL. */
export const untilPart = (date: string): Part => ({ until: date.replaceAll(/\D/g, '') })
