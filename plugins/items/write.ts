import {
  type RawBuilder,
  type ReadContext,
  requireUnchanged,
  sql,
  throwAll,
  uuid,
  type WriteContext,
} from 'tasuki/plugin'
import type { Draft, ItemChange, ItemValues } from './draft.ts'
import { noteChanges } from './drafting.ts'
import { assignNumbers } from './numbers.ts'
import { PRIORITIES } from './find.ts'
import { itemChanges, itemChecks, itemParams, type ItemWrite, type ItemWriteTool } from './points.ts'

export interface WriteOptions {
  /** Which contributed parameters apply. */
  readonly tool: ItemWriteTool
  readonly input: Readonly<Record<string, unknown>>
  /** Bulk tools do not count as somebody's activity on the item. */
  readonly bulk?: boolean
  /** Kept with the former body when it changes. */
  readonly revisionNote?: string | null
}

/** Applies contributed parameters and checks to the drafts without writing anything; previews end here. */
export async function prepareItems(
  ctx: ReadContext,
  drafts: readonly Draft[],
  { tool, input }: Pick<WriteOptions, 'tool' | 'input'>,
): Promise<ItemWrite[]> {
  // Contributors may rely on there being something to prepare.
  if (drafts.length === 0) return []
  for (const draft of drafts) noteChanges(draft)
  const writes: ItemWrite[] = []
  for (const spec of ctx.all(itemParams.point)) {
    if (!spec.tools.includes(tool)) continue
    const write = await spec.prepare(ctx, drafts, input)
    if (write) writes.push(write)
  }
  for (const check of ctx.all(itemChecks)) await check(ctx, drafts)
  return writes
}

/**
 * The one way items are written: contributed parameters, checks, rows, contributed rows, history. The number of statements does not
 * depend on the number of items. Drafts with problems are left alone.
 * @returns the revision ids of bodies that changed, by item id.
 */
export async function writeItems(
  ctx: WriteContext,
  drafts: readonly Draft[],
  options: WriteOptions,
): Promise<ReadonlyMap<string, string>> {
  const writes = await prepareItems(ctx, drafts, options)
  const sound = drafts.filter(draft => draft.problems.length === 0)
  const created = sound.filter(draft => draft.before === null)
  const changed = sound.filter(draft => draft.before !== null && draft.changes.length > 0)
  if (created.length > 0) {
    // As late as can be: whoever is refused before takes no number.
    await assignNumbers(ctx, created)
    await insertItems(ctx, created)
  }
  if (changed.length > 0) await updateItems(ctx, changed, options.bulk === true)
  const revisions = await keepRevisions(ctx, changed, options.revisionNote ?? null)
  for (const write of writes) await write(ctx, sound)
  await publishChanges(ctx, [...created.map(createdChange), ...changed.flatMap(draftChanges)])
  return revisions
}

/** Writes one draft. @throws ToolError when the draft has problems */
export async function writeItem(
  ctx: WriteContext,
  draft: Draft,
  options: WriteOptions,
): Promise<ReadonlyMap<string, string>> {
  const revisions = await writeItems(ctx, [draft], options)
  throwAll(draft.problems)
  return revisions
}

/** Refuses the write if the item changed after the instant that the caller gave. @throws ToolError stale_write with the current values */
export function checkFresh(ctx: ReadContext, item: NonNullable<Draft['before']>): void {
  const { title, detail, dueDate, dueTime, startDate, priority, kind, state, updatedAt } = item
  requireUnchanged(ctx, `${item.project.key}#${item.number}`, {
    updated_at: updatedAt,
    title,
    detail,
    due_date: dueDate,
    due_time: dueTime,
    start_date: startDate,
    priority,
    kind,
    status: state.name,
  })
}

/** What changes of an item are told under, to clients that subscribed to it. */
export const itemKey = (itemId: string): string => `item/${itemId}`
/** What changes of any item of a project are told under. */
export const itemsKey = (projectId: string): string => `items/${projectId}`

/** Passes history entries to whoever keeps them, and tells clients that listen. */
export async function publishChanges(ctx: WriteContext, changes: readonly ItemChange[]): Promise<void> {
  if (changes.length === 0) return
  ctx.recordsChanged(changes.flatMap(({ itemId, projectId }) => [itemKey(itemId), itemsKey(projectId)]))
  for (const observe of ctx.all(itemChanges)) await observe(ctx, changes)
}

/** Records what another plugin did to items, and moves their times as a change by this caller does. */
export async function recordChanges(ctx: WriteContext, changes: readonly ItemChange[]): Promise<void> {
  if (changes.length === 0) return
  const items = [
    ...new Map(changes.map(change => [change.itemId, { owner_id: change.ownerId, id: change.itemId }])).values(),
  ]
  await sql`
    update items.items i set ${touchTimes(ctx, items.length > 1)}
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as v (owner_id uuid, id uuid) where i.owner_id = v.owner_id and i.id = v.id
  `.execute(ctx.db)
  await publishChanges(ctx, changes)
}

/**
 * SET list for the times of a changed item `i`. Each change moves `updated_at`, even within one millisecond, since `ifUpdatedAt` relies
 * on it. `last_activity_at` is the last human action; an assistant's call on one item is one, bulk tools, agents and jobs are none.
 */
export function touchTimes(ctx: ReadContext, bulk: boolean): RawBuilder<unknown> {
  const isActivity = !bulk && (ctx.actor.kind === 'human' || ctx.actor.kind === 'assistant')
  return sql`updated_at = greatest(${ctx.now}::timestamptz, i.updated_at + interval '1 millisecond')
    ${isActivity ? sql`, last_activity_at = ${ctx.now}` : sql``}`
}

/** Columns as stored, by the names that values have in code. */
const COLUMNS = {
  type: ['type', 'text'],
  title: ['title', 'text'],
  detail: ['detail', 'text'],
  dueDate: ['due_date', 'date'],
  dueTime: ['due_time', 'text'],
  startDate: ['start_date', 'date'],
  priority: ['priority', 'smallint'],
  kind: ['kind', 'text'],
  parentId: ['parent_id', 'uuid'],
  stateId: ['state_id', 'uuid'],
  archivedAt: ['archived_at', 'timestamptz'],
  completedAt: ['completed_at', 'timestamptz'],
} as const satisfies Record<keyof ItemValues, readonly [string, string]>

function toStoredValue(values: ItemValues, column: keyof ItemValues): unknown {
  return column === 'priority' ? storedPriority(values) : values[column]
}

function storedPriority({ priority }: ItemValues): number | null {
  return priority === null ? null : PRIORITIES.indexOf(priority) + 1
}

async function insertItems(ctx: WriteContext, drafts: readonly Draft[]): Promise<void> {
  const rows = drafts.map(({ ownerId, id, number, project, after }) => ({
    owner_id: ownerId,
    id,
    number,
    project_id: project.id,
    created_at: ctx.now,
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
  await ctx.db.insertInto('items.items').values(rows).execute()
}

/** Writes only the columns that some draft changes, so that two callers who change different fields do not undo each other. */
async function updateItems(ctx: WriteContext, drafts: readonly Draft[], bulk: boolean): Promise<void> {
  const columns = (Object.keys(COLUMNS) as (keyof ItemValues)[]).filter(name =>
    drafts.some(({ before, after }) => before![name] !== after[name]),
  )
  const rows = drafts.map(({ ownerId, id, after }) => ({
    owner_id: ownerId,
    id,
    ...Object.fromEntries(columns.map(name => [COLUMNS[name][0], toStoredValue(after, name)])),
  }))
  const sets = columns.map(name => sql`, ${sql.raw(COLUMNS[name][0])} = v.${sql.raw(COLUMNS[name][0])}`)
  const types = columns.map(name => sql`, ${sql.raw(COLUMNS[name].join(' '))}`)
  await sql`
    update items.items i set ${touchTimes(ctx, bulk)} ${sql.join(sets, sql``)}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as v (owner_id uuid, id uuid ${sql.join(types, sql``)})
    where i.owner_id = v.owner_id and i.id = v.id
  `.execute(ctx.db)
}

async function keepRevisions(
  ctx: WriteContext,
  drafts: readonly Draft[],
  note: string | null,
): Promise<ReadonlyMap<string, string>> {
  const rewritten = drafts.filter(
    ({ before, after }) => before!.detail !== after.detail || (before!.title !== after.title && after.type === 'note'),
  )
  if (rewritten.length === 0) return new Map()
  const rows = rewritten.map(({ ownerId, id, before }) => ({
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

/** What every history entry of a draft has. */
export function base({ ownerId, id, project, ref, after, reason }: Draft): Omit<ItemChange, 'kind'> {
  return { ownerId, itemId: id, projectId: project.id, ref, title: after.title, reason, after }
}

function createdChange(draft: Draft): ItemChange {
  return { ...base(draft), kind: 'item.created', to: draft.after.title }
}

/** One history entry per field, with the field's own meaning where it has one. */
export function draftChanges(draft: Draft): ItemChange[] {
  return draft.changes.map(({ field, from, to }) => ({ ...base(draft), kind: changeKind(draft, field, to), from, to }))
}

function changeKind({ before, after }: Draft, field: string, to: unknown): string {
  if (field === 'archived_at') return to === null ? 'item.unarchived' : 'item.archived'
  if (field === 'status') return stateKind(before!.completedAt !== null, after.completedAt !== null)
  return `item.${field}.changed`
}

/** What a change of state means. */
export function stateKind(wasCompleted: boolean, isCompleted: boolean): string {
  if (wasCompleted === isCompleted) return 'item.state.changed'
  return isCompleted ? 'item.completed' : 'item.reopened'
}
