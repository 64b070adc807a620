import { quoteName, type ReadContext } from 'tasuki/plugin'
import { clockIn, dayIn } from '../../items/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { dateOfDay, dayNumber, medianOf, readItemsOf } from '../../sprints/index.ts'
import type { SprintClosing, SprintItem, SprintRow } from '../../sprints/index.ts'
import type { ForecastDays } from '../../sprints/points.ts'
import { readPace, type KnownPace, type Measure } from './pace.ts'
import { roundToHundredths } from '../wording.ts'
import { HORIZON, quantile, shareBy, simulate } from './simulate.ts'

/** The forecast of when a sprint's open items are done. */
export interface Forecast extends ForecastDays {
  readonly load: Load
  readonly pace: KnownPace | null
}

/** The remaining work of a sprint. */
export interface Load {
  readonly measure: Measure
  readonly unit: string
  readonly remaining: number
  readonly openCount: number
  /** Number of open items without an estimate; each counts as the sprint's median. */
  readonly unestimatedCount: number
}

export interface ForecastUse {
  readonly closings: readonly SprintClosing[]
  /** The items of the sprint, if already read. */
  readonly items?: readonly SprintItem[]
}

/** Forecasts the end of a sprint from the finished work per day; deterministic for the same facts and day. Two statements. */
export async function forecastSprint(
  ctx: ReadContext,
  project: ProjectRow,
  sprint: SprintRow,
  { closings, items: read }: ForecastUse,
): Promise<Forecast> {
  const items = read ?? (await readItemsOf(ctx, sprint))
  const load = measureLoad(items, project)
  const unknown = { date: null, p50: null, p95: null, confidence: null, load, pace: null }
  if (sprint.status === 'closed') return { ...unknown, reason: `The sprint ${quoteName(sprint.path)} is closed.` }
  if (items.length === 0) return { ...unknown, reason: `The sprint ${quoteName(sprint.path)} has no items.` }
  const today = dayNumber(dayIn(sprint.timeZone, ctx.now))
  const end = sprint.endDate === null ? null : dayNumber(sprint.endDate)
  if (load.openCount === 0) {
    const day = dateOfDay(today)
    return { ...unknown, date: day, p50: day, p95: day, confidence: end === null ? null : 1, reason: null }
  }
  const pace = await readPace(ctx, sprint, { closings, measure: load.measure })
  if (!pace) return { ...unknown, reason: tooLittle(load) }
  const from = sprint.status === 'planning' && sprint.startDate !== null ? dayNumber(sprint.startDate) : today
  const ends = await simulate({
    remaining: load.remaining,
    pace,
    from: Math.max(from, today),
    left: from > today ? 1 : leftOf(ctx.now, sprint.timeZone),
    seed: sprint.id,
  })
  const last = Math.max(from, today) + HORIZON
  const dateAt = (part: number): string | null => {
    const day = quantile(ends, part)
    return day >= last ? null : dateOfDay(day)
  }
  const date = dateAt(0.8)
  return {
    date,
    p50: dateAt(0.5),
    p95: dateAt(0.95),
    confidence: end === null ? null : roundToHundredths(shareBy(ends, end)),
    load,
    pace,
    reason: date === null ? `At this pace it would take more than ${HORIZON} days.` : null,
  }
}

function measureLoad(items: readonly SprintItem[], { estimateUnit }: ProjectRow): Load {
  const open = items.filter(item => item.completedAt === null)
  const sizes = items.flatMap(({ points }) => (points === null ? [] : [points]))
  const counts = { openCount: open.length, unestimatedCount: open.filter(item => item.points === null).length }
  if (sizes.length === 0) return { measure: 'items', unit: 'items', remaining: open.length, ...counts }
  const median = medianOf(sizes)
  const remaining = open.reduce((sum, { points }) => sum + (points ?? median), 0)
  return { measure: 'points', unit: estimateUnit, remaining: roundToHundredths(remaining), ...counts }
}

function tooLittle({ measure, unit }: Load): string {
  const what = measure === 'items' ? 'items done' : `${unit} done`
  return `Too little is known of the pace: no closed sprint of the project has ${what} on enough days, this one has not run for three days with something done, and it has no capacity with start and end date.`
}

/** Returns the remaining share of the day in the owner's time zone. */
function leftOf(now: Date, zone: string): number {
  const [hour, minute] = clockIn(zone, now).split(':').map(Number)
  return 1 - (hour! * 60 + minute!) / 1440
}
