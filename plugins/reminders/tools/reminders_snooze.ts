import { defineTool, guarded, sql, Type } from 'tasuki/plugin'
import { recordChanges } from '../../items/index.ts'
import { changeOf, reminder, reminderId, reminderJson, requireReminder, type Reminder } from '../reminder.ts'

const Input = Type.Object(
  {
    reminder_id: reminderId,
    snooze_minutes: guarded(Type.Integer({ description: 'Minutes.' }), { minimum: 1, maximum: 525_600 }),
  },
  { additionalProperties: false },
)

export const remindersSnooze = defineTool({
  name: 'reminders_snooze',
  class: 'W',
  title: 'Snooze reminder',
  summary: 'Puts a reminder off, from now if it is past; a sent one becomes pending again.',
  rank: 630,
  input: Input,
  output: Type.Object({ reminder, changed: Type.Array(Type.String()) }),
  async run(ctx, { reminder_id: id, snooze_minutes: minutes }) {
    const found = await requireReminder(ctx, id, true)
    const { rows } = await sql<{ reminder: Reminder }>`
      update reminders.reminders r set lead_time_minutes = null, status = case when r.status = 'sent' then 'pending' else r.status end,
        remind_at = greatest(r.remind_at, ${ctx.now}::timestamptz) + ${minutes}::int * interval '1 minute'
      where r.owner_id = ${found.ownerId} and r.id = ${id} returning ${reminderJson(ctx)} as reminder
    `.execute(ctx.db)
    const after = rows[0]!.reminder
    await recordChanges(ctx, [
      changeOf(found, 'reminder.snoozed', { from: found.reminder.remind_at, to: after.remind_at }),
    ])
    const changed = ['remind_at', ...(found.reminder.status === after.status ? [] : ['status'])]
    return { reminder: after, changed }
  },
})
