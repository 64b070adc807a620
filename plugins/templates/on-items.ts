import { Type } from 'tasuki/plugin'
import { itemChanges, itemFields, itemIs } from '../items/points.ts'
import type { Recurrence } from './recurrence.ts'
import { followItems } from './schedule.ts'
import { isRecurring, sourceOfItem, templateOfItem } from './template.repository.ts'
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

const followItem = itemChanges(async (ctx, changes) => {
  const switched = changes.filter(
    ({ kind, after }) => SWITCHES.includes(kind) && (after === undefined || after.type === 'task_template'),
  )
  if (switched.length > 0) await followItems(ctx, switched)
})

export const onItems = [ofTemplate, ofTask, recurring, followItem]
