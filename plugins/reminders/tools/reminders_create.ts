import { defineTool, timestamp, ToolError, Type } from 'tasuki/plugin'
import { recordChanges, itemRef, requireItem, toItemChange, toItemOfRow } from '../../items/index.ts'
import { addReminder, requireDue, warnOfTime } from '../reminder.service.ts'
import { leadTime, reminderOutput } from '../reminder.ts'
import { sendOnTime } from '../send.ts'

export const remindersCreate = defineTool({
  name: 'reminders_create',
  class: 'W',
  title: 'Create reminder',
  summary: 'Reminds you of an item: give remind_at or lead_time_minutes.',
  rank: 130,
  input: {
    item_ref: itemRef(),
    lead_time_minutes: Type.Optional(leadTime),
    remind_at: Type.Optional(timestamp('With zone.')),
  },
  output: reminderOutput,
  async run(ctx, { item_ref: ref, lead_time_minutes: lead, remind_at: at }) {
    if ((lead === undefined) === (at === undefined)) {
      const code = lead === undefined ? 'missing_argument' : 'invalid_argument'
      throw new ToolError(code, 'Exactly one of lead_time_minutes and remind_at is needed.', {
        field: 'remind_at',
        hint: 'Give one of the two.',
      })
    }
    const item = await requireItem(ctx, ref, { write: true })
    const found = toItemOfRow(item)
    if (lead !== undefined) requireDue(found.item.ref, item.dueDate !== null)
    const inserted = await addReminder(ctx, item, at === undefined ? { minutesBefore: lead! } : { at })
    await sendOnTime(ctx, inserted.remind_at)
    await recordChanges(ctx, [toItemChange(found, 'reminder.created', { to: inserted.remind_at })])
    const ended = item.completedAt !== null || item.archivedAt !== null
    const changed = [lead === undefined ? 'remind_at' : 'lead_time_minutes']
    return { reminder: inserted, changed, ...warnOfTime(ctx, inserted, ended) }
  },
})
