import { ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { roleIn } from '../projects/index.ts'
import { formatRef, type Draft, type ItemRow } from './draft.ts'
import { draftOf } from './create-draft.ts'
import { lockItems, requireItem } from './find.ts'
import type { ItemKey } from './item.repository.ts'
import { lockParents, readAncestors, readRefs } from './parent.repository.ts'
import { writeItems } from './write.ts'

/** Finds the parent that a parameter names; it must belong to the same owner. @throws ToolError */
export async function requireParent(ctx: ReadContext, text: string, ownerId: string): Promise<ItemRow> {
  const parent = await requireItem(ctx, text, { field: 'parent', write: true })
  if (parent.ownerId !== ownerId) throw foreignParentError(parent, 'The item', 'parent')
  return parent
}

/**
 * Sets or removes the parent of drafts, in a constant number of statements; errors become problems of the drafts.
 * @param write the context if the drafts will be written: concurrent moves of the owner wait until the transaction ends, so that they
 * cannot close a cycle, and an ancestor of the parent whose own parent is hidden from the caller is detached if the cycle goes through it
 */
export async function applyParent(
  ctx: ReadContext,
  drafts: readonly Draft[],
  parent: ItemRow | null,
  { field, write }: { readonly field?: string; readonly write: WriteContext | null },
): Promise<void> {
  const { moving, formerRef } = await findMoving(ctx, drafts, parent)
  if (moving.length === 0) return
  if (parent && write) await lockParents(ctx, parent.ownerId)
  const above = parent ? await readAncestors(ctx, parent) : []
  const ids = above.map(({ id }) => id)
  const loose = above.findIndex(({ seen }, n) => seen && above[n + 1]?.seen === false)
  let loosen = false
  for (const draft of moving) {
    if (parent && draft.ownerId !== parent.ownerId) draft.problems.push(foreignParentError(parent, draft.ref, field))
    else if (parent && ids.includes(draft.id) && (loose < 0 || ids.indexOf(draft.id) <= loose))
      draft.problems.push(cycle(parent, draft, field))
    else {
      loosen ||= ids.includes(draft.id)
      draft.after.parentId = parent?.id ?? null
      draft.change('parent', formerRef(draft), parent && formatRef(parent))
    }
  }
  if (loosen && write) await detachFromHidden(write, { ownerId: parent!.ownerId, id: ids[loose]! })
}

/** Returns the drafts whose parent changes, and the reference of the former parent of each. */
async function findMoving(ctx: ReadContext, drafts: readonly Draft[], parent: ItemRow | null) {
  const others = drafts.filter(draft => draft.before!.parentId !== (parent?.id ?? null))
  const parents = others.flatMap(({ ownerId, before }) => (before!.parentId ? [{ ownerId, id: before!.parentId }] : []))
  const former = await readRefs(ctx, parents)
  // A parent that the caller may not see does not exist for them, so there is nothing to remove.
  const moving = others.filter(({ before }) => parent !== null || former.get(before!.parentId!)?.seen)
  const formerRef = ({ before }: Draft): string | null => former.get(before!.parentId ?? '')?.ref ?? null
  return { moving, formerRef }
}

/**
 * Detaches an item from a parent that the caller may not see. For the caller the item has no parent, and a refusal would reveal it; a
 * caller who may change an item may change its parent.
 */
async function detachFromHidden(ctx: WriteContext, key: ItemKey): Promise<void> {
  const item = (await lockItems(ctx, [key])).get(key.id)!
  if (roleIn(ctx, item.project) === 'viewer')
    throw new ToolError('forbidden', `${formatRef(item)} would change, and you may only view ${item.project.key}.`)
  const draft = draftOf(item)
  const refs = await readRefs(ctx, [{ ownerId: key.ownerId, id: item.parentId! }])
  draft.after.parentId = null
  draft.change('parent', refs.get(item.parentId!)?.ref ?? null, null)
  await writeItems(ctx, [draft], { tool: 'items_patch', input: {}, bulk: true })
}

function foreignParentError(parent: ItemRow, child: string, field?: string): ToolError {
  return new ToolError('invalid_argument', `${child} and ${formatRef(parent)} belong to different owners.`, {
    ...(field !== undefined && { field }),
    hint: 'A parent must have the same owner.',
  })
}

function cycle(parent: ItemRow, draft: Draft, field?: string): ToolError {
  const why = parent.id === draft.id ? 'is the item itself' : `lies below ${draft.ref}`
  return new ToolError('cycle', `${formatRef(parent)} ${why}.`, {
    ...(field !== undefined && { field }),
    hint: 'Choose a parent outside of the item and its descendants.',
  })
}
