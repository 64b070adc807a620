import { distribution, FEWEST, type History } from './history.ts'
import { likelyRange, LOOKED_BACK, rangesOf } from './range.ts'

/** Items that a suggestion names. */
const NAMED = 3

/** What is suggested for one text. */
export interface Suggestion {
  readonly value: number
  readonly low: number
  readonly high: number
  /** Probability that the estimate of people is in the range, from 0 to 1. */
  readonly confidence: number
  /** The finished items that it rests on, the most alike first. */
  readonly basis: readonly { readonly place: number; readonly likeness: number }[]
}

/** The estimate in the middle of the history, which needs one item at least. */
export function medianOf(estimates: readonly number[]): number {
  const sorted = estimates.toSorted((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1]!
}

/**
 * Suggests one of the estimates that the project has given before: the middle of what is likely for the text.
 * @param likeness by place in the history, from 0 to 1
 * @param needed what looking back on the history has found
 * @param since place from which the history counts, for looking back at how well it would have done
 */
export function suggest(history: History, likeness: Float64Array, needed: readonly number[], since = 0): Suggestion {
  const ranges = rangesOf(distribution(history, likeness, since))
  const { range, confidence } = likelyRange(ranges, needed, history.estimates.length - since)
  const { low, high } = range
  return { value: ranges[0]!.low, low, high, confidence, basis: mostAlike(likeness, since) }
}

/**
 * Whether suggestions came nearer to the last estimates than the median of what was finished before each, by more than one standard error:
 * by less it may be chance.
 * @returns also on how many finished items that rests
 */
export function beatsMedian(
  history: History,
  count = LOOKED_BACK,
): { readonly better: boolean; readonly seen: number } {
  const seen = Math.max(0, Math.min(count, history.estimates.length - FEWEST))
  const gains = Array.from({ length: seen }, (_, place) => {
    const real = history.estimates[place]!
    const [middle] = rangesOf(distribution(history, history.corpus.likenessWithin(place), place + 1))
    return Math.abs(real - medianOf(history.estimates.slice(place + 1))) - Math.abs(real - middle!.low)
  })
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / seen
  const scatter = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / seen
  return { better: seen > 0 && mean > Math.sqrt(scatter / seen), seen }
}

/** The few most alike, the later finished first where they are equally alike. */
function mostAlike(likeness: Float64Array, since: number): Suggestion['basis'] {
  const best: { place: number; likeness: number }[] = []
  for (let place = since; place < likeness.length; place++) {
    const at = best.findIndex(other => other.likeness < likeness[place]!)
    if (at < 0 && best.length === NAMED) continue
    best.splice(at < 0 ? best.length : at, 0, { place, likeness: likeness[place]! })
    best.length = Math.min(best.length, NAMED)
  }
  return best
}
