import { choice, guarded, nullable, recordId, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { checkRole } from '../projects/index.ts'
import { findReminder, type FoundReminder } from './reminder.repository.ts'

export const STATUSES = ['pending', 'sent', 'dismissed'] as const
export const reminderId = recordId('From reminders_list.')
/** A year. */
export const LONGEST_LEAD = 527_040
export const leadTime = (description: string) =>
  guarded(Type.Integer({ description }), { minimum: 0, maximum: LONGEST_LEAD })

/** A reminder as results show it. */
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

/** Finds a reminder that the caller may see. @throws ToolError not_found, forbidden */
export async function requireReminder(ctx: ReadContext, id: string, lock = false): Promise<FoundReminder> {
  const found = await findReminder(ctx, id, lock)
  if (!found)
    throw new ToolError('not_found', `There is no reminder ${id}.`, {
      field: 'reminder_id',
      hint: 'reminders_list shows the pending reminders of an item.',
    })
  checkRole(ctx, found.project, { write: true })
  return found
}

/** Refuses a relative reminder of an item without a due date. @throws ToolError invalid_argument */
export function requireDue(ref: string, due: boolean): void {
  if (due) return
  throw new ToolError('invalid_argument', `lead_time_minutes counts back from the due date, and ${ref} has none.`, {
    field: 'lead_time_minutes',
    hint: 'Give remind_at, or set a due_date first.',
  })
}
