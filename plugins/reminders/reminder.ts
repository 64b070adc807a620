import {
  choice,
  guarded,
  iso,
  nullable,
  recordId,
  sql,
  ToolError,
  Type,
  type RawBuilder,
  type ReadContext,
  type Static,
} from 'tasuki/plugin'
import { refOf, type ItemChange } from '../items/index.ts'
import { checkRole, keyColumn, visible, type ProjectRow } from '../projects/index.ts'

export const STATUSES = ['pending', 'sent', 'dismissed'] as const
export const reminderId = recordId('From reminders_list.')
/** A year. */
export const LONGEST_LEAD = 527_040
export const leadTime = (description: string) =>
  guarded(Type.Integer({ description }), { minimum: 0, maximum: LONGEST_LEAD })

/** A reminder as results show it. */
export const reminder = Type.Object({
  id: Type.String(),
  item_ref: Type.String(),
  status: choice(STATUSES),
  lead_time_minutes: Type.Optional(nullable(Type.Integer())),
  recurrence_rule: Type.Optional(Type.String()),
  timezone: Type.Optional(Type.String()),
  remind_at: Type.Optional(Type.String()),
})
export type Reminder = Static<typeof reminder>

/** jsonb object of a reminder, from the alias `r`. */
export const reminderJson = (
  ctx: ReadContext,
): RawBuilder<Reminder> => sql`jsonb_strip_nulls(jsonb_build_object('id', r.id, 'item_ref', ${refOf(ctx, 'r.owner_id', 'r.item_id')}, 'status', r.status,
  'lead_time_minutes', r.lead_time_minutes, 'recurrence_rule', r.recurrence ->> 'rule', 'timezone', r.recurrence ->> 'timezone', 'remind_at', ${iso('r.remind_at')}))`

/** When an item `i` is due, as an instant; an item without a time is due at 09:00 in the time zone of its owner. */
export const dueInstant: RawBuilder<string> = sql`((i.due_date + coalesce(i.due_time, '09:00')::time)
  at time zone (select u.time_zone from core.users u where u.id = i.owner_id))`

/** A reminder with the item that it belongs to. */
export interface FoundReminder {
  readonly ownerId: string
  readonly reminder: Reminder
  readonly item: { readonly id: string; readonly ref: string; readonly title: string; readonly due: boolean }
  readonly project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>
}

/** Finds a reminder that the caller may see. @throws ToolError not_found, forbidden */
export async function requireReminder(ctx: ReadContext, id: string, lock = false): Promise<FoundReminder> {
  const { rows } = await sql<FoundReminder>`
    select r.owner_id as "ownerId", ${reminderJson(ctx)} as reminder,
      json_build_object('id', i.id, 'ref', ${keyColumn(ctx, 'p')} || '#' || i.number, 'title', i.title, 'due', i.due_date is not null) as item,
      json_build_object('ownerId', p.owner_id, 'id', p.id, 'key', ${keyColumn(ctx, 'p')}) as project
    from reminders.reminders r
    join items.items i on i.owner_id = r.owner_id and i.id = r.item_id
    join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where r.id = ${id} and ${visible(ctx, 'i')} ${lock ? sql`for update of r` : sql``}
  `.execute(ctx.db)
  const [found] = rows
  if (!found)
    throw new ToolError('not_found', `There is no reminder ${id}.`, {
      field: 'reminder_id',
      hint: 'reminders_list shows the pending reminders of an item.',
    })
  checkRole(ctx, found.project, { write: true })
  return found
}

/** Refuses a relative reminder where there is nothing that it could be relative to. @throws ToolError invalid_argument */
export function requireDue(ref: string, due: boolean): void {
  if (due) return
  throw new ToolError('invalid_argument', `lead_time_minutes counts back from the due date, and ${ref} has none.`, {
    field: 'lead_time_minutes',
    hint: 'Give remind_at, or set a due_date first.',
  })
}

/** An entry for the history of the item. */
export function changeOf(
  { ownerId, item, project }: Omit<FoundReminder, 'reminder'>,
  kind: string,
  more: Partial<ItemChange> = {},
): ItemChange {
  return { ownerId, itemId: item.id, projectId: project.id, ref: item.ref, title: item.title, kind, ...more }
}
