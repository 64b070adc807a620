import { dateOf, guarded, ToolError, Type } from 'tasuki/plugin'
import { eventSeries } from '../events/points.ts'
import { lockItems, readCreated } from '../items/index.ts'
import { access, requireFeature } from '../projects/index.ts'
import { createTemplate } from './create.ts'
import { isAllDay, readRecurrence } from './recurrence.ts'
import { readSchedule } from './template.repository.ts'
import { generateNow } from './tick.ts'
import { wallClock } from './zone.ts'

/** Recurring events: a template that creates events four weeks ahead. */
export const recurringEvents = eventSeries({
  params: {
    recurrence_rule: Type.Optional(
      guarded(
        Type.String({ description: 'RRULE, e.g. FREQ=WEEKLY;INTERVAL=2;BYDAY=MO; the series begins at due_date.' }),
        { minLength: 1, maxLength: 1000 },
      ),
    ),
    timezone: Type.Optional(
      guarded(Type.String({ description: 'Of the rule, IANA name; default yours.' }), { maxLength: 64 }),
    ),
  },
  async create(ctx, { recurrence_rule: rule, timezone, due_date, due_time, ...event }) {
    if (/DTSTART/i.test(rule))
      throw new ToolError('invalid_argument', 'due_date and due_time say when the series begins, not DTSTART.', {
        field: 'recurrence_rule',
        hint: 'Leave DTSTART out.',
      })
    const day = due_date.replaceAll('-', '')
    const start = due_time === undefined ? `;VALUE=DATE:${day}` : `:${day}T${due_time.replace(':', '')}00`
    const read = readRecurrence(`DTSTART${start}\n${rule}`, timezone ?? access(ctx).timeZone, ctx.now)
    // Whoever reads the rule reads the time of day, as in rules of tasks.
    const [hour, minute] = due_time?.split(':').map(Number) ?? []
    const named = /BYHOUR=([\d,]+)/.exec(read.rule)?.[1]?.split(',').map(Number)
    if (hour !== undefined && named?.includes(hour) === false)
      throw new ToolError('invalid_argument', `recurrence_rule names another time of day than due_time ${due_time}.`, {
        field: 'due_time',
        hint: 'Leave out due_time, or the time in the rule.',
      })
    const isTimed = hour === undefined || /HOURLY|BYHOUR|BYMINUTE/.test(read.rule)
    const recurrence = isTimed ? read : { ...read, rule: read.rule.replace(/$/m, `;BYHOUR=${hour};BYMINUTE=${minute}`) }
    const { project_key, title, detail = '', labels } = event
    const template = { project_key, title, detail, labels, makes: 'event', recurrence, strategy: 'always' } as const
    const { draft, place, next } = await createTemplate(ctx, template)
    requireFeature(ctx, 'calendar', place)
    const { ownerId, id } = draft
    const items = await lockItems(ctx, [{ ownerId, id }])
    const schedule = await readSchedule(ctx, draft)
    const events = await generateNow(ctx, schedule!, items.get(id)!)
    const first = isAllDay(recurrence) ? next[0] : dateOf(wallClock(Date.parse(next[0]!), recurrence.timezone))
    if (first !== due_date) draft.warnings.push(`No event is on ${due_date}: the first by the rule is on ${first}.`)
    const values = { ...event, due_date, due_time, recurrence_rule: rule, timezone }
    return {
      ...(await readCreated(ctx, draft, values)),
      next_occurrences: [...next],
      events: events.map(({ ref }) => ref),
    }
  },
})
