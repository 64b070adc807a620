import { sql, ToolError, uuid, type WriteContext } from 'tasuki/plugin'
import { recordChanges, requireItem } from '../items/index.ts'
import { access } from '../projects/index.ts'
import { isAllDay, readRecurrence, upcoming, type Recurrence } from '../templates/index.ts'
import { changeOf, reminderJson, type Reminder } from './reminder.ts'

export interface Repetition {
  readonly item_ref: string
  /** RRULE, with or without a DTSTART line. */
  readonly recurrence_rule: string
  /** IANA name; default the caller's own. */
  readonly timezone?: string | undefined
}

/** Occurrences that are shown to whoever writes a rule. */
const PREVIEW = 3

/**
 * Makes a reminder for the caller that is sent at every occurrence, until its item is completed or archived.
 * @throws ToolError invalid_argument for a rule that is none or has ended
 */
export async function repeatReminder(
  ctx: WriteContext,
  { item_ref: ref, recurrence_rule: rule, timezone = access(ctx).timeZone }: Repetition,
): Promise<{ readonly reminder: Reminder; readonly next_occurrences: readonly string[] }> {
  const recurrence = timesOf(rule, timezone, ctx.now)
  const next = upcoming(recurrence, ctx.now, PREVIEW).map(at => at.toISOString())
  const [first] = next
  if (first === undefined) {
    throw new ToolError('invalid_argument', `${recurrence.rule} has ended already.`, {
      field: 'recurrence_rule',
      hint: 'Move UNTIL or DTSTART.',
    })
  }
  const { ownerId, project, ...item } = await requireItem(ctx, ref, { write: true })
  const { rows } = await sql<{ reminder: Reminder }>`
    insert into reminders.reminders as r (owner_id, id, item_id, user_id, recurrence, remind_at, status, created_at)
    values (${ownerId}, ${uuid()}, ${item.id}, ${ctx.actor.userId}, ${JSON.stringify(recurrence)}::jsonb, ${first}, 'pending', ${ctx.now})
    returning ${reminderJson(ctx)} as reminder
  `.execute(ctx.db)
  const found = {
    ownerId,
    project,
    item: { id: item.id, ref: `${project.key}#${item.number}`, title: item.title, due: item.dueDate !== null },
  }
  await recordChanges(ctx, [changeOf(found, 'reminder.created', { to: first })])
  return { reminder: rows[0]!.reminder, next_occurrences: next }
}

/** A rule that names no time of day means 09:00, as all-day items do. */
function timesOf(rule: string, timezone: string, now: Date): Recurrence {
  const days = readRecurrence(rule, timezone, now)
  if (!isAllDay(days)) return days
  const start = days.startsAfter === null ? `DTSTART:${days.dtstart.replaceAll('-', '')}T090000\n` : ''
  const timed = start === '' ? `${days.rule};BYHOUR=9;BYMINUTE=0` : days.rule
  return readRecurrence(`${start}RRULE:${timed}`, timezone, now)
}
