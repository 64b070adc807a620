import { setImmediate } from 'node:timers/promises'
import { defineJob, sql, ToolError, Type, type WriteContext } from 'tasuki/plugin'
import { publishChanges } from '../items/index.ts'
import { keyKeptFor } from '../projects/index.ts'
import { upcoming, type Recurrence } from '../templates/index.ts'
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
  readonly recurrence: Recurrence | null
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
    returning r.id, r.owner_id as "ownerId", i.id as "itemId", p.id as "projectId", r.user_id as "userId", ${keyKeptFor('p', sql`r.user_id`)} || '#' || i.number as ref, i.title,
      r.status = 'sent' as wanted, r.recurrence
  `.execute(ctx.db)
  const sent = rows.filter(row => row.wanted)
  await rearm(ctx, sent)
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
  await publishChanges(
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

/** Recurring reminders are due again at their next occurrence; of those that passed while nothing ran, only one was sent. */
async function rearm(ctx: WriteContext, sent: readonly Due[]): Promise<void> {
  const next: object[] = []
  for (const { ownerId, id, recurrence } of sent) {
    if (!recurrence) continue
    const at = nextOccurrence(ctx, recurrence)
    if (at) next.push({ owner_id: ownerId, id, remind_at: at.toISOString() })
    // Some rules take tens of milliseconds.
    await setImmediate()
  }
  if (next.length === 0) return
  await sql`
    update reminders.reminders r set status = 'pending', remind_at = n.remind_at
    from jsonb_to_recordset(${JSON.stringify(next)}::jsonb) as n (owner_id uuid, id uuid, remind_at timestamptz)
    where r.owner_id = n.owner_id and r.id = n.id
  `.execute(ctx.db)
}

/** Undefined when the rule has ended, or takes too much work: one such reminder must not hold up those of others. */
function nextOccurrence(ctx: WriteContext, recurrence: Recurrence): Date | undefined {
  try {
    return upcoming(recurrence, ctx.now, 1)[0]
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    ctx.log.warn({ rule: recurrence.rule, error: error.message }, 'a recurring reminder has no next occurrence')
    return undefined
  }
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
