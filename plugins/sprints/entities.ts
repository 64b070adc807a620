import { belongsTo, defineTable, named, p, timestamps, uniqueOn, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { recordOfProject } from '../projects/entities.ts'
import type { Outcome } from './outcome.ts'

const SprintSchema = defineTable('sprints.sprints', {
  properties: {
    ...recordOfProject,
    /** Null = top level. */
    parent: () => belongsTo(Sprint, 'parent_id').nullable(),
    ...named,
    goal: p.text().nullable(),
    startDate: p.date().nullable(),
    endDate: p.date().nullable(),
    /** In the project's estimate unit. */
    capacity: p.decimal().columnType('numeric').nullable(),
    status: p.enum(['planning', 'active', 'closed'] as const).default('planning'),
    /** Among the sprints of the project. */
    displayOrder: p.integer(),
    startedAt: p.datetime().nullable(),
    closedAt: p.datetime().nullable(),
    ...timestamps,
  },
  uniques: [{ name: 'sprints_sibling_unique', properties: ['ownerId', 'parent', 'nameKey'] }],
  indexes: [
    { name: 'sprints_project', properties: ['ownerId', 'project', 'status'] },
    uniqueOn('sprints_root_unique', '(owner_id, project_id, name_key) where (parent_id is null)'),
    uniqueOn('sprints_active_root_unique', "(owner_id, project_id) where (parent_id is null and status = 'active')"),
    uniqueOn('sprints_active_child_unique', "(owner_id, parent_id) where (status = 'active')"),
  ],
})
export class Sprint extends SprintSchema.class {}
SprintSchema.setClass(Sprint)

/** The sprint that an item is in; one at most. */
const ItemSprintSchema = defineTable('sprints.item_sprints', {
  properties: {
    ...itemKey,
    sprint: () => belongsTo(Sprint, 'sprint_id'),
  },
  indexes: [{ name: 'item_sprints_sprint', properties: ['ownerId', 'sprint', 'item'] }],
})

/** The note slots of a sprint; an empty slot has no row. */
const NoteSchema = defineTable('sprints.notes', {
  properties: {
    ownerId: p.uuid().primary(),
    sprint: () => belongsTo(Sprint, 'sprint_id').primary(),
    slot: p.enum(['planning', 'review', 'retro', 'assistant_summary'] as const).primary(),
    body: p.text(),
    updatedAt: p.datetime(),
  },
})

/** How a sprint ended, as it was at that moment; never changed afterwards. */
const ClosingSchema = defineTable('sprints.closings', {
  properties: {
    ownerId: p.uuid().primary(),
    sprint: () => belongsTo(Sprint, 'sprint_id').primary(),
    closedAt: p.datetime(),
    /** What was done in the sprint, in `unit`. */
    velocity: p.decimal().columnType('numeric'),
    /** `points`, `hours`, or `items` where nothing was estimated. */
    unit: p.text(),
    itemCount: p.integer(),
    doneCount: p.integer(),
    /** Done and left, in `unit`. */
    total: p.decimal().columnType('numeric'),
    items: p.json<readonly Outcome[]>(),
  },
})

export const entities = [SprintSchema, ItemSprintSchema, NoteSchema, ClosingSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'sprints', typeof entities> {}
}
