import { ToolError, type OwnedKey, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { checkRole } from '../projects/index.ts'
import { findReminder, insertReminder, type FoundReminder, type ReminderTime } from './reminder.repository.ts'
import type { Reminder } from './reminder.ts'
import { settings } from './settings.ts'

/** Finds a reminder that the caller may see. @throws ToolError not_found, forbidden */
export async function requireReminder(
  ctx: ReadContext,
  id: string,
  demand: { readonly lock: boolean },
): Promise<FoundReminder> {
  const found = await findReminder(ctx, id, demand)
  if (!found)
    throw new ToolError('not_found', `There is no reminder ${id}.`, {
      field: 'reminder_id',
      hint: 'reminders_list shows the pending reminders of an item.',
    })
  checkRole(ctx, found.project, { write: true })
  return found
}

/** Rejects a relative reminder of an item without a due date. @throws ToolError invalid_argument */
export function requireDue(ref: string, due: boolean): void {
  if (due) return
  throw new ToolError('invalid_argument', `lead_time_minutes counts back from the due date, and ${ref} has none.`, {
    field: 'lead_time_minutes',
    hint: 'Give remind_at, or set a due_date first.',
  })
}

/** Returns, as fields of an answer, why a reminder will not be sent at its time. @param ended the item is finished or archived */
export function warnOfTime({ now }: ReadContext, { item_ref: ref, status, remind_at: at }: Reminder, ended: boolean) {
  const isPast = at !== undefined && Date.parse(at) <= now.getTime()
  if (status !== 'pending') return { warnings: [`The reminder is ${status}; reminders_patch status=pending sends it.`] }
  if (ended) return { warnings: [`${ref} is finished or archived: its reminders are not sent.`] }
  return isPast ? { warnings: [`${at} is past: the reminder is sent now.`] } : {}
}

/** Adds a reminder for the caller to an item. @throws ToolError limit_exceeded */
export async function addReminder(ctx: WriteContext, item: OwnedKey, time: ReminderTime): Promise<Reminder> {
  const { pending_per_user: most } = ctx.config(settings)
  const added = await insertReminder(ctx, item, time, most)
  if (added) return added
  throw new ToolError('limit_exceeded', `${most} reminders of this owner are pending, which is the limit.`, {
    hint: 'Delete some with reminders_delete; items_get and reminders_list show those of an item.',
    details: { limit: most },
  })
}
