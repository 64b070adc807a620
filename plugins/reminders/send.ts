import { setImmediate } from 'node:timers/promises'
import { defineJob, MINUTE_MS, quoteName, ToolError, type WriteContext } from 'tasuki/plugin'
import { publishChanges } from '../items/index.ts'
import { upcoming, type Recurrence } from '../templates/index.ts'
import { notify } from '../workspace/index.ts'
import { claimDue, readComing, reschedule, type DueReminder } from './reminder.repository.ts'

/** Reminders per run; if there are more, the next run follows immediately. */
const BATCH = 500
/** How far a run looks ahead: schedules may run a few seconds late. */
const AHEAD = MINUTE_MS + 10_000
/** Extra runs are rounded up to multiples of this many milliseconds, so that reminders share runs. */
const GRAIN = 2000

/**
 * Sends due reminders. Claiming, notifying and marking share one transaction, so that each reminder is sent once, independent of the number
 * of instances. Reminders that became due during downtime are sent at the next run. Reminders of finished or archived items are dismissed.
 */
export async function sendDue(ctx: WriteContext): Promise<number> {
  const due = await claimDue(ctx, BATCH)
  const sent = due.filter(({ wanted }) => wanted)
  await rearm(ctx, sent)
  await notify(
    ctx,
    sent.map(({ ownerId, itemId, userId, ref, title, id }) => ({
      userId,
      kind: 'reminder.due',
      title: `${ref} ${quoteName(title)}`,
      item: { ownerId, id: itemId },
      data: { reminder_id: id },
    })),
  )
  const kind = 'reminder.sent'
  const changes = sent.map(({ ownerId, itemId, projectId, ref, title }) => ({
    ownerId,
    itemId,
    projectId,
    ref,
    title,
    kind,
  }))
  await publishChanges(ctx, changes)
  return due.length
}

/** Reschedules recurring reminders to their next occurrence; after downtime only one of the missed occurrences was sent. */
async function rearm(ctx: WriteContext, sent: readonly DueReminder[]): Promise<void> {
  const next = []
  for (const { ownerId, id, recurrence } of sent) {
    if (!recurrence) continue
    const at = nextOccurrence(ctx, recurrence)
    if (at) next.push({ owner_id: ownerId, id, remind_at: at })
    // Yields to the event loop: some rules take tens of milliseconds.
    await setImmediate()
  }
  if (next.length > 0) await reschedule(ctx, next)
}

/** @returns undefined if the rule has ended or is too complex; one such reminder must not block the others */
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
  async run(ctx) {
    if ((await sendDue(ctx)) === BATCH) await ctx.enqueue(send, {})
    await queueRuns(ctx, await readComing(ctx, new Date(ctx.now.getTime() + AHEAD)))
  },
})

/** Enqueues a run for a reminder that is due before the next scheduled run. @param remindAt ISO 8601; undefined = never */
export async function sendOnTime(ctx: WriteContext, remindAt: string | undefined): Promise<void> {
  if (remindAt === undefined) return
  const at = new Date(remindAt)
  if (at.getTime() - ctx.now.getTime() < AHEAD) await queueRuns(ctx, [at])
}

async function queueRuns(ctx: WriteContext, due: readonly Date[]): Promise<void> {
  const times = new Set(due.map(at => Math.ceil(at.getTime() / GRAIN) * GRAIN))
  for (const time of times) {
    const at = new Date(time)
    await ctx.enqueue(send, {}, { at, key: at.toISOString() })
  }
}
