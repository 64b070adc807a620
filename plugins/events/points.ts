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
  /** RRULE of a recurring event. */
  readonly recurrence_rule?: string
  /** IANA name; the time zone of the rule. */
  readonly timezone?: string
}

/** A recurring event; `due_date` and `due_time` are those of the first occurrence. */
export interface NewSeries extends Omit<NewEvent, 'recurrence_rule'> {
  /** RRULE. */
  readonly recurrence_rule: string
}

/** Creates recurring events; the first contribution is used. */
export interface EventSeries {
  /** Parameters of events_create: `recurrence_rule` and related ones. */
  readonly params: TProperties
  /** @returns the series, its next occurrences, and references to the events created immediately */
  create(
    ctx: WriteContext,
    series: NewSeries,
  ): Promise<
    Awaited<ReturnType<typeof readWritten>> & { readonly next_occurrences: string[]; readonly events: string[] }
  >
}
export const eventSeries = definePoint<EventSeries>('events.series')

/** All extension points, for the plugin's declaration. */
export const points = [eventSeries]
