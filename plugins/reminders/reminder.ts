import { choice, guarded, nullable, recordId, Type, type Static } from 'tasuki/plugin'

export const STATUSES = ['pending', 'sent', 'dismissed'] as const
export const reminderId = recordId('Id; see reminders_list.')
/** A year in minutes. */
const MAX_LEAD_MINUTES = 527_040
export const leadTime = guarded(Type.Integer({ description: 'Minutes before due.' }), {
  minimum: 0,
  maximum: MAX_LEAD_MINUTES,
})

const clearable = Type.Optional(nullable(Type.String()))

/** A reminder as tools return it. */
export const reminder = Type.Object({
  id: Type.String(),
  item_ref: Type.String(),
  status: choice(STATUSES),
  lead_time_minutes: Type.Optional(nullable(Type.Integer())),
  recurrence_rule: clearable,
  timezone: clearable,
  remind_at: Type.Optional(Type.String()),
})
export type Reminder = Static<typeof reminder>
/** The output of tools that write a reminder. */
export const reminderOutput = {
  reminder,
  changed: Type.Array(Type.String()),
  warnings: Type.Optional(Type.Array(Type.String())),
}

const CHANGING = ['lead_time_minutes', 'recurrence_rule', 'timezone', 'remind_at', 'status'] as const
type Changing = (typeof CHANGING)[number]

/** Returns the fields that a write changed. A fixed time replaces a lead time, and either replaces a rule. */
export function changedFields(before: Reminder, after: Reminder): Changing[] {
  return CHANGING.filter(name => (before[name] ?? null) !== (after[name] ?? null))
}

/** Adds the fields that a write cleared, as null. */
export function withCleared(after: Reminder, changed: readonly Changing[]): Reminder {
  return { ...after, ...Object.fromEntries(changed.map(name => [name, after[name] ?? null])) }
}
