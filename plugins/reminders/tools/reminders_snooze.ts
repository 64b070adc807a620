import { defineTool, guarded, Type } from 'tasuki/plugin'
import { recordChanges, toItemChange } from '../../items/index.ts'
import { snoozeReminder } from '../reminder.repository.ts'
import { requireReminder, warnOfTime } from '../reminder.service.ts'
import { changedFields, reminderId, reminderOutput, withCleared } from '../reminder.ts'
import { sendOnTime } from '../send.ts'

export const remindersSnooze = defineTool({
  name: 'reminders_snooze',
  class: 'W',
  title: 'Snooze reminder',
  summary: 'Puts a reminder off, from now if it is past; a sent one becomes pending again.',
  rank: 630,
  input: {
    reminder_id: reminderId,
    snooze_minutes: guarded(Type.Integer({ description: 'Minutes.' }), { minimum: 1, maximum: 525_600 }),
  },
  output: reminderOutput,
  async run(ctx, { reminder_id: id, snooze_minutes: minutes }) {
    const found = await requireReminder(ctx, id, { lock: true })
    const after = await snoozeReminder(ctx, found, minutes)
    await sendOnTime(ctx, after.remind_at)
    await recordChanges(ctx, [
      toItemChange(found, 'reminder.snoozed', { from: found.reminder.remind_at, to: after.remind_at }),
    ])
    const changed = changedFields(found.reminder, after)
    return { reminder: withCleared(after, changed), changed, ...warnOfTime(ctx, after, found.ended) }
  },
})
