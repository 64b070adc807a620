import { DAY_MS, HOUR_MS, MINUTE_MS } from 'tasuki/plugin'
import {
  calendarDay,
  dayNumber,
  dayOf,
  monthLength,
  weekdayOf,
  WEEKDAYS,
  weekYear,
  weekYearStart,
  yearLength,
} from './calendar.ts'
import type { CalendarDay } from './calendar.ts'
import type { Rule } from './rule.ts'

/** Years until a search stops; after that all calendars repeat. */
const YEARS = 400
/** Days without an occurrence after which a rule counts as ended. */
const HORIZON = 200 * 366
/** Later dates have five-digit years. */
const LAST_DAY = dayNumber(9999, 12, 31)

/** Searches the times of a rule: wall-clock times as if they were UTC, in milliseconds. */
export interface Search {
  /** Returns the first time after the given one; null if there is none within 200 years. */
  next(wall: number): number | null
  /** Returns the last time before the given one; null for none. */
  previous(wall: number): number | null
  /** Visits times from the start until the callback returns false; returns false if 400 years are not enough. */
  each(visit: (wall: number) => boolean): boolean
}

/** The recurring periods of a rule. The rule chooses times in each; a period may have none. */
interface Periods {
  /** Returns the index of the period that contains a day, counted from that of the start, including those between intervals. */
  indexOf(wall: number): number
  /** Returns the first day of a period. */
  first(index: number): number
  /** Returns the first day after a period. */
  end(index: number): number
}

/**
 * Creates the search for a rule with a start, ignoring its end. It calculates with whole days and counts the times of a period instead of
 * listing them, so that no rule takes more than some milliseconds.
 */
export function searchOf(rule: Rule, start: number, allDay: boolean): Search {
  const periods = rule.freq === 'HOURLY' ? null : periodsOf(rule, dayOf(start))
  const fits = dayFilter(rule, dayOf(start))
  const set = periods ? setOfDays(rule, periods, fits, start, allDay) : setOfHours(rule, fits, start)
  return {
    next: wall => set.after(Math.max(wall, start - 1), Math.min(dayOf(Math.max(wall, start)) + HORIZON, LAST_DAY)),
    previous: wall => set.before(wall, start),
    each(visit) {
      const last = Math.min(dayOf(start) + YEARS * 366, LAST_DAY)
      for (let wall = set.after(start - 1, last); wall !== null; wall = set.after(wall, last))
        if (!visit(wall)) return true
      return false
    },
  }
}

interface OccurrenceSet {
  /** @param last the last day to search */
  after(wall: number, last: number): number | null
  before(wall: number, start: number): number | null
}

/** Builds the occurrences of yearly to daily rules: all chosen days of a period have the same times. */
function setOfDays(rule: Rule, periods: Periods, fits: DayFilter, start: number, allDay: boolean): OccurrenceSet {
  const times = allDay ? [0] : timesOf(rule, start)
  const choose = chooserOf(rule)
  const { interval } = rule
  /** Cache of the last period, since the next time is often in the same one. */
  let known: { readonly index: number; readonly walls: (n: number) => number; readonly count: number } | null = null
  const read = (index: number): NonNullable<typeof known> => {
    if (known?.index === index) return known
    const days: number[] = []
    for (let day = periods.first(index), end = periods.end(index); day < end; day++) if (fits(day)) days.push(day)
    const all = days.length * times.length
    const chosen = choose?.(all)
    const wall = (n: number) => days[Math.floor(n / times.length)]! * DAY_MS + times[n % times.length]!
    known = { index, count: chosen ? chosen.length : all, walls: chosen ? n => wall(chosen[n]!) : wall }
    return known
  }
  return {
    after(wall, last) {
      for (let index = align(periods.indexOf(wall), interval); periods.first(index) <= last; index += interval) {
        const { count, walls } = read(index)
        const n = search(count, walls, wall + 1)
        if (n < count) return walls(n)
      }
      return null
    },
    before(wall) {
      for (let index = align(periods.indexOf(wall), interval); index >= 0; index -= interval) {
        const { count, walls } = read(index)
        const n = search(count, walls, wall) - 1
        if (n >= 0) return walls(n) < start ? null : walls(n)
      }
      return null
    },
  }
}

/** Builds the occurrences of hourly rules: the times of an hour are minutes; days that do not match are skipped as a whole. */
function setOfHours(rule: Rule, fits: DayFilter, start: number): OccurrenceSet {
  const hours = listOf(rule, 'BYHOUR')
  const minutes = minutesOf(rule, start)
  const chosen = chooserOf(rule)?.(minutes.length).map(n => minutes[n]!) ?? minutes
  const first = Math.floor(start / HOUR_MS)
  const { interval } = rule
  const occurs = (hour: number): boolean => !hours || hours.includes(((hour % 24) + 24) % 24)
  return {
    after(wall, last) {
      if (chosen.length === 0) return null
      let hour = first + align(Math.floor(wall / HOUR_MS) - first, interval)
      while (Math.floor(hour / 24) <= last) {
        const day = Math.floor(hour / 24)
        if (!fits(day)) {
          hour = first + align((day + 1) * 24 - first + interval - 1, interval)
          continue
        }
        const minute = occurs(hour) ? chosen.find(each => hour * HOUR_MS + each > wall) : undefined
        if (minute !== undefined) return hour * HOUR_MS + minute
        hour += interval
      }
      return null
    },
    before(wall) {
      if (chosen.length === 0) return null
      let hour = first + align(Math.floor(wall / HOUR_MS) - first, interval)
      while (hour >= first) {
        const day = Math.floor(hour / 24)
        if (!fits(day)) {
          hour -= Math.ceil((hour - day * 24 + 1) / interval) * interval
          continue
        }
        const minute = occurs(hour) ? chosen.findLast(each => hour * HOUR_MS + each < wall) : undefined
        if (minute !== undefined) return hour * HOUR_MS + minute < start ? null : hour * HOUR_MS + minute
        hour -= interval
      }
      return null
    },
  }
}

/** Returns the last multiple of the interval up to a number. */
function align(index: number, interval: number): number {
  return Math.max(0, Math.floor(index / interval) * interval)
}

/** Returns, by binary search, the index of the first of `count` ascending values that is not below a bound; `count` for none. */
function search(count: number, valueOf: (n: number) => number, bound: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (valueOf(middle) < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns which indexes BYSETPOS selects from a number of times, ascending; undefined without it. */
function chooserOf(rule: Rule): ((count: number) => readonly number[]) | undefined {
  const positions = listOf(rule, 'BYSETPOS')
  if (!positions) return undefined
  const known = new Map<number, readonly number[]>()
  return count => {
    let chosen = known.get(count)
    if (!chosen) {
      const places = positions.map(position => (position > 0 ? position - 1 : count + position))
      chosen = [...new Set(places)].filter(place => place >= 0 && place < count).toSorted((a, b) => a - b)
      known.set(count, chosen)
    }
    return chosen
  }
}

function periodsOf({ freq, parts }: Rule, start: number): Periods {
  const { year, month } = calendarDay(start)
  const weekStart = firstWeekday(parts)
  if (freq === 'DAILY') return { indexOf: wall => dayOf(wall) - start, first: n => start + n, end: n => start + n + 1 }
  if (freq === 'WEEKLY') {
    const begin = start - ((weekdayOf(start) - weekStart + 7) % 7)
    return {
      indexOf: wall => Math.floor((dayOf(wall) - begin) / 7),
      first: n => begin + 7 * n,
      end: n => begin + 7 * (n + 1),
    }
  }
  if (freq === 'MONTHLY') {
    const first = (n: number) => dayNumber(year, month + n, 1)
    const indexOf = (wall: number) => {
      const at = calendarDay(dayOf(wall))
      return (at.year - year) * 12 + at.month - month
    }
    return { indexOf, first, end: n => first(n + 1) }
  }
  // Week-based years do not start and end with calendar years.
  const weeks = parts.has('BYWEEKNO')
  const yearOf = (day: number) => (weeks ? weekYear(day, weekStart) : calendarDay(day).year)
  const begin = yearOf(start)
  const first = (n: number) => (weeks ? weekYearStart(begin + n, weekStart) : dayNumber(begin + n, 1, 1))
  return { indexOf: wall => yearOf(dayOf(wall)) - begin, first, end: n => first(n + 1) }
}

type DayFilter = (day: number) => boolean

/** Returns a predicate for days by the rule's day parts; parts that the rule omits come from the start. */
function dayFilter(rule: Rule, start: number): DayFilter {
  const { freq, parts } = rule
  const [months, weeks, yearDays, monthDays] = ['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY'].map(name =>
    listOf(rule, name),
  )
  const weekdays = parts.has('BYDAY')
    ? weekdayFilter(parts.get('BYDAY')!, freq === 'MONTHLY' || parts.has('BYMONTH'))
    : null
  const weekStart = firstWeekday(parts)
  const from = calendarDay(start)
  const undated = !weeks && !yearDays && !monthDays && !weekdays
  const sameWeekday = (freq === 'WEEKLY' && !weekdays) || (freq === 'YEARLY' && weeks !== undefined && !weekdays)
  const sameDate = undated && (freq === 'YEARLY' || freq === 'MONTHLY')
  const sameMonth = undated && freq === 'YEARLY' && !months
  return day => {
    const at = calendarDay(day)
    if (months && !months.includes(at.month)) return false
    if (sameMonth && at.month !== from.month) return false
    if (sameDate && at.date !== from.date) return false
    if (sameWeekday && weekdayOf(day) !== weekdayOf(start)) return false
    if (monthDays && !isAmong(monthDays, at.date, monthLength(at.year, at.month))) return false
    if (yearDays && !isAmong(yearDays, day - dayNumber(at.year, 1, 1) + 1, yearLength(at.year))) return false
    if (weekdays && !weekdays(day, at)) return false
    return !weeks || isInWeeks(weeks, day, weekStart)
  }
}

function isInWeeks(weeks: readonly number[], day: number, weekStart: number): boolean {
  const year = weekYear(day, weekStart)
  const begin = weekYearStart(year, weekStart)
  return isAmong(weeks, Math.floor((day - begin) / 7) + 1, (weekYearStart(year + 1, weekStart) - begin) / 7)
}

/** BYDAY: each weekday, or the nth one from the beginning or the end of the month or year. */
function weekdayFilter(value: string, ofMonth: boolean): (day: number, at: CalendarDay) => boolean {
  const ordinals = WEEKDAYS.map(name =>
    value
      .split(',')
      .filter(item => item.endsWith(name))
      .map(item => Number(item.slice(0, -2))),
  )
  return (day, at) => {
    const wanted = ordinals[weekdayOf(day)]!
    if (wanted.length === 0) return false
    if (wanted.includes(0)) return true
    const length = ofMonth ? monthLength(at.year, at.month) : yearLength(at.year)
    const place = ofMonth ? at.date : day - dayNumber(at.year, 1, 1) + 1
    return wanted.includes(Math.ceil(place / 7)) || wanted.includes(-Math.ceil((length - place + 1) / 7))
  }
}

/** Returns whether a list contains a position, counted from the start or the end. */
function isAmong(list: readonly number[], place: number, count: number): boolean {
  return list.includes(place) || list.includes(place - count - 1)
}

function timesOf(rule: Rule, start: number): readonly number[] {
  const intoDay = start - dayOf(start) * DAY_MS
  const hours = listOf(rule, 'BYHOUR') ?? [Math.floor(intoDay / HOUR_MS)]
  const minutes = minutesOf(rule, start)
  return hours.flatMap(hour => minutes.map(minute => hour * HOUR_MS + minute))
}

/** Returns the milliseconds into the hour, ascending. */
function minutesOf(rule: Rule, start: number): readonly number[] {
  const intoHour = start - Math.floor(start / HOUR_MS) * HOUR_MS
  const seconds = rule.parts.has('BYSECOND') ? 0 : intoHour % MINUTE_MS
  const minutes = listOf(rule, 'BYMINUTE') ?? [Math.floor(intoHour / MINUTE_MS)]
  return minutes.map(minute => minute * MINUTE_MS + seconds)
}

/** Returns the first day of the week; 0 = Sunday. */
export function firstWeekday(parts: Rule['parts']): number {
  return WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')
}

/** Returns a list of distinct numbers, ascending; undefined if the rule has none. */
function listOf({ parts }: Rule, name: string): readonly number[] | undefined {
  const value = parts.get(name)
  return value === undefined ? undefined : [...new Set(value.split(',').map(Number))].toSorted((a, b) => a - b)
}
