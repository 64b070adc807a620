import { medianOf } from '../../sprints/index.ts'
import { FEWEST, type History } from './history.ts'
import { learn, TUNING, type Chances } from './forecast.ts'

/** Target coverage of ranges. */
const COVERED = 0.75
/** Number of finished items in the back-test: enough for an error of about four points, few enough to be recent. */
export const LOOKED_BACK = 100
/** Number of finished items per training of the back-test, and of parts for a short history. */
const BATCH_SIZE = 20
const PARTS = 10

/**
 * Levels around the suggested one, from index `low` to `high`; by the forecast the range has the probability `upTo`, and the next narrower
 * one `above`.
 */
export type Range = Readonly<Record<'low' | 'high' | 'above' | 'upTo', number>>

/** Returns the ranges around the suggested level, each wider by one level on the likelier side; the first contains only that level. */
export function rangesOf({ upTo, value, lowest, highest }: Chances): Range[] {
  const shareOf = (level: number): number => upTo[level]! - (level === 0 ? 0 : upTo[level - 1]!)
  let [low, high, above] = [value, value, 0]
  let held = shareOf(value)
  const ranges = [{ low, high, above, upTo: held }]
  while (low > lowest || high < highest) {
    const down = high === highest || (low > lowest && shareOf(low - 1) >= shareOf(high + 1))
    above = held
    held += down ? shareOf(--low) : shareOf(++high)
    ranges.push({ low, high, above, upTo: held })
  }
  return ranges
}

/** The back-test result of one finished item, from those before it. */
export interface Seen {
  /** The narrowest range that contained the estimate; null if none did. */
  readonly needed: Range | null
  /** How much closer the suggestion was than the median of the training items. */
  readonly gain: number
}

/**
 * Back-tests the last finished items, in batches: computes the suggestion for each from the items before it, and the range it would have
 * needed.
 * @returns results by index; nothing for the first items of a project
 */
export async function lookBack(history: History, count = LOOKED_BACK, tuning = TUNING): Promise<Seen[]> {
  const { corpus, estimates, levels, levelOf } = history
  const places = Math.max(0, Math.min(count, estimates.length - FEWEST))
  const served = Math.min(BATCH_SIZE, Math.ceil(estimates.length / PARTS))
  const seen: Seen[] = []
  while (seen.length < places) {
    const from = seen.length
    const to = Math.min(places, from + served)
    const forecast = await learn(history, to, tuning)
    const median = medianOf(estimates.slice(to))
    for (let place = from; place < to; place++) {
      const [real, level] = [estimates[place]!, levelOf[place]!]
      const chances = forecast(corpus.vectors[place]!)
      seen.push({
        needed: rangesOf(chances).find(({ low, high }) => low <= level && level <= high) ?? null,
        gain: Math.abs(real - median) - Math.abs(real - levels[chances.value]!.value),
      })
    }
  }
  return seen
}

/**
 * Chooses the range whose confidence is closest to 75 % and returns that confidence: the share of back-tested items whose equally likely
 * range contained the estimate. This is conformal prediction: ranges reach the stated coverage for any texts and any quality of
 * suggestions, as long as new items resemble the last ones.
 * @param past back-test results in any order
 * @param finished number of estimates behind the ranges
 */
export function likelyRange(
  ranges: readonly Range[],
  past: readonly Seen[],
  finished: number,
): { readonly range: Range; readonly confidence: number } {
  // With so few items only this holds: the next of n + 1 values lies between the minimum and the maximum of n in n - 1 of n + 1 orders.
  if (COVERED * (past.length + 1) > past.length)
    return { range: ranges.at(-1)!, confidence: (finished - 1) / (finished + 1) }
  return ranges
    .map(range => ({ range, confidence: confidenceOf(range, past) }))
    .reduce((best, each) =>
      Math.abs(each.confidence - COVERED) < Math.abs(best.confidence - COVERED) - 1e-9 ? each : best,
    )
}

/** An item counts partly if the probability of its estimate extends beyond the range. */
function confidenceOf({ upTo }: Range, past: readonly Seen[]): number {
  const held = past.reduce((sum, { needed }) => {
    if (needed === null || upTo < needed.above) return sum
    return sum + (upTo >= needed.upTo ? 1 : (upTo - needed.above) / (needed.upTo - needed.above))
  }, 0)
  return held / (past.length + 1)
}
