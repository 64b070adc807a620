import { DAY_MS, requireTimeZone, type ToolError } from 'tasuki/plugin'
import { dayOf, weekYear } from './calendar.ts'
import { changeOccurrence, readExceptions, formatRule, splitRule, isExcluded } from './exceptions.ts'
import { localTime, readLines, wallOf, type Start } from './rule-lines.ts'
import { firstWeekday, searchOf, type Search } from './occurrences.ts'
import { readRule, refusal, ruleText, type Rule } from './rule.ts'
import { instantOf, startOfDay, wallClock } from './zone.ts'

/** A rule counts as ended after this many consecutive times that do not exist in its time zone. */
const SKIPPED = 50
const DEFAULT_TIME_ZONE = 'Asia/Tokyo'

/** A rule with everything that determines its occurrences; plain data, as stored. */
export interface Recurrence {
  /** RRULE value; lines EXDATE and RDATE may follow, in local times. */
  readonly rule: string
  /** IANA name. */
  readonly timezone: string
  /** Local time `YYYY-MM-DDTHH:MM:SS`; with a date only, occurrences are whole days. */
  readonly dtstart: string
  /** The series starts after this time (ISO 8601); null = at DTSTART. */
  readonly startsAfter: string | null
  /** No occurrence is after this time (ISO 8601); null = no end. */
  readonly endsAt: string | null
}

/**
 * Parses an RRULE, with an optional `RRULE:` prefix and DTSTART line. Without DTSTART the series starts now: omitted parts come from today,
 * at midnight unless the rule sets a time.
 * @param timeZone default: that of DTSTART, else `fallback`
 * @throws ToolError invalid_argument
 */
export function readRecurrence(
  text: string,
  timeZone: string | undefined,
  now: Date,
  fallback = DEFAULT_TIME_ZONE,
): Recurrence {
  const explicitZone = timeZone === undefined ? undefined : requireTimeZone(timeZone)
  const lines = readLines(text, dayOf(wallClock(now.getTime(), explicitZone ?? fallback)))
  const { rule: value, start } = lines
  const own = start?.timeZone === undefined ? undefined : requireTimeZone(start.timeZone)
  if (explicitZone !== undefined && own !== undefined && explicitZone !== own)
    throw refusal(`DTSTART is in ${own} and timezone is ${explicitZone}`, { hint: 'Give one of them.' })
  const timezone = explicitZone ?? own ?? fallback
  const rule = readRule(value)
  const endless: Recurrence = {
    rule: ruleText(rule),
    timezone,
    dtstart: start ? startIn(start, timezone) : today(rule, timezone, now),
    startsAfter: start ? null : now.toISOString(),
    endsAt: null,
  }
  const allDay = isAllDay(endless)
  if (rule.freq === 'HOURLY' && allDay)
    throw refusal('An HOURLY rule cannot start on a date without a time', {
      hint: 'Write DTSTART with a time, or leave it out.',
    })
  checkInterval(endless, rule)
  if (occurrencesAfter(endless, searchStart(endless)).next().done) throw neverDueError(endless)
  const end = endOf(endless, rule)
  const bounded = end === null ? endless : { ...endless, endsAt: end.toISOString() }
  const exceptions = readExceptions(lines, allDay, time => localIn(time, timezone))
  const recurrence = { ...bounded, rule: formatRule(bounded.rule, exceptions, allDay) }
  if (occurrencesAfter(recurrence, searchStart(recurrence)).next().done)
    throw end !== null && end <= now
      ? refusal(`${bounded.rule} has ended already`, { hint: 'Move UNTIL.' })
      : neverDueError(bounded)
  return recurrence
}

/** Returns the recurrence with an occurrence excluded or moved. @throws ToolError invalid_argument, limit_exceeded */
export function changeRecurrence(recurrence: Recurrence, occurrence: Date, to: Date | null, now: Date): Recurrence {
  const { timezone } = recurrence
  const allDay = isAllDay(recurrence)
  const { rule, exceptions } = splitRule(recurrence.rule)
  const local = (at: Date): number => {
    const wall = wallClock(at.getTime(), timezone)
    return allDay ? Math.floor(wall / DAY_MS) * DAY_MS : wall
  }
  const changed = changeOccurrence(exceptions, local(occurrence), {
    to: to && local(to),
    allDay,
    now: wallClock(now.getTime(), timezone),
  })
  return { ...recurrence, rule: formatRule(rule, changed, allDay) }
}

/** Returns whether occurrences are whole days. */
export function isAllDay({ dtstart }: Pick<Recurrence, 'dtstart'>): boolean {
  return dtstart.length === 10
}

/** Yields the occurrences after a time, in order; infinite unless the rule ends. */
export function* occurrencesAfter(recurrence: Recurrence, instant: Date): Generator<Date, undefined> {
  const series = seriesOf(recurrence)
  const from = Math.max(instant.getTime(), startTime(recurrence))
  let wall = Math.max(wallClock(from, recurrence.timezone), series.start - 1)
  for (let skipped = 0; skipped < SKIPPED; skipped++) {
    const next = series.next(wall)
    if (next === null) return undefined
    wall = next
    const at = series.resolve(wall)
    if (at === null || at <= from) continue
    yield new Date(at)
    skipped = 0
  }
  return undefined
}

/** Returns up to `most` occurrences after a time. */
export function upcoming(recurrence: Recurrence, instant: Date, most: number): readonly Date[] {
  const list: Date[] = []
  for (const at of occurrencesAfter(recurrence, instant)) if (list.push(at) === most) break
  return list
}

/** Returns the last occurrence at or before a time; null for none. */
export function previousOccurrence(recurrence: Recurrence, instant: Date): Date | null {
  const { timezone } = recurrence
  const series = seriesOf(recurrence)
  const until = instant.getTime()
  // After clocks were set back, later wall-clock times may be in the past.
  let wall = Math.max(wallClock(until, timezone), wallClock(until - DAY_MS, timezone) + DAY_MS) + 1
  for (let skipped = 0; skipped < 2 * SKIPPED; skipped++) {
    const previous = series.previous(wall)
    if (previous === null || previous < series.start) return null
    wall = previous
    const at = series.resolve(wall)
    if (at === null || at > until) continue
    return at <= startTime(recurrence) ? null : new Date(at)
  }
  return null
}

function startTime({ startsAfter }: Recurrence): number {
  return startsAfter === null ? -Infinity : Date.parse(startsAfter)
}

function startIn(start: Start, timezone: string): string {
  const local = localTime(localIn(start, timezone))
  return start.allDay ? local.slice(0, 10) : local
}

/** Converts a time of a line to the local time of the series. */
function localIn({ wall, utc, timeZone }: Start, timezone: string): number {
  if (utc) return wallClock(wall, timezone)
  const own = timeZone === undefined ? timezone : requireTimeZone(timeZone)
  const at = own === timezone ? null : instantOf(wall, own)
  return at === null ? wall : wallClock(at, timezone)
}

/** Returns the start of a series without DTSTART. */
function today({ freq, parts }: Rule, timezone: string, now: Date): string {
  const date = localTime(wallClock(now.getTime(), timezone)).slice(0, 10)
  return freq === 'HOURLY' || parts.has('BYHOUR') || parts.has('BYMINUTE') ? `${date}T00:00:00` : date
}

/** The year from which intervals count is ambiguous if the start is in a week of another year and is not an occurrence. */
function checkInterval(recurrence: Recurrence, { interval, parts }: Rule): void {
  if (interval === 1 || !parts.has('BYWEEKNO')) return
  const start = startWall(recurrence)
  const otherYear = weekYear(dayOf(start), firstWeekday(parts)) !== new Date(start).getUTCFullYear()
  if (!otherYear || seriesOf(recurrence).next(start - 1) === start) return
  throw refusal('BYWEEKNO with INTERVAL needs a DTSTART that is an occurrence', {
    hint: 'Move DTSTART to the first occurrence.',
  })
}

/** Returns a time before all occurrences. */
function searchStart(recurrence: Recurrence): Date {
  return new Date(startWall(recurrence) - 2 * DAY_MS)
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
  const end = whole ? wall + DAY_MS - 1000 : wall
  return new Date(instantOf(end, timezone) ?? end - (wallClock(end - DAY_MS, timezone) - (end - DAY_MS)))
}

/** Returns the last of `count` occurrences. */
function lastOf(endless: Recurrence, count: number): Date {
  const series = seriesOf(endless)
  const from = startTime(endless)
  let last: number | null = null
  let found = 0
  const whole = series.each(wall => {
    const at = wall < series.start ? null : series.resolve(wall)
    if (at === null || at <= from) return true
    last = at
    return ++found < count
  })
  if (last === null) throw neverDueError(endless)
  if (!whole) throw refusal(`COUNT=${count} reaches too far into the future`, { hint: 'End the rule with UNTIL.' })
  return new Date(last)
}

function neverDueError({ rule }: Recurrence): ToolError {
  return refusal(`${rule} never comes due`, { hint: 'Check its dates: they do not occur together.' })
}

/** The times of a recurrence: those of its rule up to its end, without excluded and with added ones. */
interface Series extends Search {
  /** The earliest possible time. */
  readonly start: number
  /** Converts a wall-clock time to an instant; null if it does not exist in the time zone. */
  resolve(wall: number): number | null
}

/**
 * Times are searched as wall-clock times, so that daylight saving is handled only here: a day starts when its clocks start, an occurrence
 * at a skipped time is left out (RFC 5545 3.3.10), and a repeated time means the first one (3.3.5).
 */
function seriesOf(recurrence: Recurrence): Series {
  const { timezone } = recurrence
  const { rule, exceptions } = splitRule(recurrence.rule)
  const { added } = exceptions
  const allDay = isAllDay(recurrence)
  const first = startWall(recurrence)
  const search = searchOf(readRule(rule), first, allDay)
  const resolve = (wall: number) => (allDay ? startOfDay(wall, timezone) : instantOf(wall, timezone))
  const until = recurrence.endsAt === null ? Infinity : Date.parse(recurrence.endsAt)
  // No time zone differs from UTC by more than a day.
  const lastWall = until + DAY_MS
  const isOver = (wall: number): boolean => wall > lastWall || (wall > until - DAY_MS && (resolve(wall) ?? 0) > until)
  return {
    start: Math.min(first, ...added),
    resolve,
    each: visit => search.each(visit),
    next(from) {
      let wall = search.next(from)
      while (wall !== null && isExcluded(exceptions, wall)) wall = search.next(wall)
      const own = wall === null || isOver(wall) ? null : wall
      const other = added.find(each => each > from)
      return own !== null && other !== undefined ? Math.min(own, other) : (own ?? other ?? null)
    },
    previous(from) {
      let wall = search.previous(Math.min(from, lastWall + 1))
      while (wall !== null && (isOver(wall) || isExcluded(exceptions, wall))) wall = search.previous(wall)
      const other = added.findLast(each => each < from)
      return wall !== null && other !== undefined ? Math.max(wall, other) : (wall ?? other ?? null)
    },
  }
}
