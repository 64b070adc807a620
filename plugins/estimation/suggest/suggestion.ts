import type { Corpus } from './likeness.ts'

/** Finished items after which an older one counts half: teams change what a point means. */
const HALF_LIFE = 200
/** What the whole history weighs, in items of the very same text. */
const WHOLE_WEIGHT = 2
/** Part of what is likely that the stated range covers at least. */
const COVERED = 0.7
/** Items that a suggestion names. */
const NAMED = 3

/** What is suggested for one text. */
export interface Suggestion {
  readonly value: number
  readonly low: number
  readonly high: number
  /** Chance that the estimate which people would give lies in the range, from 0 to 1. */
  readonly confidence: number
  /** The finished items that it rests on, the most alike first. */
  readonly basis: readonly { readonly place: number; readonly likeness: number }[]
}

/** What a project has finished, the latest first. */
export interface History {
  /** Texts in the order of the estimates. */
  readonly corpus: Corpus
  readonly estimates: readonly number[]
}

/** The estimate in the middle of the history, which needs one item at least. */
export function medianOf(estimates: readonly number[]): number {
  const sorted = estimates.toSorted((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1]!
}

/**
 * Suggests one of the estimates that the project has given before: the middle of them, where each counts by its age and by the square of
 * its likeness. Beside that the whole history weighs as much as two items of the same text, which draws the value to the project's median
 * where nothing is much alike.
 * @param likeness by place in the history, from 0 to 1
 * @param since place from which the history counts, for looking back at how well it would have done
 */
export function suggest({ estimates }: History, likeness: Float64Array, since = 0): Suggestion {
  const places = Array.from({ length: estimates.length - since }, (_, age) => since + age)
  const recency = places.map((_, age) => 0.5 ** (age / HALF_LIFE))
  const whole = WHOLE_WEIGHT / recency.reduce((a, b) => a + b, 0)
  const weights = places.map((place, age) => recency[age]! * (likeness[place]! ** 2 + whole))
  const { levels, shares } = distribution(
    places.map(place => estimates[place]!),
    weights,
  )
  const { middle, low, high, share } = likelyRange(shares)
  // That an unseen estimate lies outside all that were seen is likely while few were seen.
  const seen = (places.length - 1) / (places.length + 1)
  const basis = mostAlike(places, likeness)
  return { value: levels[middle]!, low: levels[low]!, high: levels[high]!, confidence: share * seen, basis }
}

/** The few most alike, the later finished first where they are equally alike. */
function mostAlike(places: readonly number[], likeness: Float64Array): Suggestion['basis'] {
  const best: { place: number; likeness: number }[] = []
  for (const place of places) {
    const at = best.findIndex(other => other.likeness < likeness[place]!)
    if (at < 0 && best.length === NAMED) continue
    best.splice(at < 0 ? best.length : at, 0, { place, likeness: likeness[place]! })
    best.length = Math.min(best.length, NAMED)
  }
  return best
}

interface Distribution {
  /** The different estimates, ascending. */
  readonly levels: readonly number[]
  /** What each weighs, of 1. */
  readonly shares: readonly number[]
}

function distribution(values: readonly number[], weights: readonly number[]): Distribution {
  const sums = new Map<number, number>()
  values.forEach((value, n) => sums.set(value, (sums.get(value) ?? 0) + weights[n]!))
  const total = weights.reduce((a, b) => a + b, 0)
  const levels = [...sums.keys()].toSorted((a, b) => a - b)
  return { levels, shares: levels.map(level => sums.get(level)! / total) }
}

/** The middle level, and the levels around it that are likely enough together: each step goes to the likelier side. */
function likelyRange(shares: readonly number[]): { middle: number; low: number; high: number; share: number } {
  const last = shares.length - 1
  let middle = 0
  for (let below = shares[0]!; below < 0.5 && middle < last; below += shares[middle]!) middle++
  let [low, high, share] = [middle, middle, shares[middle]!]
  while (share < COVERED && (low > 0 || high < last)) {
    const down = high === last || (low > 0 && shares[low - 1]! >= shares[high + 1]!)
    share += down ? shares[--low]! : shares[++high]!
  }
  return { middle, low, high, share: Math.min(1, share) }
}
