import type { ReadContext, WriteContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from './draft.ts'
import { draftOf } from './create-draft.ts'
import { applyParent } from './parents.ts'
import { collectProblems } from './refusals.ts'
import { prepareItems, requireItemUnchanged, writeItems } from './write.ts'

/**
 * Sets or removes the parent of items, in a constant number of statements; the items must be locked.
 * @returns their drafts; items that would close a cycle or belong to another owner get a problem and stay unchanged
 */
export async function linkParents(ctx: WriteContext, children: readonly ItemRow[], parent: ItemRow | null) {
  const drafts = await applyTo(ctx, children, parent, ctx)
  await writeItems(ctx, drafts, { tool: 'items_patch', input: {}, bulk: children.length > 1 })
  return drafts
}

/** Returns what `linkParents` would do, without writing. */
export async function planParents(ctx: ReadContext, children: readonly ItemRow[], parent: ItemRow | null) {
  const drafts = await applyTo(ctx, children, parent, null)
  await prepareItems(ctx, drafts, { tool: 'items_patch', input: {} })
  return drafts
}

async function applyTo(
  ctx: ReadContext,
  children: readonly ItemRow[],
  parent: ItemRow | null,
  write: WriteContext | null,
): Promise<readonly Draft[]> {
  const drafts = children.map(child => draftOf(child))
  for (const draft of drafts) await collectProblems(draft, () => requireItemUnchanged(ctx, draft.before!))
  await applyParent(ctx, drafts, parent, { write })
  return drafts
}
