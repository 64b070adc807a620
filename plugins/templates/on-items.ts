import { Type } from 'tasuki/plugin'
import { itemChanges, itemFields, itemIs } from '../items/points.ts'
import type { Recurrence } from './recurrence.ts'
import { followItems } from './schedule.ts'
import { isRecurring, readRefsMadeAhead, sourceOfItem, templateOfItem } from './template.repository.ts'
import { formatOccurrence, readTemplate, templateFields } from './template.ts'

/** The template that generated an item, as the database returns it; a run outside the schedule has no occurrence. */
type StoredSource = Pick<Recurrence, 'dtstart' | 'timezone'> &
  Readonly<{ template_ref: string; occurrence: string | null }>

const ofTemplate = itemFields({
  when: 'single',
  summary: 'how a template recurs',
  fields: templateFields,
  written: Object.keys(templateFields),
  sql: templateOfItem,
  convert: readTemplate,
})

const ofTask = itemFields({
  when: 'single',
  summary: 'the template of a generated task',
  fields: { template_ref: Type.String(), occurrence: Type.String() },
  written: ['template_ref'],
  sql: sourceOfItem,
  convert: ({ template_ref, occurrence, ...schedule }: StoredSource) => ({
    template_ref,
    ...(occurrence !== null && { occurrence: formatOccurrence(schedule, occurrence) }),
  }),
})

const recurring = itemIs({
  value: 'recurring',
  summary: 'templates and what they made',
  sql: ({ ctx }) => isRecurring(ctx),
})

const SWITCHES = ['item.archived', 'item.unarchived', 'item.completed', 'item.reopened']
/** Changes that people expect of the events of a series too. */
const OF_SERIES = ['item.title.changed', 'item.detail.changed', 'item.archived', 'item.completed']

/** Warns that events which a series made ahead of time stay as they are. */
const warnOfEvents = itemChanges(async (ctx, changes) => {
  const ofSeries = changes.filter(({ kind, after }) => OF_SERIES.includes(kind) && after?.type === 'task_template')
  const series = new Map(ofSeries.map(change => [change.itemId, change]))
  if (series.size === 0) return
  const made = await readRefsMadeAhead(
    ctx,
    [...series.values()].map(({ ownerId, itemId }) => [ownerId, itemId] as const),
  )
  for (const [id, items] of made) {
    const { ref, warnings } = series.get(id)!
    warnings?.push(
      `What ${ref} made ahead of time stays as it is; change it too if that is meant: ${items.map(item => item.ref).join(', ')}.`,
    )
  }
})

/** Warns that a date of a template itself moves nothing that it makes. */
const warnOfDates = itemChanges((_ctx, changes) => {
  for (const { kind, to, after, ref, warnings } of changes) {
    const [, field] = /^item\.(due_date|due_time|start_date)\.changed$/.exec(kind) ?? []
    if (field !== undefined && to !== null && after?.type === 'task_template')
      warnings?.push(`${field} of ${ref} moves nothing that it makes: its recurrence_rule says when that is due.`)
  }
})

const followItem = itemChanges(async (ctx, changes) => {
  const switched = changes.filter(
    ({ kind, after }) => SWITCHES.includes(kind) && (after === undefined || after.type === 'task_template'),
  )
  if (switched.length > 0) await followItems(ctx, switched)
})

export const onItems = [ofTemplate, ofTask, recurring, followItem, warnOfEvents, warnOfDates]
