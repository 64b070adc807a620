import { ToolError, type WriteContext } from 'tasuki/plugin'
import { publishChanges } from '../items/index.ts'
import { localTime, wallOf } from './lines.ts'
import { changedRecurrence, isAllDay, upcoming } from './recurrence.ts'
import { lockTemplate } from './schedule.ts'
import { updateRule } from './template.repository.ts'
import { dueAt, type Schedule } from './template.ts'
import { instantOf, startOfDay, wallClock } from './zone.ts'

const FIELD = 'to'

/**
 * Excludes or moves the next occurrence of a template; the others stay.
 * @param expected the occurrence that the caller saw, ISO 8601
 * @param to `YYYY-MM-DD HH:MM` in the time zone of the template; null = exclude
 * @throws ToolError not_found, forbidden, invalid_argument; conflict if the next occurrence has changed
 */
export async function changeNext(
  ctx: WriteContext,
  ref: string,
  { expected, to }: { readonly expected: string; readonly to: string | null },
): Promise<void> {
  const { template, schedule } = await lockTemplate(ctx, ref)
  const { nextAt, enabled } = schedule
  if (nextAt === null || !enabled) {
    throw new ToolError('invalid_argument', `${ref} has no next occurrence.`, {
      field: 'template_ref',
      hint: 'Reopen or unarchive the template, or make a new one.',
    })
  }
  if (nextAt !== expected) {
    throw new ToolError('conflict', `The next occurrence of ${ref} is ${nextAt} by now.`, {
      field: 'template_ref',
      hint: 'Look at the template again.',
    })
  }
  const old = new Date(nextAt)
  const fresh = to === null ? null : readTime(schedule, old, to, ctx.now)
  const changed = changedRecurrence(schedule, old, fresh, ctx.now)
  const from = Math.min(old.getTime(), fresh?.getTime() ?? Infinity) - 1
  const next = upcoming(changed, new Date(from), 1)[0] ?? null
  await updateRule(ctx, schedule, { rule: changed.rule, next_at: next, due_at: next && dueAt(schedule, next) })
  await publishChanges(ctx, [
    {
      ownerId: template.ownerId,
      itemId: template.id,
      projectId: template.project.id,
      ref: `${template.project.key}#${template.number}`,
      title: template.title,
      kind: fresh ? 'template.moved' : 'template.skipped',
      from: { occurrence: nextAt },
      to: { ...(fresh && { occurrence: fresh.toISOString() }), ...(next && { next: next.toISOString() }) },
    },
  ])
}

/** Without a time of day, the occurrence keeps its own. */
function readTime(schedule: Schedule, old: Date, text: string, now: Date): Date {
  const { timezone } = schedule
  const allDay = isAllDay(schedule)
  const [, date, timeText] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d{1,2}:\d\d))?$/.exec(text.normalize('NFKC').trim()) ?? []
  const time = timeText ?? localTime(wallClock(old.getTime(), timezone)).slice(11, 16)
  const digits = allDay ? '000000' : `${time.replace(':', '').padStart(4, '0')}00`
  const wall = date === undefined ? null : wallOf(date.replaceAll('-', ''), digits)
  const at = wall === null ? null : allDay ? startOfDay(wall, timezone) : instantOf(wall, timezone)
  if (at === null)
    throw new ToolError('invalid_argument', `"${text}" is not a time in ${timezone}.`, {
      field: FIELD,
      hint: allDay ? 'Write a date like 2027-04-01.' : 'Write a date and a time like 2027-04-01 09:00.',
    })
  if (wall! < wallClock(now.getTime(), timezone) - (allDay ? 86_399_999 : 0))
    throw new ToolError('invalid_argument', `${text} has passed.`, { field: FIELD, hint: 'Give a later time.' })
  return new Date(at)
}
