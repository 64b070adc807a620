import { belongsTo, defineTable, indexOn, ownedKey, p, timestamps, type TablesOf } from 'tasuki/entities'
import { Project } from '../projects/entities.ts'
import { WorkflowState } from '../workflows/entities.ts'

const ItemSchema = defineTable('items.items', {
  properties: {
    ...ownedKey,
    /** Unique per owner, so that `#12` names one item. */
    number: p.integer(),
    project: () => belongsTo(Project, 'project_id'),
    state: () => belongsTo(WorkflowState, 'state_id').deleteRule('no action'),
    parent: () => belongsTo(Item, 'parent_id').deleteRule('no action').nullable(),
    type: p.enum(['task', 'note', 'event', 'task_template'] as const).default('task'),
    title: p.text(),
    detail: p.text().default(''),
    dueDate: p.date().nullable(),
    /** `HH:MM` in the owner's time zone. */
    dueTime: p.text().nullable(),
    startDate: p.date().nullable(),
    /** 1 urgent, 2 high, 3 normal, 4 low, so that ascending order is the order of importance. */
    priority: p.smallint().nullable(),
    kind: p.text().default('task'),
    /** Keys of the item's former projects, so that old references still resolve; null = never moved. */
    formerKeys: p.json<readonly string[]>().nullable(),
    archivedAt: p.datetime().nullable(),
    /** Null if and only if the item's state is open. */
    completedAt: p.datetime().nullable(),
    ...timestamps,
    /** Last action of a person on the item; bulk tools, agents and jobs do not change it. */
    lastActivityAt: p.datetime(),
  },
  uniques: [{ name: 'items_number_unique', properties: ['ownerId', 'number'] }],
  indexes: [
    indexOn('items_due', '(owner_id, type, due_date, due_time nulls first, number) where archived_at is null'),
    indexOn(
      'items_project_due',
      '(owner_id, project_id, type, due_date, due_time nulls first, number) where archived_at is null',
    ),
    { name: 'items_priority', properties: ['ownerId', 'type', 'priority', 'number'], where: { archivedAt: null } },
    { name: 'items_created', properties: ['ownerId', 'type', 'createdAt', 'number'], where: { archivedAt: null } },
    { name: 'items_updated', properties: ['ownerId', 'type', 'updatedAt', 'number'], where: { archivedAt: null } },
    { name: 'items_state', properties: ['ownerId', 'state'] },
    { name: 'items_parent', properties: ['ownerId', 'parent'] },
    indexOn('items_title_trgm', 'using gin (owner_id, title gin_trgm_ops)'),
    indexOn('items_detail_trgm', 'using gin (owner_id, detail gin_trgm_ops)'),
  ],
})
export class Item extends ItemSchema.class {}
ItemSchema.setClass(Item)

/** The key of a record that belongs to an item, with the relation to the item. */
export const recordOfItem = { ...ownedKey, item: () => belongsTo(Item, 'item_id') }
/** The key of a table with at most one row per item. */
export const itemKey = { ownerId: () => p.uuid().primary(), item: () => belongsTo(Item, 'item_id').primary() }

/**
 * Defines a table that links items to a record: the key of the item, a reference, and an index to find the items of a record.
 * @param target name and relation; `primary()` if an item may have several
 */
export function defineMembership<
  const Path extends `${string}.${string}`,
  const Target extends Record<string, unknown>,
>(path: Path, target: Target) {
  const [name] = Object.keys(target) as [keyof Target & string]
  const index = { name: `${path.split('.')[1]}_${name}`, properties: ['ownerId', name, 'item'] as never }
  return defineTable(path, { properties: { ...itemKey, ...target }, indexes: [index] })
}

/** The next item number of each owner. */
const CounterSchema = defineTable('items.counters', {
  properties: { ownerId: p.uuid().primary(), nextNumber: p.integer() },
})

/** Item kinds that a project defines in addition to the built-in ones. */
const KindSchema = defineTable('items.kinds', {
  properties: {
    ownerId: p.uuid().primary(),
    project: () => belongsTo(Project, 'project_id').primary(),
    kind: p.text().primary(),
    label: p.text().nullable(),
    displayOrder: p.integer().default(0),
  },
})

/** Former titles and bodies. A row is added when the body changes; for notes, also when the title changes. */
const RevisionSchema = defineTable('items.revisions', {
  properties: {
    ...recordOfItem,
    title: p.text(),
    detail: p.text(),
    actorKind: p.text(),
    userId: p.uuid(),
    /** The instruction or reason of the call. */
    note: p.text().nullable(),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'revisions_item', properties: ['ownerId', 'item', 'id'] }],
})

export const entities = [ItemSchema, CounterSchema, KindSchema, RevisionSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'items', typeof entities> {}
}
