import { dateOf, choice, DAY_MS, ToolError, Type, type ReadContext, type Static } from 'tasuki/plugin'
import { access } from '../projects/index.ts'
import { exportParts, importParts, type ImportedItem, type ImportedPart } from '../transfer/points.ts'
import { isAllDay, readRecurrence, upcoming, type Recurrence } from './recurrence.ts'
import { insertInstances, insertTemplates, recurrenceText } from './template.repository.ts'
import { STRATEGIES } from './template.ts'
import { timeOf, wallClock } from './zone.ts'

/** The recurrence of a template, or of a task in the file of a program without templates. */
const Value = Type.Object({
  makes: Type.Optional(choice(['task', 'event'])),
  /** RRULE value; in a file also in words. */
  rule: Type.String({ minLength: 1, maxLength: 1000 }),
  timezone: Type.Optional(Type.String({ maxLength: 64 })),
  dtstart: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d:\\d\\d)?$' })),
  strategy: Type.Optional(choice(STRATEGIES)),
  enabled: Type.Optional(Type.Boolean()),
  /** Key of the task that is the occurrence at `dtstart`. */
  task: Type.Optional(Type.String()),
})
type Value = Static<typeof Value>

declare module '../transfer/points.ts' {
  interface ImportedParts {
    readonly recurrence: Value
  }
}

/** Parts of a task that are only about this occurrence. */
const OF_OCCURRENCE = ['comments', 'relations', 'numbers', 'sprint', 'version', 'attachments', 'recurrence']

export const exportRecurrence = exportParts({
  of: 'recurrence',
  sql: () => recurrenceText,
  markdown: { as: 'fact', title: 'Recurs', write: ({ rule, timezone }) => `${rule} (${timezone})` },
})

/** Templates of an export, and templates for the tasks of other programs that repeat. */
export const importRecurrence = importParts({
  of: 'recurrence',
  type: 'task_template',
  schema: Value,
  expand(ctx, item, value, note) {
    const isTemplate = item.type === 'task_template'
    const { recurrence: _recurrence, ...parts } = item.parts
    const task: ImportedItem = { ...item, parts }
    try {
      if (isTemplate) return parseValue(ctx, value) && [item]
      if (item.closed !== true) return withTemplate(ctx, task, value)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
    }
    const instead = item.dueDate === undefined ? 'imported without a date' : 'only this occurrence is imported'
    note(`repeats (${value.rule}): ${isTemplate ? 'left out' : `${instead}; a template repeats it`}`)
    return isTemplate ? [] : [task]
  },
  async write(ctx, _project, parts, source) {
    const tasks = await source.find(parts.flatMap(({ value }) => value.task ?? []))
    const templates = parts.map(part => templateOf(ctx, part, tasks))
    await insertTemplates(ctx, templates)
    const instances = templates.flatMap(({ item: { ownerId, id }, lastItemId: task, current: occurrence }) =>
      task && occurrence ? [{ owner_id: ownerId, item_id: task, template_id: id, occurrence }] : [],
    )
    if (instances.length > 0) await insertInstances(ctx, instances)
  },
})

/** Returns a task and its template; a task without a date gets that of the next occurrence. @throws ToolError */
function withTemplate(ctx: ReadContext, task: ImportedItem, { rule }: Value): readonly ImportedItem[] {
  const { timeZone: timezone } = access(ctx)
  const dtstart = task.dueDate && (task.dueTime === undefined ? task.dueDate : `${task.dueDate}T${task.dueTime}:00`)
  const recurrence = parseValue(ctx, { rule, timezone, ...(dtstart !== undefined && { dtstart }) })
  // Whole days begin before now.
  const [next] = upcoming(recurrence, new Date(ctx.now.getTime() - (isAllDay(recurrence) ? DAY_MS : 0)), 1)
  const own = dtstart ?? localIn(recurrence, next!)
  const [dueDate, dueTime] = own.split('T')
  const parts = Object.entries(task.parts).filter(([name]) => !OF_OCCURRENCE.includes(name))
  const { assignee: _assignee, dueDate: _date, dueTime: _time, startDate: _start, status: _status, ...same } = task
  const template: ImportedItem = {
    ...same,
    key: `${task.key} (template)`,
    type: 'task_template',
    parts: { ...Object.fromEntries(parts), recurrence: { rule, timezone, dtstart: own, task: task.key } },
  }
  return [{ ...task, dueDate: dueDate!, ...(dueTime !== undefined && { dueTime: dueTime.slice(0, 5) }) }, template]
}

/** @throws ToolError for a rule that is not understood, or whose series has ended */
function parseValue(ctx: ReadContext, { rule, timezone, dtstart }: Value): Recurrence {
  const digits = dtstart?.replaceAll(/[-:]/g, '')
  const start = digits === undefined ? '' : `DTSTART${digits.length === 8 ? ';VALUE=DATE' : ''}:${digits}\n`
  const words = rule.replace(/^ev\b/i, 'every')
  return readRecurrence(`${start}${words}`, timezone ?? access(ctx).timeZone, ctx.now)
}

/** Formats an occurrence like `dtstart`. */
function localIn(recurrence: Recurrence, occurrence: Date): string {
  const wall = wallClock(occurrence.getTime(), recurrence.timezone)
  return isAllDay(recurrence) ? dateOf(wall) : `${dateOf(wall)}T${timeOf(wall)}:00`
}

/** Returns the template, which continues after its current task, and the occurrence of that task. */
function templateOf(ctx: ReadContext, { draft, value }: ImportedPart<Value>, tasks: ReadonlyMap<string, string>) {
  const { makes = 'task', strategy = STRATEGIES[1], enabled = true, task = '', dtstart = '' } = value
  const recurrence = parseValue(ctx, value)
  const isCurrent = (at: Date): boolean => task !== '' && localIn(recurrence, at) === dtstart
  const begin = new Date(Date.parse(dtstart.slice(0, 10)) - 2 * DAY_MS)
  return {
    item: draft,
    makes,
    strategy,
    enabled,
    recurrence,
    next: upcoming(recurrence, ctx.now, 2).find(at => !isCurrent(at)) ?? null,
    lastItemId: tasks.get(task) ?? null,
    current: task === '' ? undefined : upcoming(recurrence, begin, 2).find(isCurrent),
  }
}
