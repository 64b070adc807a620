import { insertRecords, nextUpdate, recordset, sql, uuid, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { ITEM_COLUMNS, PRIORITIES, type Draft, type ItemValues } from './draft.ts'
import type { ItemKey } from './item.repository.ts'

/**
 * Returns the times of a changed item `i`. Each change advances `updated_at`, even within one millisecond, since `ifUpdatedAt` relies on
 * it. `last_activity_at` is the last action of a person. An assistant's call on one item counts as one; bulk tools, agents and jobs do not.
 */
function touchTimes(ctx: ReadContext, { bulk }: { readonly bulk: boolean }) {
  const isActivity = !bulk && (ctx.actor.kind === 'human' || ctx.actor.kind === 'assistant')
  return { updated_at: nextUpdate(ctx, 'i.updated_at'), ...(isActivity && { last_activity_at: ctx.now }) }
}

const KEY = { owner_id: 'uuid', id: 'uuid' } as const

/** Updates the times of items that another plugin changed. */
export async function touchItems(ctx: WriteContext, items: readonly ItemKey[]): Promise<void> {
  const keys = items.map(({ ownerId, id }) => ({ owner_id: ownerId, id }))
  // The order in which every call locks items.
  const position = (key: (typeof keys)[number]): string => `${key.owner_id} ${key.id}`
  keys.sort((a, b) => (position(a) < position(b) ? -1 : 1))
  await ctx.db
    .updateTable('items.items as i')
    .from(recordset('v', KEY, keys))
    .set(touchTimes(ctx, { bulk: items.length > 1 }))
    .whereRef('i.owner_id', '=', 'v.owner_id')
    .whereRef('i.id', '=', 'v.id')
    .execute()
}

function toStoredValue(values: ItemValues, column: keyof ItemValues): unknown {
  return column === 'priority' ? storedPriority(values) : values[column]
}

function storedPriority({ priority }: ItemValues): number | null {
  return priority === null ? null : PRIORITIES.indexOf(priority) + 1
}

/** Inserts the items of drafts. */
export async function insertItems(ctx: WriteContext, drafts: readonly Draft[]): Promise<void> {
  const rows = drafts.map(({ ownerId, id, number, project, after, madeAt }) => ({
    owner_id: ownerId,
    id,
    number,
    project_id: project.id,
    created_at: madeAt ?? ctx.now,
    updated_at: ctx.now,
    last_activity_at: ctx.now,
    type: after.type,
    title: after.title,
    detail: after.detail,
    due_date: after.dueDate,
    due_time: after.dueTime,
    start_date: after.startDate,
    priority: storedPriority(after),
    kind: after.kind,
    parent_id: after.parentId,
    state_id: after.stateId,
    archived_at: after.archivedAt,
    completed_at: after.completedAt,
  }))
  await insertRecords(ctx.db, 'items.items', rows).execute()
}

/** Writes only the columns that a draft changes, so that concurrent changes of different fields do not overwrite each other. */
export async function updateItems(ctx: WriteContext, drafts: readonly Draft[], call: { readonly bulk: boolean }) {
  const columns = (Object.keys(ITEM_COLUMNS) as (keyof ItemValues)[]).filter(name =>
    drafts.some(({ before, after }) => before![name] !== after[name]),
  )
  const rows = drafts.map(({ ownerId, id, after }) => ({
    owner_id: ownerId,
    id,
    ...Object.fromEntries(columns.map(name => [ITEM_COLUMNS[name][0], toStoredValue(after, name)])),
  }))
  const rowset = recordset('v', { ...KEY, ...Object.fromEntries(columns.map(name => ITEM_COLUMNS[name])) }, rows)
  const changed = columns.map(name => [ITEM_COLUMNS[name][0], sql.ref(`v.${ITEM_COLUMNS[name][0]}`)])
  await ctx.db
    .updateTable('items.items as i')
    .from(rowset)
    .set({ ...touchTimes(ctx, call), ...Object.fromEntries(changed) })
    .whereRef('i.owner_id', '=', 'v.owner_id')
    .whereRef('i.id', '=', 'v.id')
    .execute()
}

/** Stores the former title and body of items as revisions. @returns the ids of the revisions, by item id */
export async function insertRevisions(ctx: WriteContext, drafts: readonly Draft[], note: string | null) {
  const rows = drafts.map(({ ownerId, id, before }) => ({
    owner_id: ownerId,
    id: uuid(),
    item_id: id,
    title: before!.title,
    detail: before!.detail,
    actor_kind: ctx.actor.kind,
    user_id: ctx.actor.userId,
    note,
    created_at: ctx.now,
  }))
  await ctx.db.insertInto('items.revisions').values(rows).execute()
  return new Map(rows.map(row => [row.item_id, row.id]))
}

/** An item that moves into another project. */
export interface MovedItem extends ItemKey {
  readonly stateId: string
  readonly completedAt: string | null
  readonly kind: string
  /** Key of the project that the item leaves. */
  readonly formerKey: string
}

/** Moves items into another project and adds the keys of their former projects to them. */
export async function moveItemRows(
  ctx: WriteContext,
  items: readonly MovedItem[],
  project: { readonly id: string; readonly key: string },
): Promise<void> {
  const rowset = recordset(
    'v',
    { ...KEY, state_id: 'uuid', completed_at: 'timestamptz', kind: 'text', former_key: 'text' },
    items.map(item => ({
      owner_id: item.ownerId,
      id: item.id,
      state_id: item.stateId,
      completed_at: item.completedAt,
      kind: item.kind,
      former_key: item.formerKey,
    })),
  )
  await ctx.db
    .updateTable('items.items as i')
    .from(rowset)
    .set(({ ref }) => ({
      ...touchTimes(ctx, { bulk: items.length > 1 }),
      project_id: project.id,
      state_id: ref('v.state_id'),
      completed_at: ref('v.completed_at'),
      kind: ref('v.kind'),
      former_keys: sql`(coalesce(i.former_keys, '[]') - v.former_key - ${project.key}::text) || to_jsonb(v.former_key)`,
    }))
    .whereRef('i.owner_id', '=', 'v.owner_id')
    .whereRef('i.id', '=', 'v.id')
    .execute()
}
