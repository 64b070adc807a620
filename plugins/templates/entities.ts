import { defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'

/** What makes an item of type task_template recur. */
const TemplateSchema = defineTable('templates.templates', {
  properties: {
    ...itemKey,
    makes: p.enum(['task', 'event'] as const).default('task'),
    /** RRULE value. */
    rule: p.text(),
    /** IANA name. */
    timezone: p.text(),
    /** Local time `YYYY-MM-DDTHH:MM:SS`; a date alone: occurrences are days without a time. */
    dtstart: p.text(),
    /** The series begins after this instant; null = with dtstart. */
    startsAfter: p.datetime().nullable(),
    /** The last occurrence; null = there is none. */
    endsAt: p.datetime().nullable(),
    strategy: p.enum(['always', 'skip_if_previous_open', 'supersede_previous'] as const),
    enabled: p.boolean().default(true),
    /** The first occurrence that was not handled; null = the series has ended. */
    nextAt: p.datetime().nullable(),
    /** When the job handles it: next_at, of events four weeks before; later after failures. */
    dueAt: p.datetime().nullable(),
    /** Failed attempts since the last that succeeded. */
    failures: p.integer().default(0),
    /** The last occurrence for which a task was made. */
    lastOccurrence: p.datetime().nullable(),
    /** The latest task, generated or made on request. No foreign key: the template outlives it. */
    lastItemId: p.uuid().nullable(),
    /** Later occurrences that passed without a task. */
    skipped: p.integer().default(0),
  },
  // The job reads all owners at once.
  indexes: [{ name: 'templates_due', properties: ['dueAt'], where: { enabled: true } }],
})
export class TaskTemplate extends TemplateSchema.class {}
TemplateSchema.setClass(TaskTemplate)

/** A task that a template made. The unique occurrence keeps two instances from making it twice. */
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
    /** Null = made by templates_run. */
    occurrence: p.datetime().nullable(),
  },
  uniques: [{ name: 'instances_once', properties: ['ownerId', 'template', 'occurrence'] }],
})

export const entities = [TemplateSchema, InstanceSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'templates', typeof entities> {}
}
