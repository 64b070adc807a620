const DAY = 86_400_000
const LAST = Date.UTC(9999, 11, 31) / DAY

/** Days since 1970 of a date `YYYY-MM-DD`. */
export function dayNumber(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY)
}

/** The date `YYYY-MM-DD` of days since 1970; no later than dates can be written. */
export function dateOf(day: number): string {
  return new Date(Math.min(day, LAST) * DAY).toISOString().slice(0, 10)
}

/** Saturday or Sunday; the first of January 1970 was a Thursday. */
export function isWeekend(day: number): boolean {
  const weekday = (((day + 4) % 7) + 7) % 7
  return weekday === 0 || weekday === 6
}
