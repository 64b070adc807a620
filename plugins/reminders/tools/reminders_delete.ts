import { defineTool, Type } from 'tasuki/plugin'
import { recordChanges, toItemChange } from '../../items/index.ts'
import { deleteReminder } from '../reminder.repository.ts'
import { requireReminder } from '../reminder.service.ts'
import { reminderId } from '../reminder.ts'

export const remindersDelete = defineTool({
  name: 'reminders_delete',
  class: 'WD',
  title: 'Delete reminder',
  summary: 'Deletes a reminder of an item.',
  rank: 640,
  input: { reminder_id: reminderId },
  output: { deleted: Type.Boolean(), id: Type.String(), item_ref: Type.String() },
  async confirm(ctx, { reminder_id: id }) {
    const { item, reminder } = await requireReminder(ctx, id, { lock: false })
    return `Delete the reminder of ${item.ref}${reminder.remind_at ? ` at ${reminder.remind_at}` : ''}`
  },
  async run(ctx, { reminder_id: id }) {
    const found = await requireReminder(ctx, id, { lock: true })
    await deleteReminder(ctx, found.ownerId, id)
    await recordChanges(ctx, [toItemChange(found, 'reminder.deleted', { from: found.reminder.remind_at })])
    return { deleted: true, id, item_ref: found.item.ref }
  },
})
