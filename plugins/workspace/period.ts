import { sql, type RawBuilder } from 'tasuki/plugin'
import type { OverviewPeriod } from './points.ts'

const DAY = 86_400_000
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** Where the caller is: an IANA time zone, or minutes east of UTC. */
export type Zone = string | number

/** The caller's day and week around an instant. */
export function overviewPeriod(now: Date, zone: Zone, weekStart: 'sunday' | 'monday'): OverviewPeriod {
  const { today, clock, weekday } =
    typeof zone === 'number' ? wallClock(shifted(now, zone), 'UTC') : wallClock(now, zone)
  const sinceBegin = (weekday - (weekStart === 'monday' ? 1 : 0) + 7) % 7
  return { today, clock, weekBegin: plusDays(today, -sinceBegin), zone: zoneSql(zone) }
}

/** Adds days to a `YYYY-MM-DD`. */
export function plusDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
}

function shifted(now: Date, minutes: number): Date {
  return new Date(now.getTime() + minutes * 60_000)
}

function wallClock(now: Date, timeZone: string): { today: string; clock: string; weekday: number } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    weekday: 'short',
  })
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
  return {
    today: `${part['year']}-${part['month']}-${part['day']}`,
    clock: `${part['hour']}:${part['minute']}`,
    weekday: WEEKDAYS.indexOf(part['weekday']!),
  }
}

/** What follows `at time zone`: a name, or an interval, whose sign PostgreSQL reads as east of UTC. */
function zoneSql(zone: Zone): RawBuilder<unknown> {
  return typeof zone === 'number' ? sql`make_interval(mins => ${zone}::int)` : sql`${zone}::text`
}
