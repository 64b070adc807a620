import {
  castTo,
  deleteWhere,
  exists,
  expressions,
  iso,
  isOneOf,
  json,
  refersTo,
  sql,
  updateRecords,
  uuid,
} from 'tasuki/plugin'
import type { Condition, Expression, OwnedKey, RawBuilder, ReadContext, Row, WriteContext } from 'tasuki/plugin'
import { copiesOf, findItemRow, refOf, type ItemCopy, type ItemOfRow } from '../items/index.ts'
import { storedKeyFor } from '../projects/index.ts'
import type { Recurrence } from '../templates/index.ts'
import type { Reminder } from './reminder.ts'

/** Returns SQL for a reminder as one jsonb record, from the alias of its table. */
function reminderJson(ctx: ReadContext, alias: 'r' | 'reminders'): RawBuilder<Reminder> {
  const of = (column: keyof Row<'reminders.reminders'>) => sql.ref(`${alias}.${column}`)
  return sql`jsonb_strip_nulls(jsonb_build_object('id', ${of('id')}, 'item_ref', ${refOf(ctx, `${alias}.owner_id`, `${alias}.item_id`)},
    'status', ${of('status')}, 'lead_time_minutes', ${of('lead_time_minutes')}, 'recurrence_rule', ${of('recurrence')} ->> 'rule',
    'timezone', ${of('recurrence')} ->> 'timezone', 'remind_at', ${iso(`${alias}.remind_at`)}))`
}

/**
 * Returns SQL for the time some minutes before the item `i` is due; null without a due date. An item without a due time is due at 09:00 in
 * the time zone of its owner.
 */
function timeBeforeDue(minutes: Expression<unknown>): RawBuilder<string> {
  return sql`((i.due_date + coalesce(i.due_time, '09:00')::time)
    at time zone (select u.time_zone from core.users u where u.id = i.owner_id)) - ${minutes} * interval '1 minute'`
}
const ownLead = timeBeforeDue(sql.ref('r.lead_time_minutes'))

/** Returns SQL for the pending reminders of the item `i` as a jsonb array, earliest first; null for none. */
export const pendingOfItem = (ctx: ReadContext): Expression<unknown> => sql`
  select jsonb_agg(${reminderJson(ctx, 'r')} order by r.remind_at, r.id) from reminders.reminders r
  where r.owner_id = i.owner_id and r.item_id = i.id and r.status = 'pending'`

/** Condition that the item `i` has a pending reminder. */
export const hasPending: Condition = exists(
  expressions<{ i: 'items.items' }>()
    .selectFrom('reminders.reminders as r')
    .where(refersTo('r.item_id', 'i'))
    .where('r.status', '=', sql.lit('pending')),
)

/** A reminder with its item. */
export interface FoundReminder extends ItemOfRow {
  readonly reminder: Reminder
  /** Whether the item has a due date. */
  readonly due: boolean
  /** Whether the item is finished or archived. */
  readonly ended: boolean
}

/** Finds a reminder that the caller may see. */
export function findReminder(ctx: ReadContext, id: string, demand: { readonly lock: boolean }) {
  const state = sql.raw('i.due_date is not null as due, num_nulls(i.completed_at, i.archived_at) < 2 as ended')
  const columns = sql.join([reminderJson(ctx, 'r').as('reminder'), state])
  return findItemRow<FoundReminder>(ctx, 'reminders.reminders', id, columns, demand)
}

/** When a reminder is due: at a fixed time, at each occurrence of a rule, or some time before its item. */
export type ReminderTime =
  | { readonly at: string; readonly recurrence?: Recurrence }
  | { readonly minutesBefore: number; readonly at?: undefined }

/**
 * Adds a reminder for the caller.
 * @param most maximum number of pending reminders of the item's owner
 * @returns undefined if the owner has reached it
 */
export async function insertReminder(
  ctx: WriteContext,
  { ownerId, id: itemId }: OwnedKey,
  time: ReminderTime,
  most: number,
): Promise<Reminder | undefined> {
  const [lead, at, recurrence] =
    time.at === undefined
      ? [
          time.minutesBefore,
          sql`(select ${timeBeforeDue(castTo(time.minutesBefore, 'integer'))} from items.items i
          where i.owner_id = ${ownerId} and i.id = ${itemId})`,
          null,
        ]
      : [null, castTo(time.at, 'timestamptz'), time.recurrence ?? null]
  const row = await ctx.db
    .insertInto('reminders.reminders')
    .columns([
      'owner_id',
      'id',
      'item_id',
      'user_id',
      'status',
      'created_at',
      'lead_time_minutes',
      'remind_at',
      'recurrence',
    ])
    .expression(
      sql`select ${ownerId}, ${uuid()}, ${itemId}, ${ctx.actor.userId}, 'pending', ${ctx.now}::timestamptz, ${lead}::int, ${at},
        ${recurrence && json(recurrence)}::jsonb where (
          select count(*) from reminders.reminders p where p.owner_id = ${ownerId} and p.status = 'pending') < ${most}`,
    )
    .returning(reminderJson(ctx, 'reminders').as('reminder'))
    .executeTakeFirst()
  return row?.reminder
}

export interface ReminderChanges {
  /** null makes a relative reminder absolute: its current time stays. */
  readonly minutesBefore?: number | null | undefined
  readonly at?: string | undefined
  readonly status?: Reminder['status'] | undefined
}

/** Changes the time or status of a reminder; at least one of them. */
export async function updateReminder(
  ctx: WriteContext,
  { ownerId, reminder }: FoundReminder,
  { minutesBefore, at, status }: ReminderChanges,
): Promise<Reminder> {
  const row = await ctx.db
    .updateTable('reminders.reminders as r')
    .from('items.items as i')
    .set({
      status,
      ...(at !== undefined && { remind_at: at }),
      ...((at !== undefined || minutesBefore === null) && { lead_time_minutes: null }),
      ...(typeof minutesBefore === 'number' && {
        lead_time_minutes: minutesBefore,
        recurrence: null,
        remind_at: timeBeforeDue(castTo(minutesBefore, 'integer')),
      }),
    })
    .whereRef('i.owner_id', '=', 'r.owner_id')
    .whereRef('i.id', '=', 'r.item_id')
    .where(({ and }) => and({ 'r.owner_id': ownerId, 'r.id': reminder.id }))
    .returning(reminderJson(ctx, 'r').as('reminder'))
    .executeTakeFirstOrThrow()
  return row.reminder
}

/** Postpones a reminder, from now if it is past; a sent reminder becomes pending again. */
export async function snoozeReminder(
  ctx: WriteContext,
  { ownerId, reminder: { id, status } }: FoundReminder,
  minutes: number,
): Promise<Reminder> {
  const row = await ctx.db
    .updateTable('reminders.reminders as r')
    .set({
      lead_time_minutes: null,
      status: status === 'sent' ? 'pending' : status,
      remind_at: sql`greatest(r.remind_at, ${ctx.now}::timestamptz) + ${minutes}::int * interval '1 minute'`,
    })
    .where(({ and }) => and({ 'r.owner_id': ownerId, 'r.id': id }))
    .returning(reminderJson(ctx, 'r').as('reminder'))
    .executeTakeFirstOrThrow()
  return row.reminder
}

export async function deleteReminder(ctx: WriteContext, ownerId: string, id: string): Promise<void> {
  await deleteWhere(ctx.db, 'reminders.reminders', { owner_id: ownerId, id })
}

/**
 * Moves the relative reminders of items along with their due dates; a sent reminder becomes pending again if its new time is in the future.
 * @returns the ids of items with pending reminders that have no time any more, because the item has no due date
 */
export async function followDueDates(
  ctx: WriteContext,
  items: readonly { readonly ownerId: string; readonly itemId: string }[],
): Promise<string[]> {
  const keys = items.map(({ ownerId, itemId }) => [ownerId, itemId])
  const { rows } = await sql<{ itemId: string; stopped: boolean }>`
    update reminders.reminders r set remind_at = ${ownLead},
      status = case when r.status = 'sent' and ${ownLead} > ${ctx.now} then 'pending' else r.status end
    from items.items i
    where i.owner_id = r.owner_id and i.id = r.item_id and r.lead_time_minutes is not null and ${isOneOf(['r.owner_id', 'r.item_id'], keys)}
    returning r.item_id as "itemId", r.remind_at is null and r.status = 'pending' as stopped
  `.execute(ctx.db)
  return rows.flatMap(({ itemId, stopped }) => (stopped ? itemId : []))
}

/** Recomputes the times of all pending relative reminders, or of those on the items of one owner. */
export async function followAllDueDates(ctx: WriteContext, ownerId?: string): Promise<void> {
  await ctx.db
    .updateTable('reminders.reminders as r')
    .from('items.items as i')
    .set({ remind_at: ownLead })
    .whereRef('i.owner_id', '=', 'r.owner_id')
    .whereRef('i.id', '=', 'r.item_id')
    .where('r.lead_time_minutes', 'is not', null)
    .where('r.status', '=', 'pending')
    .$if(ownerId !== undefined, query => query.where('r.owner_id', '=', ownerId!))
    .execute()
}

/** Moves the pending reminders of items to other items. */
export async function movePending(ctx: WriteContext, moves: readonly ItemCopy[]): Promise<void> {
  await ctx.db
    .updateTable('reminders.reminders as r')
    .from(copiesOf(moves))
    .set(({ ref }) => ({ item_id: ref('c.to_id') }))
    .whereRef('r.owner_id', '=', 'c.owner_id')
    .whereRef('r.item_id', '=', 'c.from_id')
    .where('r.status', '=', 'pending')
    .execute()
}

/** A claimed reminder. */
export interface DueReminder extends OwnedKey {
  readonly itemId: string
  readonly projectId: string
  readonly userId: string
  readonly ref: string
  readonly title: string
  /** False if the item is finished or archived. */
  readonly wanted: boolean
  readonly recurrence: Recurrence | null
}

/**
 * Claims due reminders and marks them as sent, or as dismissed if the item is finished or archived. Those in archived projects wait, as
 * templates do.
 */
export async function claimDue(ctx: WriteContext, limit: number): Promise<readonly DueReminder[]> {
  const { rows } = await sql<DueReminder>`
    with due as (
      select r.owner_id, r.id from reminders.reminders r
      join items.items i on i.owner_id = r.owner_id and i.id = r.item_id
      join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where r.status = 'pending' and r.remind_at <= ${ctx.now} and p.archived_at is null
      order by r.remind_at limit ${limit} for update of r skip locked)
    update reminders.reminders r set sent_at = ${ctx.now},
      status = case when i.completed_at is null and i.archived_at is null then 'sent' else 'dismissed' end
    from due, items.items i, projects.projects p
    where r.owner_id = due.owner_id and r.id = due.id and i.owner_id = r.owner_id and i.id = r.item_id
      and p.owner_id = i.owner_id and p.id = i.project_id
    returning r.id, r.owner_id as "ownerId", i.id as "itemId", p.id as "projectId", r.user_id as "userId", ${storedKeyFor(sql.ref('r.user_id'))} || '#' || i.number as ref, i.title,
      r.status = 'sent' as wanted, r.recurrence
  `.execute(ctx.db)
  return rows
}

/** Reads the future due times of reminders before the given time. */
export async function readComing(ctx: WriteContext, before: Date): Promise<readonly Date[]> {
  const rows = await ctx.db
    .selectFrom('reminders.reminders')
    .select('remind_at')
    .distinct()
    .where('status', '=', 'pending')
    .where('remind_at', '>', ctx.now.toISOString())
    .where('remind_at', '<', before.toISOString())
    .execute()
  return rows.map(row => new Date(row.remind_at!))
}

/** Makes reminders pending again at new times. */
export async function reschedule(
  ctx: WriteContext,
  times: readonly { readonly owner_id: string; readonly id: string; readonly remind_at: Date }[],
): Promise<void> {
  const rows = times.map(time => ({ ...time, status: 'pending' as const }))
  await updateRecords(ctx.db, 'reminders.reminders', ['owner_id', 'id'], rows)
}
