import { choice, guarded, nullable, recordId, Type, type Static } from 'tasuki/plugin'

export const STATUSES = ['pending', 'sent', 'dismissed'] as const
export const reminderId = recordId('From reminders_list.')
/** A year in minutes. */
const MAX_LEAD_MINUTES = 527_040
export const leadTime = guarded(Type.Integer({ description: 'Minutes before due.' }), {
  minimum: 0,
  maximum: MAX_LEAD_MINUTES,
})

/** A reminder as tools return it. */
export const reminder = Type.Object({
  id: Type.String(),
  item_ref: Type.String(),
  status: choice(STATUSES),
  lead_time_minutes: Type.Optional(nullable(Type.Integer())),
  recurrence_rule: Type.Optional(Type.String()),
  timezone: Type.Optional(Type.String()),
  remind_at: Type.Optional(Type.String()),
})
export type Reminder = Static<typeof reminder>
