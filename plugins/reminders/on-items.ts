import { sql, Type, type ReadContext } from 'tasuki/plugin'
import { itemChanges, itemHas, itemSections } from '../items/points.ts'
import { dueInstant, reminder, reminderJson } from './reminder.ts'

/** jsonb array of the pending reminders of the item `i`, the next first. */
export const pendingOfItem = (ctx: ReadContext) => sql`
  select jsonb_agg(${reminderJson(ctx)} order by r.remind_at, r.id) from reminders.reminders r
  where r.owner_id = i.owner_id and r.item_id = i.id and r.status = 'pending'`

const any = sql<boolean>`exists (
  select from reminders.reminders r where r.owner_id = i.owner_id and r.item_id = i.id and r.status = 'pending')`

/** Relative reminders follow the due date; one that was sent is due again when its new time is still to come. */
const followDue = itemChanges(async (ctx, changes) => {
  const moved = changes.filter(({ kind }) => kind === 'item.due_date.changed' || kind === 'item.due_time.changed')
  if (moved.length === 0) return
  const at = sql`${dueInstant} - r.lead_time_minutes * interval '1 minute'`
  const keys = moved.map(({ ownerId, itemId }) => sql`(${ownerId}::uuid, ${itemId}::uuid)`)
  await sql`
    update reminders.reminders r set remind_at = ${at},
      status = case when r.status = 'sent' and ${at} > ${ctx.now} then 'pending' else r.status end
    from items.items i
    where i.owner_id = r.owner_id and i.id = r.item_id and r.lead_time_minutes is not null and (r.owner_id, r.item_id) in (${sql.join(keys)})
  `.execute(ctx.db)
})

/** Everything that reminders add to items. */
export const onItems = [
  followDue,
  itemSections({ name: 'reminders', schema: Type.Array(reminder), sql: pendingOfItem }),
  itemHas({ value: 'reminder', summary: 'pending reminders', sql: () => any }),
]
