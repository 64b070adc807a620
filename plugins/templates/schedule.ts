import { setImmediate } from 'node:timers/promises'
import { ToolError, type WriteContext } from 'tasuki/plugin'
import { formatRef, requireItem, type ItemRow } from '../items/index.ts'
import { upcoming } from './recurrence.ts'
import { lockTemplatesToSwitch, readSchedule, updateEnabled } from './template.repository.ts'
import { dueAt, findPast, type Schedule } from './template.ts'

/** Finds and locks the template that a reference names. @throws ToolError not_found, invalid_argument, forbidden */
export async function lockTemplate(
  ctx: WriteContext,
  ref: string,
): Promise<{ readonly template: ItemRow; readonly schedule: Schedule }> {
  const field = 'template_ref'
  const template = await requireItem(ctx, ref, { write: true, lock: 'with workflows', field })
  const schedule = await readSchedule(ctx, template, { lock: true })
  if (schedule) return { template, schedule }
  throw new ToolError('invalid_argument', `${formatRef(template)} is no template.`, {
    field,
    hint: 'task_templates_list shows the templates.',
  })
}

/**
 * Enables templates whose items are neither archived nor closed, and disables the others. A re-enabled template continues with its next
 * occurrence.
 * @param items restricts the update to these
 */
export async function followItems(
  ctx: WriteContext,
  items?: Parameters<typeof lockTemplatesToSwitch>[1],
): Promise<void> {
  const switched = []
  for (const schedule of await lockTemplatesToSwitch(ctx, items)) {
    const next = schedule.enabled ? schedule.nextAt : (nextOccurrence(schedule, ctx.now)?.toISOString() ?? null)
    switched.push({
      owner_id: schedule.ownerId,
      item_id: schedule.itemId,
      enabled: !schedule.enabled,
      next_at: next,
      due_at: next && dueAt(schedule, new Date(next)).toISOString(),
    })
    // Yields to the event loop: some rules take tens of milliseconds.
    await setImmediate()
  }
  if (switched.length > 0) await updateEnabled(ctx, switched)
}

/**
 * Returns the next occurrence without an item; events are created ahead of time. A rule that is too complex is due immediately, so that the
 * job notifies the owner.
 */
function nextOccurrence(schedule: Schedule, now: Date): Date | undefined {
  const last = schedule.lastOccurrence === null ? 0 : Date.parse(schedule.lastOccurrence)
  try {
    return upcoming(schedule, new Date(Math.max(findPast(schedule, now).getTime(), last)), 1)[0]
  } catch (error) {
    if (error instanceof ToolError) return now
    throw error
  }
}
