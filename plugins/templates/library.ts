import { RRuleTemporal } from 'rrule-temporal'
import { refusal, ruleText, type Frequency, type Rule } from './rule.ts'

const DAY = 86_400_000
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** Periods that one search goes through before a rule counts as never due. Nothing else runs meanwhile: some 30 ms at most. */
const PERIODS: Readonly<Record<Frequency, number>> = {
  YEARLY: 400,
  MONTHLY: 2400,
  WEEKLY: 5000,
  DAILY: 5000,
  HOURLY: 1500,
}
/** Times that one search goes through; not a million, with which the library takes paths without a limit. */
const CANDIDATES = 600_000
/** With BYSETPOS each of them costs some 20 us instead of half a one. */
const CHOSEN_CANDIDATES = 3000

/**
 * Searches the times of a rule; times are as clocks show them, written as if they were UTC, in milliseconds.
 * @throws ToolError invalid_argument where that is too much work
 */
export interface Search {
  next(wall: number): number | null
  previous(wall: number): number | null
  /** Visits times from the start until the callback returns false; returns false when the library gave up before. */
  each(visit: (wall: number) => boolean): boolean
}

/** A rule that begins at a time; without its end, and of a rule without times without the parts that say one. */
export function searchOf(rule: Rule, start: number, allDay: boolean): Search {
  const rules = new RRuleTemporal({
    rruleString: libraryText(rule, start, allDay),
    tzid: 'UTC',
    maxIterations: PERIODS[rule.freq],
    maxCandidateEvaluations: rule.parts.has('BYSETPOS') ? CHOSEN_CANDIDATES : CANDIDATES,
  })
  return {
    next: wall => within(rule, () => rules.next(new Date(wall))?.epochMilliseconds) ?? null,
    previous: wall => within(rule, () => rules.previous(new Date(wall))?.epochMilliseconds) ?? null,
    each: visit => within(rule, () => rules.all(date => visit(date.epochMilliseconds))) !== null,
  }
}

/** The library tells by errors that it gave up. @returns null where it went through all periods */
function within<T>(rule: Rule, find: () => T): T | null {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('Maximum ')) throw error
    return error.message.startsWith('Maximum candidate') ? tooMuchWork(rule) : null
  }
}

function tooMuchWork(rule: Rule): never {
  throw refusal(`${ruleText(rule)} takes too long to compute, or never comes due`, {
    hint: 'Give no BYSETPOS beyond what a period has, fewer BYHOUR and BYMINUTE values, or a smaller COUNT; or make several templates.',
  })
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
