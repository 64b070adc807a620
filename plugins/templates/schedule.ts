import { sql, ToolError, type WriteContext } from 'tasuki/plugin'
import { requireItem, type ItemChange, type ItemRow } from '../items/index.ts'
import { upcoming } from './recurrence.ts'
import { scheduleColumns, type Schedule } from './template.ts'

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

/** Templates are enabled while their item is neither archived nor closed; one that is enabled anew misses nothing. */
export async function setNext(ctx: WriteContext, changes: readonly ItemChange[]): Promise<void> {
  const keys = changes.map(({ ownerId, itemId }) => sql`(${ownerId}::uuid, ${itemId}::uuid)`)
  const { rows } = await sql<Schedule & { readonly wanted: boolean }>`
    select ${scheduleColumns}, i.archived_at is null and i.completed_at is null as wanted
    from templates.templates t join items.items i on i.owner_id = t.owner_id and i.id = t.item_id
    where (t.owner_id, t.item_id) in (${sql.join(keys)}) order by t.owner_id, t.item_id for update of t
  `.execute(ctx.db)
  const switched = rows.filter(({ enabled, wanted }) => enabled !== wanted)
  if (switched.length === 0) return
  const values = switched.map(schedule => ({
    owner_id: schedule.ownerId,
    item_id: schedule.itemId,
    enabled: schedule.wanted,
    next_at: schedule.wanted ? (upcoming(schedule, ctx.now, 1)[0]?.toISOString() ?? null) : schedule.nextAt,
  }))
  await sql`
    update templates.templates t set enabled = v.enabled, next_at = v.next_at, due_at = v.next_at, failures = 0
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as v (owner_id uuid, item_id uuid, enabled boolean, next_at timestamptz)
    where t.owner_id = v.owner_id and t.item_id = v.item_id
  `.execute(ctx.db)
}
