import type { Phrase } from './vocabulary.ts'
import { calendarDay, dayNumber, monthLength, weekdayOf } from '../calendar.ts'

/** @param today its day number @returns null for an invalid day */
export type ReadDay = (today: number, ...groups: string[]) => number | null

/** Returns phrases for days. */
export const dayPhrases = (days: readonly (readonly [pattern: string, read: ReadDay])[]): readonly Phrase[] =>
  days.map(([pattern, read]) => [pattern, (...groups) => ({ day: today => read(today, ...groups) })])

/** Returns the next day after today with a weekday; 0 = Sunday. */
export const weekdayAfter = (today: number, weekday: number): number =>
  today + (((weekday - weekdayOf(today) + 6) % 7) + 1)

/** Returns a weekday of the week `weeks` from now; weeks start on Monday. */
export const weekdayIn = (today: number, weekday: number, weeks: number): number =>
  today - ((weekdayOf(today) + 6) % 7) + ((weekday + 6) % 7) + 7 * weeks

export const monthsLater = (today: number, months: number): number =>
  Math.min(monthEnd(today, months - 1) + calendarDay(today).date, monthEnd(today, months))

export function monthEnd(today: number, months = 0): number {
  const { year, month } = calendarDay(today)
  return dayNumber(year, month + months + 1, 1) - 1
}

/** Returns the next day with a date of the month; null if it is not in the first `months` months. */
export function nextDate(today: number, date: number, months = 3): number | null {
  const found = monthEnd(today, -1) + date
  if (date < 1 || months === 0) return null
  return found >= today && found <= monthEnd(today) ? found : nextDate(monthEnd(today) + 1, date, months - 1)
}

export const yearEnd = (today: number): number => dayNumber(calendarDay(today).year, 12, 31)

/** Reads year, month and date; without a year, the day in this year, or in the next one if it has passed. */
export const readDate: ReadDay = (today, y, m, d) => {
  const [year, month, date] = [y ? Number(y) : calendarDay(today).year, Number(m), Number(d)]
  if (month < 1 || month > 12 || date < 1 || date > monthLength(year, month)) return null
  const found = dayNumber(year, month, date)
  return found < today && !y ? readDate(today, String(year + 1), m, d) : found
}
