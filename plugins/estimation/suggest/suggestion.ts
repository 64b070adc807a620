import type { Forecaster } from './forecast.ts'
import type { History } from './history.ts'
import { likenessTo, type Vector } from './likeness.ts'
import { likelyRange, rangesOf, type Seen } from './range.ts'

/** Items that a suggestion names. */
const NAMED = 3

/** What is suggested for one text. */
export interface Suggestion {
  readonly value: number
  readonly low: number
  readonly high: number
  /** Probability that the estimate of people is in the range, from 0 to 1. */
  readonly confidence: number
}

/** Finished items by place in the history, the most alike first. */
export type Basis = readonly { readonly place: number; readonly likeness: number }[]

/**
 * Suggests one of the estimates that the project has given before.
 * @param past what looking back on the history has found
 * @param finished estimates that the forecast was learnt from
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

/**
 * Whether suggestions came nearer to the estimates looked back on than the median of what was finished before each, by more than one
 * standard error: by less it may be chance.
 */
export function beatsMedian(past: readonly Seen[]): boolean {
  const mean = past.reduce((sum, { gain }) => sum + gain, 0) / past.length
  const scatter = past.reduce((sum, { gain }) => sum + (gain - mean) ** 2, 0) / past.length
  return past.length > 0 && mean > Math.sqrt(scatter / past.length)
}

/** The few finished items that are most alike, the later finished first where they are equally alike. */
export function mostAlike({ corpus }: History, vector: Vector): Basis {
  const best: { place: number; likeness: number }[] = []
  for (const [place, likeness] of likenessTo(corpus, vector).entries()) {
    const at = best.findIndex(other => other.likeness < likeness)
    if (at < 0 && best.length === NAMED) continue
    best.splice(at < 0 ? best.length : at, 0, { place, likeness })
    best.length = Math.min(best.length, NAMED)
  }
  return best
}
