import type { Forecaster } from './forecast.ts'
import type { History } from './history.ts'
import { likenessTo, type Vector } from './likeness.ts'
import { likelyRange, rangesOf, type Seen } from './range.ts'

/** Maximum number of items named in a suggestion. */
const MAX_BASIS = 3

/** The suggestion for one text. */
export interface Suggestion {
  readonly value: number
  readonly low: number
  readonly high: number
  /** Probability that the team's estimate is in the range, from 0 to 1. */
  readonly confidence: number
}

/** Finished items by index in the history, most similar first. */
export type Basis = readonly { readonly place: number; readonly likeness: number }[]

/**
 * Suggests one of the project's earlier estimates.
 * @param past back-test results of the history
 * @param finished number of estimates behind the forecast
 */
export function suggest(
  { levels }: History,
  forecast: Forecaster,
  vector: Vector,
  past: readonly Seen[],
  finished: number,
): Suggestion {
  const chances = forecast(vector)
  const { range, confidence } = likelyRange(rangesOf(chances), past, finished)
  return {
    value: levels[chances.value]!.value,
    low: levels[range.low]!.low,
    high: levels[range.high]!.high,
    confidence,
  }
}

/** Returns whether suggestions beat the median of earlier items in the back-test by more than one standard error; less may be chance. */
export function beatsMedian(past: readonly Seen[]): boolean {
  const mean = past.reduce((sum, { gain }) => sum + gain, 0) / past.length
  const scatter = past.reduce((sum, { gain }) => sum + (gain - mean) ** 2, 0) / past.length
  return past.length > 0 && mean > Math.sqrt(scatter / past.length)
}

/** Returns the most similar finished items, later ones first among equals. */
export function findMostAlike({ corpus }: History, vector: Vector): Basis {
  const best: { place: number; likeness: number }[] = []
  for (const [place, likeness] of likenessTo(corpus, vector).entries()) {
    const at = best.findIndex(other => other.likeness < likeness)
    if (at < 0 && best.length === MAX_BASIS) continue
    best.splice(at < 0 ? best.length : at, 0, { place, likeness })
    best.length = Math.min(best.length, MAX_BASIS)
  }
  return best
}
