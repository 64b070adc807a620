import { setImmediate } from 'node:timers/promises'
import { isWeekend } from '../../sprints/index.ts'
import { SeededRandom } from './seeded-random.ts'

export const RUNS = 10_000
/** Maximum number of days in a run; work that takes longer has no date. */
export const HORIZON = 366
/** Runs between two yields to the event loop: a few milliseconds. */
const BATCH_SIZE = 500
/** Tolerance for sums of binary fractions. */
const EPSILON = 1e-9

/** The finished work per day in the past, in one unit. */
export interface Pace {
  readonly workdays: readonly number[]
  /** Saturdays and Sundays; empty if they do not differ from other days, or nothing is known about them. */
  readonly weekends: readonly number[]
}

export interface Course {
  readonly remaining: number
  readonly pace: Pace
  /** First day of work, in days since 1970. */
  readonly from: number
  /** Remaining share of that day, from 0 to 1. */
  readonly left: number
  /** The same seed gives the same result. */
  readonly seed: string
}

/**
 * Simulates the rest of a sprint many times, with each day drawn from past days. Since few days say little about a team's pace, each run
 * first resamples the past days with replacement (bootstrap), again if it drew a past without any work.
 * @returns the end day of each run, ascending; the horizon for runs without an end
 */
export async function simulate({ remaining, pace, from, left, seed }: Course): Promise<Int32Array> {
  const random = new SeededRandom(seed)
  const workdays = new DailySamples(pace.workdays)
  const weekends = new DailySamples(pace.weekends)
  const days = workingDays(from, { workdays, weekends })
  const ends = new Int32Array(RUNS).fill(from + HORIZON)
  if (days.reduce((sum, { past }) => sum + past.most, 0) < remaining - EPSILON) return ends
  for (let run = 0; run < RUNS; run++) {
    if (run % BATCH_SIZE === BATCH_SIZE - 1) await setImmediate()
    let length: number
    do {
      workdays.forget()
      weekends.forget()
      length = lastDay(days, { remaining, left }, random)
    } while (length === HORIZON && ![workdays, weekends].some(past => past.anyDone(random)))
    ends[run] = from + length
  }
  return ends.sort()
}

/** A future day, counted from the first one, and the samples to draw from. */
interface WorkingDay {
  readonly day: number
  readonly past: DailySamples
}

/** Returns the future days, without kinds of days on which nothing was ever finished, which need no draw. */
function workingDays(from: number, { workdays, weekends }: Record<keyof Pace, DailySamples>): WorkingDay[] {
  const all = Array.from({ length: HORIZON }, (_, day) => ({
    day,
    past: weekends.length > 0 && isWeekend(from + day) ? weekends : workdays,
  }))
  return all.filter(({ past }) => past.most > 0)
}

/** Returns the number of days until nothing remains. */
function lastDay(
  days: readonly WorkingDay[],
  { remaining, left }: Pick<Course, 'remaining' | 'left'>,
  random: SeededRandom,
): number {
  let rest = remaining - EPSILON
  // Items of size zero are done at once, even on a day off.
  if (rest <= 0) return 0
  for (let n = 0; n < days.length; n++) {
    const { day, past } = days[n]!
    const done = past.draw(random)
    rest -= day === 0 ? done * left : done
    if (rest <= 0) return day
  }
  return HORIZON
}

/** Bootstrap samples of past days for one run: as many days, drawn with replacement when first needed. */
class DailySamples {
  readonly length: number
  /** The maximum of one day. */
  readonly most: number
  readonly #days: Float64Array
  readonly #drawn: Float64Array
  /** By index, the run that drew the sample. */
  readonly #drawnIn: Int32Array
  #run = 0

  constructor(days: readonly number[]) {
    this.length = days.length
    this.most = Math.max(0, ...days)
    this.#days = Float64Array.from(days)
    this.#drawn = new Float64Array(days.length)
    this.#drawnIn = new Int32Array(days.length)
  }

  /** Starts a new run. */
  forget(): void {
    this.#run++
  }

  draw(random: SeededRandom): number {
    return this.#sample(random.nextBelow(this.length), random)
  }

  /** Tells whether the run's sample of the past has any work; draws what the run did not need. */
  anyDone(random: SeededRandom): boolean {
    return this.#days.some((_, place) => this.#sample(place, random) > 0)
  }

  #sample(place: number, random: SeededRandom): number {
    if (this.#drawnIn[place] !== this.#run) {
      this.#drawnIn[place] = this.#run
      this.#drawn[place] = this.#days[random.nextBelow(this.length)]!
    }
    return this.#drawn[place]!
  }
}

/** Returns the day by which a share of the runs, from 0 to 1, had ended. */
export function quantile(ends: Int32Array, part: number): number {
  return ends[Math.min(ends.length - 1, Math.ceil(part * ends.length) - 1)]!
}

/** Returns the share of the runs that had ended by a day. */
export function shareBy(ends: Int32Array, day: number): number {
  let count = 0
  while (count < ends.length && ends[count]! <= day) count++
  return count / ends.length
}
