import { choice, defineTool, nothingToChange, nullable, timestamp, ToolError, Type } from 'tasuki/plugin'
import { recordChanges, toItemChange } from '../../items/index.ts'
import { updateReminder } from '../reminder.repository.ts'
import { requireDue, requireReminder, warnOfTime } from '../reminder.service.ts'
import { changedFields, leadTime, reminderId, reminderOutput, STATUSES, withCleared } from '../reminder.ts'
import { sendOnTime } from '../send.ts'

export const remindersPatch = defineTool({
  name: 'reminders_patch',
  class: 'W',
  title: 'Change reminder',
  summary: 'Changes when a reminder is due, or its status.',
  rank: 280,
  input: {
    reminder_id: reminderId,
    lead_time_minutes: Type.Optional(nullable(leadTime, { description: 'null = fixed.' })),
    remind_at: Type.Optional(timestamp('With zone.')),
    status: Type.Optional(choice(STATUSES, { description: 'New status.' })),
  },
  output: reminderOutput,
  async run(ctx, { reminder_id: id, lead_time_minutes: lead, remind_at: at, status }) {
    if (typeof lead === 'number' && at !== undefined)
      throw new ToolError('invalid_argument', 'lead_time_minutes and remind_at exclude each other.', {
        field: 'remind_at',
        hint: 'Give one of the two.',
      })
    if (lead === undefined && at === undefined && status === undefined)
      throw nothingToChange('Give lead_time_minutes, remind_at or status.')
    const found = await requireReminder(ctx, id, { lock: true })
    if (typeof lead === 'number') requireDue(found.item.ref, found.due)
    if (lead === null && at === undefined && found.reminder.remind_at === undefined)
      throw new ToolError(
        'missing_argument',
        `${found.item.ref} has no due date, so the reminder has no time to keep.`,
        { field: 'remind_at', hint: 'Give remind_at too.' },
      )
    const after = await updateReminder(ctx, found, { minutesBefore: lead, at, status })
    if (after.status === 'pending') await sendOnTime(ctx, after.remind_at)
    const before = found.reminder
    const changed = changedFields(before, after)
    if (changed.length > 0)
      await recordChanges(ctx, [toItemChange(found, 'reminder.changed', { from: before, to: after })])
    // A status that was given is meant.
    const warning = status === undefined || status === 'pending' ? warnOfTime(ctx, after, found.ended) : {}
    return { reminder: withCleared(after, changed), changed, ...warning }
  },
})
