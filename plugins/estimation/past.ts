import type { SprintClosing } from '../sprints/index.ts'

/** An unfinished item of a sprint, with the number of consecutive sprints that ended without finishing it. */
export interface CarryOver {
  readonly ref: string
  readonly title: string
  readonly outcome: string
  readonly points: number | null
  /** 1 = it was not in the previous sprint, or is a continuation. */
  readonly times: number
}

/** Returns the unfinished items of a sprint, each with the number of directly preceding sprints that left it unfinished too. */
export function carryOvers(closing: SprintClosing, earlier: readonly SprintClosing[]): CarryOver[] {
  const undone = closing.items.filter(item => item.outcome !== 'done')
  const leftBy = earlier.map(
    ({ items }) => new Set(items.flatMap(item => (item.outcome === 'done' ? [] : [item.item_id]))),
  )
  return undone.map(({ item_id: id, item_ref: ref, title, outcome, points }) => {
    const finished = leftBy.findIndex(left => !left.has(id))
    return { ref, title, outcome, points: points ?? null, times: 1 + (finished < 0 ? leftBy.length : finished) }
  })
}

/** Returns the closings that can be compared: those with the unit of the latest one that are not empty. */
export function selectComparable(closings: readonly SprintClosing[]): SprintClosing[] {
  return closings.filter(({ unit, itemCount }) => unit === closings[0]?.unit && itemCount > 0)
}

export function average(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length
}
