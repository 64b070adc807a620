import type { Corpus } from './likeness.ts'

/** Finished items below which a suggestion would be a guess. */
export const FEWEST = 5

/** What finished items count; chosen on public projects, see decision 20. */
export interface Weighing {
  /** Finished items after which an older one counts half: teams change what a point means. */
  readonly halfLife: number
  /** What the whole history weighs, in items of the very same text. */
  readonly whole: number
}

export const WEIGHING: Weighing = { halfLife: 200, whole: 2 }

/** What a project has finished, the latest first. */
export interface History {
  /** Texts in the order of the estimates. */
  readonly corpus: Corpus
  readonly estimates: readonly number[]
  /** The different estimates, ascending, and the place among them of each estimate. */
  readonly levels: readonly number[]
  readonly levelOf: Int32Array
  /** What an item counts by how many were finished after it. */
  readonly recency: Float64Array
  readonly whole: number
}

/** Prepares finished items for being learnt from. @param estimates the latest first, as the texts of the corpus */
export function historyOf(corpus: Corpus, estimates: readonly number[], { halfLife, whole } = WEIGHING): History {
  const levels = [...new Set(estimates)].toSorted((a, b) => a - b)
  const places = new Map(levels.map((level, place) => [level, place]))
  return {
    corpus,
    estimates,
    levels,
    levelOf: Int32Array.from(estimates, estimate => places.get(estimate)!),
    recency: Float64Array.from(estimates, (_, age) => 0.5 ** (age / halfLife)),
    whole,
  }
}

/** How likely each estimate is for one text. */
export interface Distribution {
  /** The different estimates that were given before, ascending. */
  readonly levels: readonly number[]
  /** What each weighs, of 1. */
  readonly shares: readonly number[]
}

/**
 * Weighs the estimates of a history, each by its age and by the square of its likeness. Beside that the whole history weighs as much as two
 * items of the same text, which draws what is likely to the project's own where nothing is much alike.
 * @param likeness by place in the history, from 0 to 1
 * @param since place from which the history counts, for looking back; the latest item before it has age 0
 */
export function distribution(history: History, likeness: Float64Array, since: number): Distribution {
  const { levelOf, recency } = history
  const length = levelOf.length - since
  let ages = 0
  for (let age = 0; age < length; age++) ages += recency[age]!
  const whole = history.whole / ages
  const sums = new Float64Array(history.levels.length)
  let total = 0
  for (let age = 0; age < length; age++) {
    const alike = likeness[since + age]!
    const weight = recency[age]! * (alike * alike + whole)
    sums[levelOf[since + age]!]! += weight
    total += weight
  }
  // Levels that only later items have were not known then.
  const known = history.levels.map((level, n) => ({ level, share: sums[n]! / total })).filter(({ share }) => share > 0)
  return { levels: known.map(({ level }) => level), shares: known.map(({ share }) => share) }
}
