import { defineTool, sql, timestamp, ToolError, Type, uuid } from 'tasuki/plugin'
import { recordChanges, itemRef, requireItem } from '../../items/index.ts'
import { changeOf, dueInstant, leadTime, reminder, reminderJson, requireDue, type Reminder } from '../reminder.ts'

const Input = Type.Object(
  {
    item_ref: itemRef(),
    lead_time_minutes: Type.Optional(leadTime('Minutes before due.')),
    remind_at: Type.Optional(timestamp('With zone.')),
  },
  { additionalProperties: false },
)

export const remindersCreate = defineTool({
  name: 'reminders_create',
  class: 'W',
  title: 'Create reminder',
  summary: 'Reminds you of an item: give remind_at or lead_time_minutes.',
  rank: 130,
  input: Input,
  output: Type.Object({ reminder, changed: Type.Array(Type.String()) }),
  async run(ctx, { item_ref: ref, lead_time_minutes: lead, remind_at: at }) {
    if ((lead === undefined) === (at === undefined)) {
      const code = lead === undefined ? 'missing_argument' : 'invalid_argument'
      throw new ToolError(code, 'Exactly one of lead_time_minutes and remind_at is needed.', {
        field: 'remind_at',
        hint: 'Give one of the two.',
      })
    }
    const { ownerId, project, ...item } = await requireItem(ctx, ref, { write: true })
    const itemRefText = `${project.key}#${item.number}`
    if (lead !== undefined) requireDue(itemRefText, item.dueDate !== null)
    const { rows } = await sql<{ reminder: Reminder }>`
      insert into reminders.reminders as r (owner_id, id, item_id, user_id, lead_time_minutes, remind_at, status, created_at)
      select i.owner_id, ${uuid()}::uuid, i.id, ${ctx.actor.userId}::uuid, ${lead ?? null}::int,
        ${at === undefined ? sql`${dueInstant} - ${lead}::int * interval '1 minute'` : sql`${at}::timestamptz`}, 'pending', ${ctx.now}::timestamptz
      from items.items i where i.owner_id = ${ownerId} and i.id = ${item.id} returning ${reminderJson(ctx)} as reminder
    `.execute(ctx.db)
    const made = rows[0]!.reminder
    const found = { ownerId, project, item: { id: item.id, ref: itemRefText, title: item.title, due: true } }
    await recordChanges(ctx, [changeOf(found, 'reminder.created', { to: made.remind_at })])
    return { reminder: made, changed: [lead === undefined ? 'remind_at' : 'lead_time_minutes'] }
  },
})
