import { ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import type { Draft } from './draft.ts'
import { draftOf } from './create-draft.ts'
import { requireItem } from './find.ts'
import { refFor } from './refs.ts'
import type { Revision } from './revision.ts'
import { findRevision } from './revision.repository.ts'
import { requireItemUnchanged, writeItem } from './write.ts'

/** Reads one former version of an item. @throws ToolError not_found */
export async function readRevision(
  ctx: ReadContext,
  ref: string,
  id: string,
): Promise<{ readonly item_ref: string; readonly revision: Revision }> {
  const { revision, ...item } = await findRevision(ctx, ref, id)
  const itemRef = refFor(ctx, item)
  if (!revision)
    throw new ToolError('not_found', `${itemRef} has no revision ${id}.`, {
      field: 'revision_id',
      hint: 'Give a revision_id from the list of its revisions.',
    })
  return { item_ref: itemRef, revision }
}

/**
 * Restores the title and body of a former version; the current ones become a new revision.
 * @param note the reason, stored with the new revision
 * @returns the written draft, and the id of the new revision if something changed
 * @throws ToolError not_found, forbidden, stale_write
 */
export async function restoreRevision(
  ctx: WriteContext,
  ref: string,
  id: string,
  note: string | null,
): Promise<{ readonly draft: Draft; readonly revisionId: string | undefined }> {
  const item = await requireItem(ctx, ref, { write: true, lock: true })
  requireItemUnchanged(ctx, item)
  const { revision } = await readRevision(ctx, ref, id)
  const draft = draftOf(item, note)
  draft.after.title = revision.title
  draft.after.detail = revision.body
  const revisions = await writeItem(ctx, draft, { tool: 'items_patch', input: {}, revisionNote: note })
  return { draft, revisionId: revisions.get(item.id) }
}
