import { ToolError, type ReadContext } from 'tasuki/plugin'
import { checkRole } from '../projects/index.ts'
import { findReminder, type FoundReminder } from './reminder.repository.ts'

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
