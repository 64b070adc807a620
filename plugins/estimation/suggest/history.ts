import type { Corpus } from './likeness.ts'

/** Finished items below which a suggestion would be a guess. */
export const FEWEST = 5
/** Different estimates that are told apart at most: projects with more, such as those that estimate in hours, have them in groups. */
const LEVELS_MAX = 16

/** An estimate that a project gives, or estimates beside each other that are not told apart; `value` is the middle of them. */
export type Level = Readonly<Record<'value' | 'low' | 'high', number>>

/** What a project has finished, the latest first. */
export interface History {
  /** Texts in the order of the estimates. */
  readonly corpus: Corpus
  readonly estimates: readonly number[]
  /** Ascending. */
  readonly levels: readonly Level[]
  /** By place in the history, the place among the levels. */
  readonly levelOf: Int32Array
}

/** Prepares finished items for being learnt from. @param estimates the latest first, as the texts of the corpus */
export function historyOf(corpus: Corpus, estimates: readonly number[]): History {
  const sorted = estimates.toSorted((a, b) => a - b)
  const groups: number[][] = []
  const apart = new Set(estimates).size <= LEVELS_MAX
  for (const [n, estimate] of sorted.entries()) {
    const last = groups.at(-1)
    const full = apart || (last?.length ?? 0) * LEVELS_MAX >= sorted.length
    if (last && (estimate === sorted[n - 1] || !full)) last.push(estimate)
    else groups.push([estimate])
  }
  const levels = groups.map(group => ({ value: medianOf(group), low: group[0]!, high: group.at(-1)! }))
  const levelOf = Int32Array.from(estimates, estimate => levels.findIndex(({ high }) => estimate <= high))
  return { corpus, estimates, levels, levelOf }
}

/** The estimate in the middle, of one at least. */
export function medianOf(estimates: readonly number[]): number {
  const sorted = estimates.toSorted((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1]!
}
