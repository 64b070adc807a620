import { requireUnchanged, throwAll, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { formatRef, type Draft, type ItemChange } from './draft.ts'
import { recordFieldChanges, warnOfDates } from './create-draft.ts'
import { assignNumbers } from './numbers.ts'
import { insertItems, insertRevisions, touchItems, updateItems } from './item-write.repository.ts'
import { itemChanges, itemChecks, itemParams } from './points.ts'
import type { ItemWrite, ItemWriteTool, PreparedWrite } from './points.ts'

export interface WriteOptions {
  /** Selects the contributed parameters. */
  readonly tool: ItemWriteTool
  readonly input: Readonly<Record<string, unknown>>
  /** Changes besides those of the parameters. */
  readonly edits?: readonly ((ctx: ReadContext, drafts: readonly Draft[]) => PreparedWrite)[]
  /** Bulk tools do not count as activity on the item. */
  readonly bulk?: boolean
  /** Stored with the former body if the body changes. */
  readonly revisionNote?: string | null
}

/** Applies contributed parameters and checks to the drafts without writing; previews stop here. */
export async function prepareItems(
  ctx: ReadContext,
  drafts: readonly Draft[],
  { tool, input, edits = [] }: Pick<WriteOptions, 'tool' | 'input' | 'edits'>,
): Promise<ItemWrite[]> {
  // Contributors may assume that there is at least one draft.
  if (drafts.length === 0) return []
  for (const draft of drafts) {
    recordFieldChanges(draft)
    warnOfDates(draft, ctx.now)
  }
  const writes: (ItemWrite | undefined)[] = []
  for (const spec of ctx.all(itemParams.point))
    if (spec.tools.includes(tool)) writes.push(await spec.prepare(ctx, drafts, input))
  for (const edit of edits) writes.push(await edit(ctx, drafts))
  for (const check of ctx.all(itemChecks)) await check(ctx, drafts)
  return writes.filter(write => write !== undefined)
}

/**
 * Writes items; the single path for this: contributed parameters, checks, rows, contributed rows, history. The number of statements does
 * not depend on the number of items. Drafts with problems are not written.
 * @returns the revision ids of changed bodies, by item id
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
    // As late as possible, so that rejected items use no number.
    await assignNumbers(ctx, created)
    await insertItems(ctx, created)
  }
  if (changed.length > 0) await updateItems(ctx, changed, { bulk: options.bulk === true })
  const revisions = await keepRevisions(ctx, changed, options.revisionNote ?? null)
  for (const write of writes) await write(ctx, sound)
  const creations = created.map(draft => ({ ...commonFields(draft), kind: 'item.created', to: draft.after.title }))
  await publishChanges(ctx, [...creations, ...changed.flatMap(draftChanges)])
  return revisions
}

/** Writes one draft. @throws ToolError if the draft has problems */
export async function writeItem(
  ctx: WriteContext,
  draft: Draft,
  options: WriteOptions,
): Promise<ReadonlyMap<string, string>> {
  const revisions = await writeItems(ctx, [draft], options)
  throwAll(draft.problems)
  return revisions
}

/** Writes a new item with labels, as items_create does. @throws ToolError if the draft has problems */
export async function writeNewItem(ctx: WriteContext, draft: Draft, labels: readonly string[] | undefined) {
  await writeItem(ctx, draft, { tool: 'items_create', input: labels === undefined ? {} : { labels } })
}

/** Rejects the write if the item changed after `_meta.ifUpdatedAt`. @throws ToolError stale_write with the current values */
export function requireItemUnchanged(ctx: ReadContext, item: NonNullable<Draft['before']>): void {
  const { title, detail, dueDate, dueTime, startDate, priority, kind, state, updatedAt } = item
  requireUnchanged(ctx, formatRef(item), {
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

/** Returns the subscription key of one item's changes. */
export const itemKey = (itemId: string): string => `item/${itemId}`
/** Returns the subscription key of changes to any item of a project. */
export const itemsKey = (projectId: string): string => `items/${projectId}`

/** Publishes changes to other plugins, such as the history, and notifies subscribed clients. */
export async function publishChanges(ctx: WriteContext, changes: readonly ItemChange[]): Promise<void> {
  if (changes.length === 0) return
  ctx.recordsChanged(changes.flatMap(({ itemId, projectId }) => [itemKey(itemId), itemsKey(projectId)]))
  for (const observe of ctx.all(itemChanges)) await observe(ctx, changes)
}

/** Records changes that another plugin made to items, and updates their times as a change by this caller does. */
export async function recordChanges(ctx: WriteContext, changes: readonly ItemChange[]): Promise<void> {
  if (changes.length === 0) return
  const items = new Map(changes.map(({ itemId, ownerId }) => [itemId, { ownerId, id: itemId }]))
  await touchItems(ctx, [...items.values()])
  await publishChanges(ctx, changes)
}

async function keepRevisions(
  ctx: WriteContext,
  drafts: readonly Draft[],
  note: string | null,
): Promise<ReadonlyMap<string, string>> {
  const rewritten = drafts.filter(
    ({ before, after }) => before!.detail !== after.detail || (before!.title !== after.title && after.type === 'note'),
  )
  return rewritten.length === 0 ? new Map() : await insertRevisions(ctx, rewritten, note)
}

/** Returns the common fields of a draft's history entries. */
export function commonFields({ ownerId, id, project, ref, after, reason, warnings }: Draft): Omit<ItemChange, 'kind'> {
  return { ownerId, itemId: id, projectId: project.id, ref, title: after.title, reason, after, warnings }
}

/** Creates one history entry per field, with a specific kind where the field has one. */
export function draftChanges(draft: Draft): ItemChange[] {
  return draft.changes.map(({ field, from, to }) => ({
    ...commonFields(draft),
    kind: changeKind(draft, field, to),
    from,
    to,
  }))
}

function changeKind({ before, after }: Draft, field: string, to: unknown): string {
  if (field === 'archived_at') return to === null ? 'item.unarchived' : 'item.archived'
  if (field === 'status') return stateKind(before!.completedAt !== null, after.completedAt !== null)
  return `item.${field}.changed`
}

/** Returns the history kind of a state change. */
export function stateKind(wasCompleted: boolean, isCompleted: boolean): string {
  if (wasCompleted === isCompleted) return 'item.state.changed'
  return isCompleted ? 'item.completed' : 'item.reopened'
}
