import { ToolError, type WriteContext } from 'tasuki/plugin'
import { recordChanges, requireItem, toItemChange, toItemOfRow } from '../items/index.ts'
import { access } from '../projects/index.ts'
import { isAllDay, readRecurrence, type Recurrence, upcoming } from '../templates/index.ts'
import { addReminder } from './reminder.service.ts'
import type { Reminder } from './reminder.ts'

export interface Repetition {
  readonly item_ref: string
  /** RRULE, with or without a DTSTART line. */
  readonly recurrence_rule: string
  /** IANA name; default: the caller's own time zone. */
  readonly timezone?: string | undefined
}

/** Number of occurrences in the result. */
const PREVIEW = 3

/**
 * Creates a reminder for the caller that is sent at every occurrence until its item is completed or archived.
 * @throws ToolError invalid_argument for a rule that is invalid or has no future occurrence
 */
export async function repeatReminder(
  ctx: WriteContext,
  { item_ref: ref, recurrence_rule: rule, timezone }: Repetition,
): Promise<{ readonly reminder: Reminder; readonly next_occurrences: readonly string[] }> {
  const recurrence = readTimes(ctx, rule, timezone)
  const next = upcoming(recurrence, ctx.now, PREVIEW).map(at => at.toISOString())
  const [first] = next
  if (first === undefined)
    throw new ToolError('invalid_argument', `${recurrence.rule} has ended already.`, {
      field: 'recurrence_rule',
      hint: 'Move UNTIL or DTSTART.',
    })
  const item = await requireItem(ctx, ref, { write: true })
  const reminder = await addReminder(ctx, item, { at: first, recurrence })
  await recordChanges(ctx, [toItemChange(toItemOfRow(item), 'reminder.created', { to: first })])
  return { reminder, next_occurrences: next }
}

/** A rule without a time of day means 09:00, as for all-day items. */
function readTimes(ctx: WriteContext, rule: string, timezone: string | undefined): Recurrence {
  const days = readRecurrence(rule, timezone, ctx.now, access(ctx).timeZone)
  if (!isAllDay(days)) return days
  const start = days.startsAfter === null ? `DTSTART:${days.dtstart.replaceAll('-', '')}T090000\n` : ''
  const [own, ...dates] = days.rule.split('\n')
  const timed = [
    start === '' ? `${own};BYHOUR=9;BYMINUTE=0` : own,
    ...dates.map(line =>
      line.replace(/^RDATE;VALUE=DATE(?=:)/, 'RDATE').replaceAll(/(?<=^RDATE:.*)\d{8}\b/g, '$&T090000'),
    ),
  ].join('\n')
  return readRecurrence(`${start}RRULE:${timed}`, days.timezone, ctx.now)
}
