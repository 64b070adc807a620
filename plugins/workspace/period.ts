import { dateOf, DAY_MS, MINUTE_MS } from 'tasuki/plugin'
import { clockIn, dayIn } from '../items/index.ts'
import { zoneOf } from './overview.repository.ts'
import type { OverviewPeriod } from './points.ts'

/** Returns the day in a time zone at an instant, and the week by an offset from UTC. @param offset minutes east of UTC */
export function overviewPeriod(
  now: Date,
  { timeZone, offset, weekStart }: { timeZone: string; offset: number; weekStart: 'sunday' | 'monday' },
): OverviewPeriod {
  const there = new Date(now.getTime() + offset * MINUTE_MS)
  const sinceBegin = (there.getUTCDay() - (weekStart === 'monday' ? 1 : 0) + 7) % 7
  const weekBegin = dateOf(there.getTime() - sinceBegin * DAY_MS)
  return { today: dayIn(timeZone, now), clock: clockIn(timeZone, now), weekBegin, zone: zoneOf(offset) }
}
