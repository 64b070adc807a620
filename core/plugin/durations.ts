/** Durations in milliseconds. A day has 24 hours: calendar days of a time zone may be shorter or longer. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Returns whether a value is an instant as JSON contains it: `2026-12-01T09:00:00.000Z`. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
}

/** Formats the day of an instant in UTC as `YYYY-MM-DD`. */
export function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

/** Adds days to a date `YYYY-MM-DD`. */
export function plusDays(date: string, days: number): string {
  return dateOf(Date.parse(date) + days * DAY_MS)
}
