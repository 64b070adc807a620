import { choice, iso, sql, Type, type RawBuilder, type Static } from 'tasuki/plugin'
import type { Recurrence } from './recurrence.ts'

export const STRATEGIES = ['always', 'skip_if_previous_open', 'supersede_previous'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** Days for which events are made before they take place, so that calendars show them. */
const AHEAD_DAYS = 28

/** Until when occurrences get their items. */
export function horizonOf({ makes }: Pick<Schedule, 'makes'>, now: Date): Date {
  return makes === 'task' ? now : new Date(now.getTime() + AHEAD_DAYS * 86_400_000)
}

/** When an occurrence gets its item. */
export function dueAt({ makes }: Pick<Schedule, 'makes'>, occurrence: Date): Date {
  return makes === 'task' ? occurrence : new Date(occurrence.getTime() - AHEAD_DAYS * 86_400_000)
}

/** What makes an item a template, as tools and the tick read it. */
export interface Schedule extends Recurrence {
  readonly ownerId: string
  readonly itemId: string
  /** Type of the items that it makes. */
  readonly makes: 'task' | 'event'
  readonly strategy: Strategy
  readonly enabled: boolean
  /** Instants are ISO 8601. */
  readonly nextAt: string | null
  readonly failures: number
  readonly lastOccurrence: string | null
  readonly lastItemId: string | null
  readonly skipped: number
  /** Time zone of the owner, in which due dates are. */
  readonly ownerZone: string
}

/** Columns of `Schedule`, from the alias `t`. */
export const scheduleColumns = sql<Schedule>`t.owner_id as "ownerId", t.item_id as "itemId", t.makes, t.rule, t.timezone, t.dtstart,
  ${iso('t.starts_after')} as "startsAfter", ${iso('t.ends_at')} as "endsAt", t.strategy, t.enabled, ${iso('t.next_at')} as "nextAt", t.failures,
  ${iso('t.last_occurrence')} as "lastOccurrence", t.last_item_id as "lastItemId", t.skipped,
  (select u.time_zone from core.users u where u.id = t.owner_id) as "ownerZone"`

/** What a template adds to its item in results. */
export const templateFields = {
  makes: Type.Optional(choice(['event'])),
  recurrence_rule: Type.String(),
  timezone: Type.String(),
  generation_strategy: choice(STRATEGIES),
  enabled: Type.Boolean(),
  next_occurrence: Type.Optional(Type.String()),
  last_occurrence: Type.Optional(Type.String()),
}
const TemplateFields = Type.Object(templateFields)

/** jsonb object of `templateFields`, from the alias `t`. */
export const templateJson: RawBuilder<Static<typeof TemplateFields>> = sql`jsonb_strip_nulls(jsonb_build_object(
  'makes', nullif(t.makes, 'task'), 'recurrence_rule', t.rule, 'timezone', t.timezone, 'generation_strategy', t.strategy, 'enabled', t.enabled,
  'next_occurrence', case when t.enabled then ${iso('t.next_at')} end, 'last_occurrence', ${iso('t.last_occurrence')}))`
