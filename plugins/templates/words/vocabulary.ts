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
}

/** A pattern for the beginning of the remaining text, and its meaning; null = another meaning. */
export type Phrase = readonly [pattern: RegExp, read: (...groups: string[]) => Part | null]

export interface Vocabulary {
  readonly phrases: readonly Phrase[]
  /** Words without meaning between phrases. */
  readonly fillers: RegExp
}

export const WORKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR']
export const WEEKEND = ['SA', 'SU']

/** Parses times of day in digits of both languages: `16:00`, `4 pm`. */
export function minutesOf(hour: string, minute = '0', half = ''): number | null {
  const twelve = /^[ap午朝夜]/.test(half)
  const [hours, minutes] = [Number(hour), Number(minute)]
  if (minutes > 59 || hours > 23 || (twelve && hours > 12)) return null
  const late = /^[p夜]|午後/.test(half)
  return (twelve ? (hours % 12) + (late ? 12 : 0) : hours) * 60 + minutes
}

/** Returns a part with a time of day; null for an invalid time. */
export function timePart(...given: Parameters<typeof minutesOf>): Part | null {
  const time = minutesOf(...given)
  return time === null ? null : { time }
}

/** Returns a part with a time in a part of the day, which is `usual` hours if none is given; null for an invalid time. */
export function timeIn(usual: number, hour?: string, minute?: string, half?: string): Part | null {
  if (hour === undefined) return { time: usual * 60 }
  const isLate = usual > 12 && (usual < 21 || Number(hour) >= 5)
  return timePart(hour, minute, half ?? (Number(hour) > 12 ? '' : isLate ? 'p' : 'a'))
}

/** Returns a part that repeats every month. */
export const monthly = (part: Part): Part => ({ freq: 'MONTHLY', ...part })

/** Returns a part with the end date, as in UNTIL. */
export const untilPart = (date: string): Part => ({ until: date.replaceAll(/\D/g, '') })
