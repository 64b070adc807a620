import { setImmediate } from 'node:timers/promises'
import { sql, ToolError, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import { requireItem, type ItemRow } from '../items/index.ts'
import { upcoming } from './recurrence.ts'
import { dueAt, scheduleColumns, type Schedule } from './template.ts'

/** Finds the template of a reference and locks it. @throws ToolError not_found, invalid_argument, forbidden */
export async function lockTemplate(
  ctx: WriteContext,
  ref: string,
): Promise<{ readonly template: ItemRow; readonly schedule: Schedule }> {
  const field = 'template_ref'
  const template = await requireItem(ctx, ref, { write: true, lock: true, field })
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns} from templates.templates t
    where t.owner_id = ${template.ownerId} and t.item_id = ${template.id} for update
  `.execute(ctx.db)
  const [schedule] = rows
  if (schedule) return { template, schedule }
  throw new ToolError('invalid_argument', `${template.project.key}#${template.number} is no template.`, {
    field,
    hint: 'task_templates_list shows the templates.',
  })
}

/**
 * Templates are enabled while their item is neither archived nor closed; one that is enabled anew goes on with what is still to come.
 * @param which condition on the template `t` and its item `i`
 */
export async function followItems(ctx: WriteContext, which: RawBuilder<boolean>): Promise<void> {
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns}
    from templates.templates t join items.items i on i.owner_id = t.owner_id and i.id = t.item_id
    where ${which} and t.enabled <> (i.archived_at is null and i.completed_at is null) order by t.owner_id, t.item_id for update of t
  `.execute(ctx.db)
  if (rows.length === 0) return
  const values: object[] = []
  for (const schedule of rows) {
    const next = schedule.enabled ? schedule.nextAt : (goesOnAt(schedule, ctx.now)?.toISOString() ?? null)
    values.push({
      owner_id: schedule.ownerId,
      item_id: schedule.itemId,
      enabled: !schedule.enabled,
      next_at: next,
      due_at: next && dueAt(schedule, new Date(next)).toISOString(),
    })
    // Some rules take tens of milliseconds.
    await setImmediate()
  }
  await sql`
    update templates.templates t set enabled = v.enabled, next_at = v.next_at, due_at = v.due_at, failures = 0
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as v (owner_id uuid, item_id uuid, enabled boolean, next_at timestamptz,
      due_at timestamptz)
    where t.owner_id = v.owner_id and t.item_id = v.item_id
  `.execute(ctx.db)
}

/**
 * The first occurrence to come that has no item yet; events are made ahead of time. A rule that takes too much work is due at once: the
 * tick tells the owner why it makes nothing.
 */
function goesOnAt(schedule: Schedule, now: Date): Date | undefined {
  const last = schedule.lastOccurrence === null ? 0 : Date.parse(schedule.lastOccurrence)
  try {
    return upcoming(schedule, new Date(Math.max(now.getTime(), last)), 1)[0]
  } catch (error) {
    if (error instanceof ToolError) return now
    throw error
  }
}
