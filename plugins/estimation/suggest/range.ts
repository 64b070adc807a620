import { distribution, FEWEST, type Distribution, type History } from './history.ts'

/** Part of the estimates that ranges are meant to hold. */
const COVERED = 0.75
/** Finished items of the back-test: enough for a share within about four points, few enough to be recent. */
export const LOOKED_BACK = 100

/** Estimates around the middle of what is likely. */
export interface Range {
  readonly low: number
  readonly high: number
  /** What the range before it held, of 1: a range has this width where that did not do. */
  readonly above: number
}

/** The ranges around the middle, each wider by one level on the likelier side; the first is the middle alone. */
export function rangesOf({ levels, shares }: Distribution): Range[] {
  const last = levels.length - 1
  let middle = 0
  for (let below = shares[0]!; below < 0.5 && middle < last; below += shares[middle]!) middle++
  let [low, high, above, share] = [middle, middle, 0, shares[middle]!]
  const ranges = [{ low: levels[low]!, high: levels[high]!, above }]
  while (low > 0 || high < last) {
    const down = high === last || (low > 0 && shares[low - 1]! >= shares[high + 1]!)
    above = share
    share += down ? shares[--low]! : shares[++high]!
    ranges.push({ low: levels[low]!, high: levels[high]!, above })
  }
  return ranges
}

/**
 * Looks back on the last finished items: what would have been said of each from those before it, and how wide its range would have had to be.
 * @returns by place `above` of the narrowest range that held the estimate, infinite where none did; nothing for the first items of a project
 */
export function lookBack(history: History, count = LOOKED_BACK): number[] {
  const places = Math.max(0, Math.min(count, history.estimates.length - FEWEST))
  return Array.from({ length: places }, (_, place) => {
    const estimate = history.estimates[place]!
    const ranges = rangesOf(distribution(history, history.corpus.likenessWithin(place), place + 1))
    return ranges.find(({ low, high }) => low <= estimate && estimate <= high)?.above ?? Infinity
  })
}

/**
 * Chooses the range as wide as it takes to hold three in four of the items looked back on, and says how many these were. This is conformal
 * prediction: whatever the texts and however good the suggestions, the part of the ranges that hold the next estimate is the stated one as
 * long as the next items come about as the last ones did.
 * @param needed what looking back has found, in any order
 * @param seen estimates that the ranges rest on
 */
export function likelyRange(
  ranges: readonly Range[],
  needed: readonly number[],
  seen: number,
): { readonly range: Range; readonly confidence: number } {
  const ascending = needed.toSorted((a, b) => a - b)
  const width = ascending[Math.ceil(COVERED * (needed.length + 1)) - 1]
  // With so few only this is known: the next of n + 1 values lies between the least and the greatest of n in n - 1 of n + 1 orders.
  if (width === undefined) return { range: ranges.at(-1)!, confidence: (seen - 1) / (seen + 1) }
  const held = needed.filter(each => each <= width && each < Infinity).length
  return { range: ranges.findLast(({ above }) => above <= width)!, confidence: held / (needed.length + 1) }
}
