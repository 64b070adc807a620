import { setImmediate } from 'node:timers/promises'
import { isWeekend } from './calendar.ts'
import { SeededRandom } from './seeded-random.ts'

export const RUNS = 10_000
/** Days that a run looks ahead; what takes longer has no date. */
export const HORIZON = 366
/** Runs after which others may use the process: a few milliseconds. */
const AT_ONCE = 500
/** What sums of binary fractions may miss the remaining by. */
const EPSILON = 1e-9

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
  const random = new SeededRandom(seed)
  const workdays = new DailySamples(pace.workdays)
  const weekends = new DailySamples(pace.weekends)
  const days = workingDays(from, { workdays, weekends })
  const ends = new Int32Array(RUNS).fill(from + HORIZON)
  if (days.reduce((sum, { past }) => sum + past.most, 0) < remaining - EPSILON) return ends
  for (let run = 0; run < RUNS; run++) {
    if (run % AT_ONCE === AT_ONCE - 1) await setImmediate()
    workdays.forget()
    weekends.forget()
    ends[run] = from + lastDay(days, { remaining, left }, random)
  }
  return ends.sort()
}

/** A day to come, counted from the first one, and what it is drawn from. */
interface WorkingDay {
  readonly day: number
  readonly past: DailySamples
}

/** The days ahead, without those of a kind on which nothing was ever done: they need no draw. */
function workingDays(from: number, { workdays, weekends }: Record<keyof Pace, DailySamples>): WorkingDay[] {
  const all = Array.from({ length: HORIZON }, (_, day) => ({
    day,
    past: weekends.length > 0 && isWeekend(from + day) ? weekends : workdays,
  }))
  return all.filter(({ past }) => past.most > 0)
}

/** Days until nothing remains. */
function lastDay(
  days: readonly WorkingDay[],
  { remaining, left }: Pick<Course, 'remaining' | 'left'>,
  random: SeededRandom,
): number {
  let rest = remaining - EPSILON
  // Items of size nothing are done at once, on a free day too.
  if (rest <= 0) return 0
  for (let n = 0; n < days.length; n++) {
    const { day, past } = days[n]!
    const done = past.draw(random)
    rest -= day === 0 ? done * left : done
    if (rest <= 0) return day
  }
  return HORIZON
}

/** Days of the past as one run sees them: as many, drawn from them with repetition, each when it is first needed. */
class DailySamples {
  readonly length: number
  /** What was done on the best day. */
  readonly most: number
  readonly #days: Float64Array
  readonly #drawn: Float64Array
  /** By place, the run that has drawn it. */
  readonly #drawnIn: Int32Array
  #run = 0

  constructor(days: readonly number[]) {
    this.length = days.length
    this.most = Math.max(0, ...days)
    this.#days = Float64Array.from(days)
    this.#drawn = new Float64Array(days.length)
    this.#drawnIn = new Int32Array(days.length)
  }

  /** Begins a run. */
  forget(): void {
    this.#run++
  }

  draw(random: SeededRandom): number {
    const place = random.nextBelow(this.length)
    if (this.#drawnIn[place] !== this.#run) {
      this.#drawnIn[place] = this.#run
      this.#drawn[place] = this.#days[random.nextBelow(this.length)]!
    }
    return this.#drawn[place]!
  }
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
