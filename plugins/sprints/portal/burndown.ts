import type { ProjectRow } from '../../projects/index.ts'
import { dateOfDay, dayNumber, medianOf } from '../calendar.ts'
import type { SprintItem, SprintRow } from '../sprint.ts'

/** The remaining work of a sprint at the end of each day. Days are `YYYY-MM-DD`. */
export interface Burndown {
  /** `points`, `hours` or `items`. */
  readonly unit: string
  readonly scope: number
  readonly from: string
  /** The last planned day; null = none. */
  readonly end: string | null
  /** From the first day to today, or to the last day of a closed sprint. */
  readonly days: readonly { readonly day: string; readonly left: number }[]
}

/** An item with its size. */
export type Sized = Pick<SprintItem, 'points' | 'completedAt'>

/**
 * Counts down from the current contents of the sprint, since the time when an item entered is not recorded.
 * @param dayOf returns the day of an instant in the owner's time zone, like the days of the forecast
 * @returns null while the sprint has no first day or no items
 */
export function burndownOf(
  { estimateUnit }: Pick<ProjectRow, 'estimateUnit'>,
  { startDate, startedAt, endDate }: Pick<SprintRow, 'startDate' | 'startedAt' | 'endDate'>,
  items: readonly Sized[],
  { until, dayOf }: { readonly until: string; readonly dayOf: (at: string) => string },
): Burndown | null {
  const from = startDate ?? (startedAt === null ? null : dayOf(startedAt))
  if (from === null || items.length === 0) return null
  const known = items.flatMap(({ points }) => (points === null ? [] : [points]))
  const measured = estimateUnit !== 'none' && known.length > 0
  const usual = measured ? medianOf(known) : 1
  const sizes = items.map(({ points, completedAt }) => ({
    // Unestimated items count as the median of the estimated ones, as in forecasts.
    size: measured ? (points ?? usual) : 1,
    done: completedAt === null ? null : dayOf(completedAt),
  }))
  const scope = sum(sizes.map(({ size }) => size))
  const days = daysBetween(from, until).map(day => ({
    day,
    left: round(scope - sum(sizes.flatMap(({ size, done }) => (done !== null && done <= day ? [size] : [])))),
  }))
  return { unit: measured ? estimateUnit : 'items', scope: round(scope), from, end: endDate, days }
}

/** Maximum number of days in a chart, for sprints that were never closed. */
const MAX_DAYS = 400

/** Returns the days of a range, both ends included; empty if the second is earlier. */
function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = dayNumber(first); day <= dayNumber(last) && days.length < MAX_DAYS; day++) days.push(dateOfDay(day))
  return days
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const round = (value: number): number => Math.round(value * 100) / 100
