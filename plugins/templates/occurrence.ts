import { isInstant, normalizeText, throwAll, ToolError, type WriteContext } from 'tasuki/plugin'
import {
  draftOf,
  lockItems,
  publishChanges,
  toItemChange,
  toItemOfRow,
  writeItems,
  type ItemRow,
} from '../items/index.ts'
import { findDue } from './generate.ts'
import { localTime, wallOf } from './rule-lines.ts'
import { changeRecurrence, isAllDay, upcoming } from './recurrence.ts'
import { lockTemplate } from './schedule.ts'
import { readItemsMadeAhead, updateRule } from './template.repository.ts'
import { dueAt, formatOccurrence, formatWall, type Schedule } from './template.ts'
import { instantOf, startOfDay, wallClock } from './zone.ts'

const FIELD = 'to'

/** What became of an occurrence. */
export interface ChangedOccurrence {
  /** Number of its item, where that was made ahead of time. */
  readonly number: number | null
  /** Where it was moved, in the time zone of the series; null if it was skipped. */
  readonly to: string | null
}

/**
 * Excludes or moves the next occurrence of a template; the others stay. If its item was made ahead of time, the item is archived or moved.
 * @param expected the occurrence that the caller saw, ISO 8601
 * @param to `YYYY-MM-DD HH:MM` in the time zone of the template; null = exclude
 * @throws ToolError not_found, forbidden, invalid_argument; conflict if the next occurrence has changed
 */
export async function changeNext(
  ctx: WriteContext,
  ref: string,
  { expected, to }: { readonly expected: string; readonly to: string | null },
): Promise<ChangedOccurrence> {
  const { template, schedule } = await lockTemplate(ctx, ref)
  const { nextAt, enabled } = schedule
  if (expected !== nextAt) {
    const made = await lockItemMadeAhead(ctx, template, expected)
    if (made) return changeItemMadeAhead(ctx, { template, schedule, made, occurrence: new Date(expected), to })
  }
  if (nextAt === null || !enabled)
    throw new ToolError('invalid_argument', `${ref} has no next occurrence.`, {
      field: 'template_ref',
      hint: 'Reopen or unarchive the template, or make a new one.',
    })
  if (nextAt !== expected)
    throw new ToolError(
      'conflict',
      `The next occurrence of ${ref} is ${formatWall(schedule, new Date(nextAt))} by now.`,
      { field: 'template_ref', hint: 'Look at the template again.' },
    )
  const old = new Date(nextAt)
  const fresh = to === null ? null : readTime(schedule, old, to, ctx.now)
  const changed = changeRecurrence(schedule, old, fresh, ctx.now)
  const from = Math.min(old.getTime(), fresh?.getTime() ?? Infinity) - 1
  const next = upcoming(changed, new Date(from), 1)[0] ?? null
  await updateRule(ctx, schedule, { rule: changed.rule, next_at: next, due_at: next && dueAt(schedule, next) })
  await publish(ctx, template, schedule, { old, fresh, ...(next && { next: formatOccurrence(schedule, next) }) })
  return { number: null, to: fresh && formatWall(schedule, fresh) }
}

/** The open item that was made for an occurrence to come, locked; undefined without one. */
async function lockItemMadeAhead(
  ctx: WriteContext,
  template: ItemRow,
  occurrence: string,
): Promise<ItemRow | undefined> {
  if (!isInstant(occurrence) || !(Date.parse(occurrence) > ctx.now.getTime())) return undefined
  const [made] = await readItemsMadeAhead(ctx, template, 1, occurrence)
  return made && (await lockItems(ctx, [made])).get(made.id)
}

interface MadeOccurrence {
  readonly template: ItemRow
  readonly schedule: Schedule
  readonly made: ItemRow
  readonly occurrence: Date
  readonly to: string | null
}

/** The series leaves the occurrence out, so that nothing makes it again; where it is moved, its item says when it takes place. */
async function changeItemMadeAhead(
  ctx: WriteContext,
  { template, schedule, made, occurrence, to }: MadeOccurrence,
): Promise<ChangedOccurrence> {
  const fresh = to === null ? null : readTime(schedule, occurrence, to, ctx.now)
  const draft = draftOf(
    made,
    fresh ? 'This occurrence of the series was moved' : 'This occurrence of the series was skipped',
  )
  if (fresh) Object.assign(draft.after, findDue({ schedule, occurrence: fresh }, ctx.now))
  else draft.after.archivedAt = ctx.now.toISOString()
  await writeItems(ctx, [draft], { tool: 'items_patch', input: {}, bulk: true })
  throwAll(draft.problems)
  const { rule } = changeRecurrence(schedule, occurrence, null, ctx.now)
  const { nextAt } = schedule
  const next = nextAt === null ? null : new Date(nextAt)
  await updateRule(ctx, schedule, { rule, next_at: next, due_at: next && dueAt(schedule, next) })
  await publish(ctx, template, schedule, { old: occurrence, fresh, item: draft.ref })
  return { number: made.number, to: fresh && formatWall(schedule, fresh) }
}

function publish(
  ctx: WriteContext,
  template: ItemRow,
  schedule: Schedule,
  { old, fresh, ...more }: { old: Date; fresh: Date | null; next?: string; item?: string },
): Promise<void> {
  const from = { occurrence: formatOccurrence(schedule, old) }
  const to = { ...(fresh && { occurrence: formatOccurrence(schedule, fresh) }), ...more }
  const kind = fresh ? 'template.moved' : 'template.skipped'
  return publishChanges(ctx, [toItemChange(toItemOfRow(template), kind, { from, to })])
}

/** Without a time of day, the occurrence keeps its own. */
function readTime(schedule: Schedule, old: Date, text: string, now: Date): Date {
  const { timezone } = schedule
  const allDay = isAllDay(schedule)
  const [, date, timeText] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d{1,2}:\d\d))?$/.exec(normalizeText(text).trim()) ?? []
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
