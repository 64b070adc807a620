import type { History } from './history.ts'
import type { Vector } from './likeness.ts'
import { addTerms, regress } from './regression.ts'

/** Constants from cross-validation on public projects: decision 79, `npm run estimates`. */
export interface Tuning {
  /** Regularization of the ridge regression, in items with identical text. */
  readonly ridge: number
  /** Number of finished items after which an older one counts half: teams change the meaning of a point. */
  readonly halfLife: number
  /** How far the probability of a lower estimate must exceed one half before less than the median is suggested. */
  readonly down: number
  /** The same for more than the median: estimates grow in increasing steps, so that an overestimate costs more. */
  readonly up: number
}

export const TUNING: Tuning = { ridge: 2, halfLife: 800, down: 0.05, up: 0.12 }

/** The probability distribution of one text's estimate. */
export interface Chances {
  /** By level, the probability of this estimate or a lower one; ascending to 1. */
  readonly upTo: Float64Array
  /** Index of the suggested level. */
  readonly value: number
  /** Indexes of the lowest and the highest level in the history. */
  readonly lowest: number
  readonly highest: number
}

/** Returns the probability distribution of a text's estimate. */
export type Forecaster = (vector: Vector) => Chances

/**
 * Learns a probability per estimate from the terms of texts. For each level it combines the share of the project's estimates at or below
 * the level with a ridge regression of how a text deviates from that share. The suggestion is the median, unless the text indicates
 * otherwise.
 * @param since index from which the history counts, for back-tests; the latest item before it has age 0
 */
export async function learn(
  { corpus, levelOf, levels }: History,
  since = 0,
  { ridge, halfLife, down, up } = TUNING,
): Promise<Forecaster> {
  const places = levelOf.subarray(since)
  const recency = Float64Array.from(places, (_, age) => 0.5 ** (age / halfLife))
  const total = recency.reduce((sum, each) => sum + each, 0)
  // The last share is always 1 and needs no regression.
  const width = levels.length - 1
  const shares = Float64Array.from(
    { length: width },
    (_, level) => recency.reduce((sum, each, n) => sum + (places[n]! <= level ? each : 0), 0) / total,
  )
  const values = new Float64Array(places.length * width)
  for (let k = 0; k < values.length; k++) {
    const level = k % width
    values[k] = (places[Math.floor(k / width)]! <= level ? 1 : 0) - shares[level]!
  }
  const coefficients = await regress({
    vectors: corpus.vectors.slice(since),
    terms: corpus.terms,
    values,
    width,
    ridges: recency.map(each => (ridge * total) / (each * places.length)),
  })
  const sorted = places.toSorted()
  const [lowest, median, highest] = [sorted[0]!, sorted[(sorted.length - 1) >> 1]!, sorted.at(-1)!]
  return vector => {
    const upTo = new Float64Array(levels.length)
    upTo.set(shares)
    addTerms(vector, coefficients, upTo.subarray(0, width))
    for (let level = 0; level < upTo.length; level++) {
      const least = level === 0 ? 0 : upTo[level - 1]!
      // Excludes levels that only later items have.
      upTo[level] = level < lowest ? 0 : level >= highest ? 1 : Math.min(1, Math.max(least, upTo[level]!))
    }
    const reaching = (chance: number): number => upTo.findIndex(each => each >= chance - 1e-9)
    return { upTo, value: Math.min(Math.max(median, reaching(0.5 - up)), reaching(0.5 + down)), lowest, highest }
  }
}
