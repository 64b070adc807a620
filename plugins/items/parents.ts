import { ToolError, type ReadContext } from 'tasuki/plugin'
import type { Draft, ItemRow } from './draft.ts'
import { requireItem } from './find.ts'
import { lockParents, readAncestors, readRefs } from './parent.repository.ts'

const refOf = ({ project, number }: ItemRow): string => `${project.key}#${number}`

/** Finds the parent that a parameter names, which must belong to the same owner. @throws ToolError */
export async function requireParent(ctx: ReadContext, text: string, ownerId: string): Promise<ItemRow> {
  const parent = await requireItem(ctx, text, { field: 'parent', write: true })
  if (parent.ownerId !== ownerId) throw foreign(parent, 'The item', 'parent')
  return parent
}

/**
 * Puts drafts under one parent, or under none, in a few statements whatever their number; refusals go to their problems.
 * @param lock holds other moves of the owner up until the transaction ends, so that no two of them close a cycle
 */
export async function applyParent(
  ctx: ReadContext,
  drafts: readonly Draft[],
  parent: ItemRow | null,
  { field, lock }: { readonly field?: string; readonly lock: boolean },
): Promise<void> {
  const moving = drafts.filter(draft => draft.before!.parentId !== (parent?.id ?? null))
  if (moving.length === 0) return
  if (parent && lock) await lockParents(ctx, parent.ownerId)
  const above = parent ? await readAncestors(ctx, parent) : new Set<string>()
  const parents = moving.flatMap(({ ownerId, before }) => (before!.parentId ? [{ ownerId, id: before!.parentId }] : []))
  const former = await readRefs(ctx, parents)
  for (const draft of moving) {
    if (parent && draft.ownerId !== parent.ownerId) draft.problems.push(foreign(parent, draft.ref, field))
    else if (parent && above.has(draft.id)) draft.problems.push(cycle(parent, draft, field))
    else {
      draft.after.parentId = parent?.id ?? null
      draft.change('parent', former.get(draft.before!.parentId ?? '') ?? null, parent && refOf(parent))
    }
  }
}

function foreign(parent: ItemRow, child: string, field?: string): ToolError {
  return new ToolError('invalid_argument', `${child} and ${refOf(parent)} belong to different owners.`, {
    ...(field !== undefined && { field }),
    hint: 'A parent must have the same owner.',
  })
}

function cycle(parent: ItemRow, draft: Draft, field?: string): ToolError {
  const why = parent.id === draft.id ? 'is the item itself' : `lies below ${draft.ref}`
  return new ToolError('cycle', `${refOf(parent)} ${why}.`, {
    ...(field !== undefined && { field }),
    hint: 'Choose a parent outside of the item and its descendants.',
  })
}
