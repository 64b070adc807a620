import { RRuleTemporal } from 'rrule-temporal'
import type { ToolError } from 'tasuki/plugin'
import { readRule, refusal, ruleText, type Frequency, type Rule } from './rule.ts'
import { instantOf, requireTimeZone, startOfDay, wallClock } from './zone.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** A rule that is not due for so long is never due. */
const HORIZON = 200 * 366 * DAY
/** Periods that the library searches through for a rule that never comes due; together with the other bound well below a second. */
const PERIODS: Readonly<Record<Frequency, number>> = {
  YEARLY: 400,
  MONTHLY: 2400,
  WEEKLY: 5000,
  DAILY: 5000,
  HOURLY: 5000,
}
const CANDIDATES = 600_000

const DEFAULT_TIME_ZONE = 'Asia/Tokyo'
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** A rule with what makes its occurrences definite; plain data, as it is stored. */
export interface Recurrence {
  /** RRULE value. */
  readonly rule: string
  /** IANA name. */
  readonly timezone: string
  /** Local time `YYYY-MM-DDTHH:MM:SS`; a date alone makes occurrences days without a time. */
  readonly dtstart: string
  /** The series begins after this instant (ISO 8601); null = with DTSTART. */
  readonly startsAfter: string | null
  /** Nothing occurs after this instant (ISO 8601); null = the series has no end. */
  readonly endsAt: string | null
}

/**
 * Reads an RRULE, with or without `RRULE:` before it and a DTSTART line. Without DTSTART the series begins now: what the rule leaves open
 * is taken from today, and at midnight unless the rule says when.
 * @param timeZone default that of DTSTART, else Asia/Tokyo
 * @throws ToolError invalid_argument
 */
export function readRecurrence(text: string, timeZone: string | undefined, now: Date): Recurrence {
  const { rule: value, start } = readLines(text)
  const named = timeZone === undefined ? undefined : requireTimeZone(timeZone)
  const own = start?.timeZone === undefined ? undefined : requireTimeZone(start.timeZone)
  if (named !== undefined && own !== undefined && named !== own) {
    throw refusal(`DTSTART is in ${own} and timezone is ${named}`, { hint: 'Give one of them.' })
  }
  const timezone = named ?? own ?? DEFAULT_TIME_ZONE
  const rule = readRule(value)
  const endless: Recurrence = {
    rule: ruleText(rule),
    timezone,
    dtstart: start ? startIn(start, timezone) : today(rule, timezone, now),
    startsAfter: start ? null : now.toISOString(),
    endsAt: null,
  }
  if (rule.freq === 'HOURLY' && isAllDay(endless)) {
    throw refusal('An HOURLY rule cannot start on a date without a time', {
      hint: 'Write DTSTART with a time, or leave it out.',
    })
  }
  checkInterval(endless, rule)
  if (after(endless, beginning(endless)).next().done) throw neverDue(endless)
  const recurrence = { ...endless, endsAt: endOf(endless, rule)?.toISOString() ?? null }
  if (after(recurrence, beginning(recurrence)).next().done) throw neverDue(recurrence)
  return recurrence
}

/** True for occurrences that are days, without a time. */
export function isAllDay({ dtstart }: Pick<Recurrence, 'dtstart'>): boolean {
  return dtstart.length === 10
}

/** The occurrences after an instant, in their order, without end unless the rule has one. */
export function* after(recurrence: Recurrence, instant: Date): Generator<Date, undefined> {
  const search = searchOf(recurrence)
  const from = Math.max(instant.getTime(), begins(recurrence))
  const until = ends(recurrence)
  let wall = Math.max(wallClock(from, recurrence.timezone), search.start - 1)
  for (;;) {
    const next = search.next(wall)
    if (next === null || next - wall > HORIZON) return undefined
    wall = next
    const at = search.resolve(wall)
    if (at === null || at <= from) continue
    if (at > until) return undefined
    yield new Date(at)
  }
}

/** The next occurrences after an instant, at most so many. */
export function upcoming(recurrence: Recurrence, instant: Date, most: number): readonly Date[] {
  const list: Date[] = []
  for (const at of after(recurrence, instant)) if (list.push(at) === most) break
  return list
}

/** The last occurrence up to and with an instant; null when there was none. */
export function latest(recurrence: Recurrence, instant: Date): Date | null {
  const { timezone } = recurrence
  const search = searchOf(recurrence)
  const until = Math.min(instant.getTime(), ends(recurrence))
  // Where clocks were moved back, times that they show later have passed already.
  let wall = Math.max(wallClock(until, timezone), wallClock(until - DAY, timezone) + DAY) + 1
  for (;;) {
    const previous = search.previous(wall)
    if (previous === null || previous < search.start) return null
    wall = previous
    const at = search.resolve(wall)
    if (at === null || at > until) continue
    return at <= begins(recurrence) ? null : new Date(at)
  }
}

function begins({ startsAfter }: Recurrence): number {
  return startsAfter === null ? -Infinity : Date.parse(startsAfter)
}

function ends({ endsAt }: Recurrence): number {
  return endsAt === null ? Infinity : Date.parse(endsAt)
}

/** Lines of iCalendar; anything but RRULE and DTSTART is refused, because leaving it out would change the series. */
function readLines(text: string): { rule: string; start: Start | null } {
  const lines = text
    .normalize('NFKC')
    .toUpperCase()
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
  let rule: string | null = null
  let start: Start | null = null
  for (const line of lines) {
    if (line.startsWith('DTSTART') && start === null) start = readStart(line)
    else if (/^(RRULE:|[A-Z]+=)/.test(line) && rule === null) rule = line.replace(/^RRULE:/, '')
    else
      throw refusal(`"${line.slice(0, 60)}" cannot be in a recurrence_rule`, {
        hint: 'Give one RRULE, and at most one DTSTART line before it.',
      })
  }
  if (rule === null) throw refusal('recurrence_rule has no RRULE')
  return { rule, start }
}

interface Start {
  /** As if it were UTC. */
  readonly wall: number
  readonly allDay: boolean
  readonly utc: boolean
  readonly timeZone: string | undefined
}

function readStart(line: string): Start {
  const match =
    /^DTSTART(?:;VALUE=(?:DATE|DATE-TIME))?(?:;TZID=([^:;]+))?(?:;VALUE=(?:DATE|DATE-TIME))?:(\d{8})(?:T(\d{6})(Z?))?$/.exec(
      line,
    )
  const wall = match && wallOf(match[2]!, match[3])
  if (!match || wall === null) {
    throw refusal(`"${line}" is no start`, { hint: 'Write DTSTART:20270401T090000 or DTSTART;VALUE=DATE:20270401.' })
  }
  return { wall, allDay: match[3] === undefined, utc: match[4] === 'Z', timeZone: match[1] }
}

/** Digits of a date and a time of day as a wall-clock time; null when there is no such. */
function wallOf(date: string, time = '000000'): number | null {
  const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time.slice(0, 2)}:${time.slice(2, 4)}:${time.slice(4)}`
  const wall = Date.parse(`${iso}Z`)
  return Number.isNaN(wall) || localTime(wall) !== iso ? null : wall
}

function localTime(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19)
}

function startIn({ wall, allDay, utc }: Start, timezone: string): string {
  const local = localTime(utc ? wallClock(wall, timezone) : wall)
  return allDay ? local.slice(0, 10) : local
}

/** Where a series without DTSTART begins. */
function today({ freq, parts }: Rule, timezone: string, now: Date): string {
  const date = localTime(wallClock(now.getTime(), timezone)).slice(0, 10)
  const timed = freq === 'HOURLY' || parts.has('BYHOUR') || parts.has('BYMINUTE')
  return timed ? `${date}T00:00:00` : date
}

/** Which year an interval counts from is open where the start is in a week of another year and not an occurrence itself. */
function checkInterval(recurrence: Recurrence, { interval, parts }: Rule): void {
  if (interval === 1 || !parts.has('BYWEEKNO')) return
  const start = startWall(recurrence)
  const otherYear = weekYear(start, WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')) !== new Date(start).getUTCFullYear()
  if (!otherYear || searchOf(recurrence).next(start - 1) === start) return
  throw refusal('BYWEEKNO with INTERVAL needs a DTSTART that is an occurrence', {
    hint: 'Move DTSTART to the first occurrence.',
  })
}

/** An instant before all occurrences. */
function beginning(recurrence: Recurrence): Date {
  return new Date(startWall(recurrence) - 2 * DAY)
}

function startWall({ dtstart }: Recurrence): number {
  return Date.parse(isAllDay({ dtstart }) ? `${dtstart}T00:00:00Z` : `${dtstart}Z`)
}

function endOf(endless: Recurrence, { count, until }: Rule): Date | null {
  if (count !== null) return lastOf(endless, count)
  if (until === null) return null
  const { timezone } = endless
  const wall = wallOf(until.slice(0, 8), until.slice(9, 15) || '000000')
  if (wall === null) throw refusal(`UNTIL=${until} is no date`)
  if (until.endsWith('Z')) return new Date(wall)
  const whole = until.length === 8 && !isAllDay(endless)
  const end = whole ? wall + DAY - 1000 : wall
  return new Date(instantOf(end, timezone) ?? end - (wallClock(end - DAY, timezone) - (end - DAY)))
}

/** The last of so many occurrences. */
function lastOf(endless: Recurrence, count: number): Date {
  const search = searchOf(endless)
  const from = begins(endless)
  let last: number | null = null
  let found = 0
  const whole = search.each(wall => {
    const at = wall < search.start ? null : search.resolve(wall)
    if (at === null || at <= from) return true
    last = at
    return ++found < count
  })
  if (last === null) throw neverDue(endless)
  if (!whole) throw refusal(`COUNT=${count} reaches too far into the future`, { hint: 'End the rule with UNTIL.' })
  return new Date(last)
}

function neverDue({ rule }: Recurrence): ToolError {
  return refusal(`${rule} never comes due`, { hint: 'Check its dates: they do not occur together.' })
}

interface Search {
  /** The first time at which the series may occur. */
  readonly start: number
  next(wall: number): number | null
  previous(wall: number): number | null
  /** Visits times from the start on until told to stop; false when the library gave up before. */
  each(visit: (wall: number) => boolean): boolean
  /** The instant of a time that was found; null when the clocks of the time zone leave it out. */
  resolve(wall: number): number | null
}

/**
 * The library works on times as clocks show them, as if they were UTC, so that daylight saving is decided here alone: a day begins when
 * its clocks begin, an occurrence at a time that is skipped is left out (RFC 5545 3.3.10), of a repeated time the first is meant (3.3.5).
 */
function searchOf(recurrence: Recurrence): Search {
  const { timezone } = recurrence
  const allDay = isAllDay(recurrence)
  const start = startWall(recurrence)
  const parsed = readRule(recurrence.rule)
  const rule = new RRuleTemporal({
    rruleString: libraryText(parsed, start, allDay),
    tzid: 'UTC',
    maxIterations: PERIODS[parsed.freq],
    maxCandidateEvaluations: CANDIDATES,
  })
  return {
    start,
    next: wall => within(() => rule.next(new Date(wall))?.epochMilliseconds) ?? null,
    previous: wall => within(() => rule.previous(new Date(wall))?.epochMilliseconds) ?? null,
    each: visit => within(() => rule.all(date => visit(date.epochMilliseconds))) !== null,
    resolve: wall => (allDay ? startOfDay(wall, timezone) : instantOf(wall, timezone)),
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
 * The rule as the library is given it: without its end, and of a rule without times without parts that say one. Years of weeks begin
 * in another year than those of months, which the library forgets for the first of them, so it begins one period earlier.
 */
function libraryText(rule: Rule, start: number, allDay: boolean): string {
  const parts = new Map(rule.parts)
  parts.delete('BYSECOND')
  if (allDay) for (const name of ['BYHOUR', 'BYMINUTE']) parts.delete(name)
  const begin = parts.has('BYWEEKNO') ? weekYearStart(rule, parts, start) : start
  const written = ruleText({ ...rule, count: null, until: null, parts })
  return `DTSTART:${new Date(begin).toISOString().replace(/[-:]|\.\d+/g, '')}\nRRULE:${written}`
}

/** Moves the start into the middle of a year of weeks; says the weekday, which would come from the start. */
function weekYearStart({ interval }: Rule, parts: Map<string, string>, start: number): number {
  const date = new Date(start)
  if (!parts.has('BYDAY')) parts.set('BYDAY', WEEKDAYS[date.getUTCDay()]!)
  const firstDay = WEEKDAYS.indexOf(parts.get('WKST') ?? 'MO')
  date.setUTCFullYear(weekYear(start, firstDay) - interval, 6, 1)
  return date.getTime()
}

/** A week belongs to the year that has its fourth day (RFC 5545 3.3.10). */
function weekYear(wall: number, firstDay: number): number {
  const intoWeek = (new Date(wall).getUTCDay() - firstDay + 7) % 7
  return new Date(wall + (3 - intoWeek) * DAY).getUTCFullYear()
}
