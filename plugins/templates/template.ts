import { choice, DAY_MS, dateOf, Type, type Static, type TObject } from 'tasuki/plugin'
import { isAllDay, type Recurrence } from './recurrence.ts'
import { timeOf, startOfDay, wallClock } from './zone.ts'

export const STRATEGIES = ['always', 'skip_if_previous_open', 'supersede_previous'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** Events are created this many days ahead, so that calendars show them. */
const AHEAD_DAYS = 28

/** Returns the time up to which occurrences get their items. */
export function findHorizon({ makes }: Pick<Schedule, 'makes'>, now: Date): Date {
  return makes === 'task' ? now : new Date(now.getTime() + AHEAD_DAYS * DAY_MS)
}

/** Returns the time up to which occurrences get no item any more: tasks up to now, events before today. */
export function findPast({ makes, timezone }: Pick<Schedule, 'makes' | 'timezone'>, now: Date): Date {
  const wall = wallClock(now.getTime(), timezone)
  return makes === 'task' ? now : new Date((startOfDay(wall - (wall % DAY_MS), timezone) ?? now.getTime()) - 1)
}

/** Returns when an occurrence gets its item. */
export function dueAt({ makes }: Pick<Schedule, 'makes'>, occurrence: Date): Date {
  return makes === 'task' ? occurrence : new Date(occurrence.getTime() - AHEAD_DAYS * DAY_MS)
}

/** The schedule of a template. */
export interface Schedule extends Recurrence {
  readonly ownerId: string
  readonly itemId: string
  /** Type of the items to create. */
  readonly makes: 'task' | 'event'
  readonly strategy: Strategy
  readonly enabled: boolean
  /** Times are ISO 8601. */
  readonly nextAt: string | null
  readonly failures: number
  readonly lastOccurrence: string | null
  readonly lastItemId: string | null
  readonly skipped: number
  /** Time zone of the owner, used for due dates. */
  readonly ownerZone: string
}

/** The fields that a template adds to its item in results. */
export const templateFields = {
  makes: Type.Optional(choice(['event'])),
  recurrence_rule: Type.String(),
  timezone: Type.String(),
  generation_strategy: choice(STRATEGIES),
  enabled: Type.Boolean(),
  next_occurrence: Type.Optional(Type.String()),
  last_occurrence: Type.Optional(Type.String()),
}
export type TemplateJson = Static<TObject<typeof templateFields>>
/** A template as the database returns it: its occurrences are instants. */
export type StoredTemplate = TemplateJson & Pick<Recurrence, 'dtstart'>

/** Returns the fields of a template for results. */
export function readTemplate<T extends StoredTemplate>({ dtstart, ...fields }: T): Omit<T, 'dtstart'> {
  const schedule = { dtstart, timezone: fields.timezone }
  const { next_occurrence: next, last_occurrence: last } = fields
  return {
    ...fields,
    ...(next !== undefined && { next_occurrence: formatOccurrence(schedule, next) }),
    ...(last !== undefined && { last_occurrence: formatOccurrence(schedule, last) }),
  }
}

/** Formats when an occurrence is in the time zone of its series: `YYYY-MM-DD HH:MM`, or its day if it takes the whole day. */
export function formatWall({ dtstart, timezone }: Pick<Recurrence, 'dtstart' | 'timezone'>, at: Date): string {
  const wall = wallClock(at.getTime(), timezone)
  return isAllDay({ dtstart }) ? dateOf(wall) : `${dateOf(wall)} ${timeOf(wall)}`
}

/** Formats an occurrence: a whole day as its date, because the instant of its midnight is mostly the day before in UTC. */
export function formatOccurrence(
  { dtstart, timezone }: Pick<Recurrence, 'dtstart' | 'timezone'>,
  at: string | Date,
): string {
  const instant = new Date(at)
  return isAllDay({ dtstart }) ? dateOf(wallClock(instant.getTime(), timezone)) : instant.toISOString()
}
