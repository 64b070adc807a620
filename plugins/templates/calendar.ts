import { DAY_MS } from 'tasuki/plugin'

/** RFC 5545 names, Sunday first as in JavaScript. */
export const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** A day of the Gregorian calendar. Calculations use numbers of days since 1970-01-01. */
export interface CalendarDay {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly date: number
}

/** Returns the day number of a wall-clock time. */
export function dayOf(wall: number): number {
  return Math.floor(wall / DAY_MS)
}

export function calendarDay(day: number): CalendarDay {
  const date = new Date(day * DAY_MS)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, date: date.getUTCDate() }
}

/** Returns the day number of a date, the inverse of `calendarDay`. @param month 1 to 12; values beyond carry over to other years */
export function dayNumber(year: number, month: number, date: number): number {
  // Date.UTC takes years below 100 for those of the 20th century.
  return new Date(0).setUTCFullYear(year, month - 1, date) / DAY_MS
}

/** Returns the weekday of a day; 0 = Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

export function monthLength(year: number, month: number): number {
  return dayNumber(year, month + 1, 1) - dayNumber(year, month, 1)
}

export function yearLength(year: number): number {
  return dayNumber(year + 1, 1, 1) - dayNumber(year, 1, 1)
}

/** Returns the first day of a week-based year: of its first week with at least four days in the year (RFC 5545 3.3.10). */
export function weekYearStart(year: number, firstWeekday: number): number {
  const newYear = dayNumber(year, 1, 1)
  const back = (weekdayOf(newYear) - firstWeekday + 7) % 7
  return newYear - back + (back <= 3 ? 0 : 7)
}

/** Returns the week-based year of a day: the year of the fourth day of its week. */
export function weekYear(day: number, firstWeekday: number): number {
  return calendarDay(day + 3 - ((weekdayOf(day) - firstWeekday + 7) % 7)).year
}
