import type { ReadContext, WriteContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from './draft.ts'
import { draftOf } from './drafting.ts'
import { applyParent } from './parents.ts'
import { prepareItems, writeItems } from './write.ts'

/**
 * Puts items under one parent, or under none, in a few statements whatever their number; the items must be locked.
 * @returns their drafts; those that would close a cycle or belong to another owner carry the problem and are left alone.
 */
export async function linkParents(
  ctx: WriteContext,
  children: readonly ItemRow[],
  parent: ItemRow | null,
): Promise<readonly Draft[]> {
  const drafts = children.map(child => draftOf(child))
  await applyParent(ctx, drafts, parent, { write: ctx })
  await writeItems(ctx, drafts, { tool: 'items_patch', input: {}, bulk: children.length > 1 })
  return drafts
}

/** Tells what `linkParents` would do, and writes nothing. */
export async function planParents(
  ctx: ReadContext,
  children: readonly ItemRow[],
  parent: ItemRow | null,
): Promise<readonly Draft[]> {
  const drafts = children.map(child => draftOf(child))
  await applyParent(ctx, drafts, parent, { write: null })
  await prepareItems(ctx, drafts, { tool: 'items_patch', input: {} })
  return drafts
}
