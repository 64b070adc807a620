import { DAY_MS } from 'tasuki/plugin'

/** RFC 5545 names, Sunday first as in JavaScript. */
export const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** A day of the Gregorian calendar. Days are counted from 1970-01-01, so that calculations are pure arithmetic. */
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

/** Converts a day number to a date by Howard Hinnant's civil_from_days: years start in March, so the leap day is the last of a year. */
export function calendarDay(day: number): CalendarDay {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    date: ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  }
}

/** Returns the day number of a date, the inverse of `calendarDay`. @param month 1 to 12; values beyond carry over to other years */
export function dayNumber(year: number, month: number, date: number): number {
  const carried = Math.floor((month - 3) / 12)
  const shiftedYear = year + carried
  const shiftedMonth = month - 3 - carried * 12
  const era = Math.floor(shiftedYear / 400)
  const yearOfEra = shiftedYear - era * 400
  const ofYear = Math.floor((153 * shiftedMonth + 2) / 5) + date - 1
  const ofEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + ofYear
  return era * 146_097 + ofEra - 719_468
}

/** Returns the weekday of a day; 0 = Sunday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

export function monthLength(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

export function yearLength(year: number): number {
  return isLeap(year) ? 366 : 365
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

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
