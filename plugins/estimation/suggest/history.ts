import { medianOf } from '../../sprints/index.ts'
import type { Corpus } from './likeness.ts'

/** Minimum number of finished items for a suggestion. */
export const FEWEST = 5
/** Maximum number of distinct levels; projects with more, such as those that estimate in hours, group them. */
const LEVELS_MAX = 16

/** One estimate, or a group of adjacent estimates that count as one; `value` is the median of the group. */
export type Level = Readonly<Record<'value' | 'low' | 'high', number>>

/** The finished items of a project, latest first. */
export interface History {
  /** Texts in the order of the estimates. */
  readonly corpus: Corpus
  readonly estimates: readonly number[]
  /** Ascending. */
  readonly levels: readonly Level[]
  /** By index in the history, the index of the level. */
  readonly levelOf: Int32Array
}

/** Prepares finished items for learning. @param estimates latest first, in the order of the corpus */
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
