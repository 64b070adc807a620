import { zoneOf } from './overview.repository.ts'
import type { OverviewPeriod } from './points.ts'

const DAY = 86_400_000

/** Returns the day in a time zone at an instant, and the week by an offset from UTC. @param offset minutes east of UTC */
export function overviewPeriod(
  now: Date,
  { timeZone, offset, weekStart }: { timeZone: string; offset: number; weekStart: 'sunday' | 'monday' },
): OverviewPeriod {
  const { today, clock } = wallClock(now, timeZone)
  const there = new Date(now.getTime() + offset * 60_000)
  const sinceBegin = (there.getUTCDay() - (weekStart === 'monday' ? 1 : 0) + 7) % 7
  return { today, clock, weekBegin: plusDays(there.toISOString().slice(0, 10), -sinceBegin), zone: zoneOf(offset) }
}

/** Adds days to a `YYYY-MM-DD`. */
export function plusDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
}

function wallClock(now: Date, timeZone: string): { today: string; clock: string } {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const part = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
  return { today: `${part['year']}-${part['month']}-${part['day']}`, clock: `${part['hour']}:${part['minute']}` }
}
