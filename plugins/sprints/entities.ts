import { belongsTo, defineTable, p, uniqueOn, type TablesOf } from 'tasuki/entities'
import { defineMembership } from '../items/entities.ts'
import { namedOfProject } from '../projects/entities.ts'
import type { Outcome } from './outcome.ts'

const SprintSchema = defineTable('sprints.sprints', {
  properties: {
    ...namedOfProject,
    /** Null = top level. */
    parent: () => belongsTo(Sprint, 'parent_id').nullable(),
    goal: p.text().nullable(),
    startDate: p.date().nullable(),
    endDate: p.date().nullable(),
    /** In the project's estimate unit. */
    capacity: p.decimal().columnType('numeric').nullable(),
    status: p.enum(['planning', 'active', 'closed'] as const).default('planning'),
    /** Position among the sprints of the project. */
    displayOrder: p.integer(),
    startedAt: p.datetime().nullable(),
    closedAt: p.datetime().nullable(),
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

/** The sprint of an item; at most one. */
const ItemSprintSchema = defineMembership('sprints.item_sprints', { sprint: () => belongsTo(Sprint, 'sprint_id') })

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

/** The snapshot of a sprint at its close; never updated. */
const ClosingSchema = defineTable('sprints.closings', {
  properties: {
    ownerId: p.uuid().primary(),
    sprint: () => belongsTo(Sprint, 'sprint_id').primary(),
    closedAt: p.datetime(),
    /** The finished work, in `unit`. */
    velocity: p.decimal().columnType('numeric'),
    /** `points`, `hours`, or `items` if nothing was estimated. */
    unit: p.text(),
    itemCount: p.integer(),
    doneCount: p.integer(),
    /** Finished and unfinished work, in `unit`. */
    total: p.decimal().columnType('numeric'),
    items: p.json<readonly Outcome[]>(),
  },
})

export const entities = [SprintSchema, ItemSprintSchema, NoteSchema, ClosingSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'sprints', typeof entities> {}
}
