import { RRuleTemporal } from 'rrule-temporal'
import { ruleText, type Frequency, type Rule } from './rule.ts'

const DAY = 86_400_000
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** Periods that the library searches through for a rule that never comes due; together with the other bound well below a second. */
const PERIODS: Readonly<Record<Frequency, number>> = {
  YEARLY: 400,
  MONTHLY: 2400,
  WEEKLY: 5000,
  DAILY: 5000,
  HOURLY: 5000,
}
const CANDIDATES = 600_000

/** Searches the times of a rule; times are as clocks show them, written as if they were UTC, in milliseconds. */
export interface Search {
  next(wall: number): number | null
  previous(wall: number): number | null
  /** Visits times from the start on until told to stop; false when the library gave up before. */
  each(visit: (wall: number) => boolean): boolean
}

/** A rule that begins at a time; without its end, and of a rule without times without the parts that say one. */
export function searchOf(rule: Rule, start: number, allDay: boolean): Search {
  const found = new RRuleTemporal({
    rruleString: libraryText(rule, start, allDay),
    tzid: 'UTC',
    maxIterations: PERIODS[rule.freq],
    maxCandidateEvaluations: CANDIDATES,
  })
  return {
    next: wall => within(() => found.next(new Date(wall))?.epochMilliseconds) ?? null,
    previous: wall => within(() => found.previous(new Date(wall))?.epochMilliseconds) ?? null,
    each: visit => within(() => found.all(date => visit(date.epochMilliseconds))) !== null,
  }
}

/** Null when the library gave up, which it tells by an error. */
function within<T>(find: () => T): T | null {
  try {
    return find()
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Maximum ')) return null
    throw error
  }
}

/**
 * Years of weeks begin in another year than those of months, which the library forgets for the first of them, so such a rule begins one
 * period earlier; callers leave out what is before the start.
 */
function libraryText(rule: Rule, start: number, allDay: boolean): string {
  const parts = new Map(rule.parts)
  if (allDay) for (const name of ['BYHOUR', 'BYMINUTE', 'BYSECOND']) parts.delete(name)
  const begin = parts.has('BYWEEKNO') ? weekYearStart(rule, parts, start) : start
  const written = ruleText({ ...rule, count: null, until: null, parts })
  return `DTSTART:${new Date(begin).toISOString().replace(/[-:]|\.\d+/g, '')}\nRRULE:${written}`
}

/** Moves the start into the middle of a year of weeks; says the weekday, which would come from the start. */
function weekYearStart({ interval }: Rule, parts: Map<string, string>, start: number): number {
  const date = new Date(start)
  if (!parts.has('BYDAY')) parts.set('BYDAY', WEEKDAYS[date.getUTCDay()]!)
  date.setUTCFullYear(weekYear(start, parts) - interval, 6, 1)
  return date.getTime()
}

/** The year of a time's week: the one that has the fourth day of the week (RFC 5545 3.3.10). */
export function weekYear(wall: number, parts: Rule['parts']): number {
  const firstDay = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')
  const intoWeek = (new Date(wall).getUTCDay() - firstDay + 7) % 7
  return new Date(wall + (3 - intoWeek) * DAY).getUTCFullYear()
}
