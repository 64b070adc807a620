import { definePoint, type TProperties, type WriteContext } from 'tasuki/plugin'
import type { readWritten } from '../items/index.ts'

export interface NewEvent {
  readonly project_key: string
  readonly title: string
  /** `YYYY-MM-DD`. */
  readonly due_date: string
  /** `HH:MM`; undefined = all day. */
  readonly due_time?: string
  readonly detail?: string
  readonly labels?: readonly string[]
  /** RRULE: it recurs. */
  readonly recurrence_rule?: string
  /** IANA name, of the rule. */
  readonly timezone?: string
}

/** An event that recurs: `due_date` and `due_time` are when the series begins. */
export interface NewSeries extends Omit<NewEvent, 'recurrence_rule'> {
  /** RRULE. */
  readonly recurrence_rule: string
}

/** Makes events that recur, where a plugin can; the first contribution counts. */
export interface EventSeries {
  /** Parameters of events_create: `recurrence_rule` and what belongs to it. */
  readonly params: TProperties
  /** @returns what the series is, its next occurrences, and references of the events that it made at once */
  create(
    ctx: WriteContext,
    series: NewSeries,
  ): Promise<
    Awaited<ReturnType<typeof readWritten>> & { readonly next_occurrences: string[]; readonly events: string[] }
  >
}
export const eventSeries = definePoint<EventSeries>('events.series')

/** All points, for the plugin's declaration. */
export const points = [eventSeries]
