import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

/** The recurrence of an item of type task_template. */
export const TaskTemplate = defineTable('templates.templates', {
  properties: {
    ...itemKey,
    makes: p.enum(['task', 'event'] as const).default('task'),
    /** RRULE value. */
    rule: p.text(),
    /** IANA name. */
    timezone: p.text(),
    /** Local time `YYYY-MM-DDTHH:MM:SS`; with a date only, occurrences are whole days. */
    dtstart: p.text(),
    /** The series starts after this time; null = at dtstart. */
    startsAfter: p.datetime().nullable(),
    /** The last occurrence; null = no end. */
    endsAt: p.datetime().nullable(),
    strategy: p.enum(['always', 'skip_if_previous_open', 'supersede_previous'] as const),
    enabled: p.boolean().default(true),
    /** The first unhandled occurrence; null = the series has ended. */
    nextAt: p.datetime().nullable(),
    /** When the job handles it: at next_at, four weeks earlier for events, later after failures. */
    dueAt: p.datetime().nullable(),
    /** Failed attempts since the last success. */
    failures: p.integer().default(0),
    /** The last occurrence with a task. */
    lastOccurrence: p.datetime().nullable(),
    /** The latest task, generated or requested. No foreign key: the template outlives it. */
    lastItemId: p.uuid().nullable(),
    /** Number of later occurrences that passed without a task. */
    skipped: p.integer().default(0),
  },
  // The job reads the templates of all owners at once.
  indexes: [{ name: 'templates_due', properties: ['dueAt'], where: { enabled: true } }],
})

/** A task made by a template. The unique occurrence prevents two instances from making the same task. */
const InstanceSchema = defineTable('templates.instances', {
  properties: {
    /** The item is the task. */
    ...itemKey,
    template: () =>
      p
        .manyToOne(TaskTemplate)
        .joinColumns('owner_id', 'template_id')
        .ownColumns('template_id')
        .referencedColumnNames('owner_id', 'item_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    /** Null = requested by templates_run. */
    occurrence: p.datetime().nullable(),
  },
  uniques: [{ name: 'instances_once', properties: ['ownerId', 'template', 'occurrence'] }],
})

export const entities = [TaskTemplate, InstanceSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'templates', typeof entities> {}
}
