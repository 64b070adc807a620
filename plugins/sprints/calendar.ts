import { dateOf, DAY_MS } from 'tasuki/plugin'

const LAST = Date.UTC(9999, 11, 31) / DAY_MS

/** Converts a date `YYYY-MM-DD` to days since 1970. */
export function dayNumber(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS)
}

/** Converts days since 1970 to a date `YYYY-MM-DD`; limited to the last representable date. */
export function dateOfDay(day: number): string {
  return dateOf(Math.min(day, LAST) * DAY_MS)
}

/** Returns whether a day is a Saturday or Sunday; 1 January 1970 was a Thursday. */
export function isWeekend(day: number): boolean {
  const weekday = (((day + 4) % 7) + 7) % 7
  return weekday === 0 || weekday === 6
}

/** Returns the lower median of a non-empty list. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[(sorted.length - 1) >> 1]!
}
