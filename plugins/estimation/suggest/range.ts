import { FEWEST, medianOf, type History } from './history.ts'
import { learn, TUNING, type Chances } from './forecast.ts'

/** Part of the estimates that ranges are meant to hold. */
const COVERED = 0.75
/** Finished items of the back-test: enough for a share within about four points, few enough to be recent. */
export const LOOKED_BACK = 100
/** Finished items that one learning of the back-test serves, and the parts of a short history. */
const SERVED = 20
const PARTS = 10

/** Levels around the suggested one, from place `low` to `high`; by the forecast it holds `upTo` of 1, and the range before it `above`. */
export type Range = Readonly<Record<'low' | 'high' | 'above' | 'upTo', number>>

/** The ranges around the suggested level, each wider by one level on the likelier side; the first is that level alone. */
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

/** What would have been said of a finished item from those before it. */
export interface Seen {
  /** The narrowest range that held the estimate; null where none did. */
  readonly needed: Range | null
  /** How much nearer the suggestion was than the median of what was learnt from. */
  readonly gain: number
}

/**
 * Looks back on the last finished items, a few at a time: what would have been said of each from those before them, and how wide its range
 * would have had to be.
 * @returns by place; nothing for the first items of a project
 */
export async function lookBack(history: History, count = LOOKED_BACK, tuning = TUNING): Promise<Seen[]> {
  const { corpus, estimates, levels, levelOf } = history
  const places = Math.max(0, Math.min(count, estimates.length - FEWEST))
  const served = Math.min(SERVED, Math.ceil(estimates.length / PARTS))
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
 * Chooses the range whose confidence is nearest to three in four, and says that confidence: the part of the items looked back on whose
 * range, as likely by its forecast, held the estimate. This is conformal prediction: whatever the texts and however good the suggestions,
 * ranges hold the part of the next estimates that they say, as long as the next items come about as the last ones did.
 * @param past what looking back has found, in any order
 * @param finished estimates that the ranges rest on
 */
export function likelyRange(
  ranges: readonly Range[],
  past: readonly Seen[],
  finished: number,
): { readonly range: Range; readonly confidence: number } {
  // With so few only this is known: the next of n + 1 values lies between the least and the greatest of n in n - 1 of n + 1 orders.
  if (COVERED * (past.length + 1) > past.length)
    return { range: ranges.at(-1)!, confidence: (finished - 1) / (finished + 1) }
  return ranges
    .map(range => ({ range, confidence: confidenceOf(range, past) }))
    .reduce((best, each) =>
      Math.abs(each.confidence - COVERED) < Math.abs(best.confidence - COVERED) - 1e-9 ? each : best,
    )
}

/** An item counts in part where the estimate's own share reaches beyond the range. */
function confidenceOf({ upTo }: Range, past: readonly Seen[]): number {
  const held = past.reduce((sum, { needed }) => {
    if (needed === null || upTo < needed.above) return sum
    return sum + (upTo >= needed.upTo ? 1 : (upTo - needed.above) / (needed.upTo - needed.above))
  }, 0)
  return held / (past.length + 1)
}
