import { defineJob, sql, Type, type WriteContext } from 'tasuki/plugin'
import { tell } from '../items/index.ts'
import { notify } from '../workspace/index.ts'
import { dueInstant } from './reminder.ts'

/** Reminders that one run sends; the rest follows a minute later. */
const BATCH = 500

interface Due {
  readonly id: string
  readonly ownerId: string
  readonly itemId: string
  readonly projectId: string
  readonly userId: string
  readonly ref: string
  readonly title: string
  readonly wanted: boolean
}

/**
 * Sends what is due: claims, notifies and marks in one transaction, so that each reminder is sent once whatever the number of instances,
 * and one that fell due while nothing ran is sent at the next run. Reminders of finished or archived items are dismissed instead.
 */
export async function sendDue(ctx: WriteContext): Promise<number> {
  const { rows } = await sql<Due>`
    with due as (
      select r.owner_id, r.id from reminders.reminders r where r.status = 'pending' and r.remind_at <= ${ctx.now}
      order by r.remind_at limit ${BATCH} for update skip locked)
    update reminders.reminders r set sent_at = ${ctx.now},
      status = case when i.completed_at is null and i.archived_at is null then 'sent' else 'dismissed' end
    from due, items.items i, projects.projects p
    where r.owner_id = due.owner_id and r.id = due.id and i.owner_id = r.owner_id and i.id = r.item_id
      and p.owner_id = i.owner_id and p.id = i.project_id
    returning r.id, r.owner_id as "ownerId", i.id as "itemId", p.id as "projectId", r.user_id as "userId", p.key || '#' || i.number as ref, i.title,
      r.status = 'sent' as wanted
  `.execute(ctx.db)
  const sent = rows.filter(row => row.wanted)
  await notify(
    ctx,
    sent.map(({ ownerId, itemId, userId, ref, title, id }) => ({
      userId,
      kind: 'reminder.due',
      title: `${ref} ${title}`,
      item: { ownerId, id: itemId },
      data: { reminder_id: id },
    })),
  )
  await tell(
    ctx,
    sent.map(({ ownerId, itemId, projectId, ref, title }) => ({
      ownerId,
      itemId,
      projectId,
      ref,
      title,
      kind: 'reminder.sent',
    })),
  )
  return rows.length
}

export const send = defineJob({
  name: 'reminders.send',
  schedule: '* * * * *',
  payload: Type.Object({}),
  async run(ctx) {
    await sendDue(ctx)
  },
})

/** Derives the times of relative reminders anew, for due dates that moved while the plugin was off. */
export async function deriveTimes(ctx: WriteContext): Promise<void> {
  await sql`
    update reminders.reminders r set remind_at = ${dueInstant} - r.lead_time_minutes * interval '1 minute'
    from items.items i where i.owner_id = r.owner_id and i.id = r.item_id and r.lead_time_minutes is not null and r.status = 'pending'
  `.execute(ctx.db)
}
