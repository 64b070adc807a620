import { setImmediate } from 'node:timers/promises'
import { isWeekend } from './calendar.ts'
import { Dice } from './random.ts'

export const RUNS = 10_000
/** Days that a run looks ahead; what takes longer has no date. */
export const HORIZON = 366
/** Runs after which others may use the process: a few milliseconds. */
const AT_ONCE = 500

/** What was done per day in the past, in one unit. */
export interface Pace {
  readonly workdays: readonly number[]
  /** Saturdays and Sundays; empty where they are as other days, or nothing is known of them. */
  readonly weekends: readonly number[]
}

export interface Course {
  readonly remaining: number
  readonly pace: Pace
  /** First day that work can be done on, in days since 1970. */
  readonly from: number
  /** Part of that day that is left, from 0 to 1. */
  readonly left: number
  /** The same seed gives the same result. */
  readonly seed: string
}

/**
 * Plays the rest of a sprint many times, each day as one of the days of the past. Since few days tell little about how fast the team is,
 * each run first draws, with repetition, the days that it takes for the past (a bootstrap).
 * @returns the day on which each run ended, ascending; the horizon's where it did not
 */
export async function simulate({ remaining, pace, from, left, seed }: Course): Promise<Int32Array> {
  const dice = new Dice(seed)
  const past = [Float64Array.from(pace.workdays), Float64Array.from(pace.weekends)] as const
  const drawn = past.map(days => new Float64Array(days.length)) as [Float64Array, Float64Array]
  const ends = new Int32Array(RUNS)
  const kinds = Uint8Array.from({ length: HORIZON }, (_, n) =>
    pace.weekends.length > 0 && isWeekend(from + n) ? 1 : 0,
  )
  for (let run = 0; run < RUNS; run++) {
    if (run % AT_ONCE === AT_ONCE - 1) await setImmediate()
    redraw(past[0], drawn[0], dice)
    redraw(past[1], drawn[1], dice)
    ends[run] = from + lastDay({ remaining, left, kinds, drawn }, dice)
  }
  return ends.sort()
}

function redraw(days: Float64Array, into: Float64Array, dice: Dice): void {
  for (let n = 0; n < into.length; n++) into[n] = days[dice.roll(days.length)]!
}

interface Run {
  readonly remaining: number
  readonly left: number
  readonly kinds: Uint8Array
  readonly drawn: readonly [Float64Array, Float64Array]
}

/** Days until nothing remains. Sums of binary fractions may miss it by a hair. */
function lastDay({ remaining, left, kinds, drawn }: Run, dice: Dice): number {
  let rest = remaining - 1e-9
  for (let day = 0; day < HORIZON; day++) {
    const days = drawn[kinds[day]!]!
    const done = days[dice.roll(days.length)]!
    rest -= day === 0 ? done * left : done
    if (rest <= 0) return day
  }
  return HORIZON
}

/** The day by which a part of the runs, from 0 to 1, had ended. */
export function quantile(ends: Int32Array, part: number): number {
  return ends[Math.min(ends.length - 1, Math.ceil(part * ends.length) - 1)]!
}

/** Part of the runs that had ended by a day. */
export function shareBy(ends: Int32Array, day: number): number {
  let count = 0
  while (count < ends.length && ends[count]! <= day) count++
  return count / ends.length
}
