import type { ReadContext } from 'tasuki/plugin'
import { dayIn } from '../../items/index.ts'
import { dailyDone, dayNumber, isWeekend } from '../../sprints/index.ts'
import type { DoneDay, SprintClosing, SprintRow } from '../../sprints/index.ts'
import { HORIZON, type Pace } from './simulate.ts'

/** Number of closed sprints that determine a pace. */
export const SPRINTS_LOOKED_AT = 6
/** Minimum number of days of closed sprints, or of the active one, for a pace. */
const MIN_CLOSED_DAYS = 5
const MIN_OWN_DAYS = 3

/** The pace of a team, and its source. */
export interface KnownPace extends Pace {
  readonly source: 'closed_sprints' | 'this_sprint' | 'capacity'
  /** Paths of the sprints used. */
  readonly sprints: readonly string[]
  /** Number of days used. */
  readonly days: number
  readonly perDay: number
}

/** Points if the sprint has estimates, else items. */
export type Measure = 'points' | 'items'

/** Finds the pace of the last closed sprints, else of this one, else its capacity over its days; null if none is known. One statement. */
export async function readPace(
  ctx: ReadContext,
  sprint: SprintRow,
  { closings, measure }: { readonly closings: readonly SprintClosing[]; readonly measure: Measure },
): Promise<KnownPace | null> {
  const closed = closings.filter(closing => closing.sprint.id !== sprint.id && closing.itemCount > 0)
  const done = await dailyDone(ctx, sprint.ownerId, [...closed.map(closing => closing.sprint.id), sprint.id])
  const spans = closed.map(closing => spanOf(closing.sprint, closing.closedAt))
  const before = paceOf('closed_sprints', spans, done, { measure, fewest: MIN_CLOSED_DAYS })
  if (before) return before
  const yesterday = dayNumber(dayIn(sprint.timeZone, ctx.now)) - 1
  const own = sprint.status === 'active' ? [{ ...spanOf(sprint, null), last: yesterday }] : []
  return paceOf('this_sprint', own, done, { measure, fewest: MIN_OWN_DAYS }) ?? paceByCapacity(sprint)
}

/** The days of one sprint, in days since 1970. */
interface Span {
  readonly sprint: SprintRow
  readonly first: number
  readonly last: number
}

function spanOf(sprint: SprintRow, closedAt: string | null): Span {
  const dayOf = (at: string): number => dayNumber(dayIn(sprint.timeZone, new Date(at)))
  const started = sprint.startedAt === null ? [] : [dayOf(sprint.startedAt)]
  const planned = sprint.startDate === null ? [] : [dayNumber(sprint.startDate)]
  const last = closedAt === null ? -Infinity : dayOf(closedAt)
  return { sprint, first: Math.min(...started, ...planned), last }
}

function paceOf(
  source: KnownPace['source'],
  spans: readonly Span[],
  done: readonly DoneDay[],
  { measure, fewest }: { readonly measure: Measure; readonly fewest: number },
): KnownPace | null {
  const amounts = new Map(done.map(day => [`${day.sprintId} ${dayNumber(day.day)}`, day[measure]]))
  const days = spans.flatMap(({ sprint, first, last }) => {
    const length = Math.max(0, Math.min(last - first + 1, HORIZON))
    return Array.from({ length }, (_, n) => {
      const day = last - n
      return { weekend: isWeekend(day), amount: amounts.get(`${sprint.id} ${day}`) ?? 0 }
    })
  })
  const total = days.reduce((sum, { amount }) => sum + amount, 0)
  if (days.length < fewest || total === 0) return null
  const amountsOf = (some: typeof days): number[] => some.map(day => day.amount)
  const workdays = amountsOf(days.filter(day => !day.weekend))
  const weekends = amountsOf(days.filter(day => day.weekend))
  const known = {
    source,
    sprints: spans.map(({ sprint }) => sprint.path),
    days: days.length,
    perDay: total / days.length,
  }
  // Without days of both kinds, all days count the same.
  return workdays.length > 0 && weekends.length > 0
    ? { workdays, weekends, ...known }
    : { workdays: [...workdays, ...weekends], weekends: [], ...known }
}

/**
 * The share of their capacity that teams achieve. Two draws per run average to 60 % in a quarter of the runs, 80 % in half, and 100 % in a
 * quarter.
 */
const SHARES_OF_CAPACITY = [0.6, 1]

/** Derives the pace from the capacity over the working days of the sprint, for a team without history. */
function paceByCapacity({ capacity, startDate, endDate, path }: SprintRow): KnownPace | null {
  if (capacity === null || capacity <= 0 || startDate === null || endDate === null) return null
  const [first, last] = [dayNumber(startDate), dayNumber(endDate)]
  if (last < first || last - first > HORIZON) return null
  const days = Array.from({ length: last - first + 1 }, (_, n) => first + n)
  const working = days.filter(day => !isWeekend(day)).length
  const perDay = capacity / (working || days.length)
  return {
    workdays: SHARES_OF_CAPACITY.map(share => share * perDay),
    weekends: working > 0 ? [0] : [],
    source: 'capacity',
    sprints: [path],
    days: working || days.length,
    perDay,
  }
}
