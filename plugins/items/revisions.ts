import { iso, sql, ToolError, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { readWithItem } from './read-with-item.ts'
import type { Draft } from './draft.ts'
import { draftOf } from './drafting.ts'
import { requireItem } from './find.ts'
import { refFor } from './refs.ts'
import { checkFresh, writeItem } from './write.ts'

/** A former version of an item, without its body. */
export interface RevisionEntry {
  readonly revision_id: string
  readonly created_at: string
  readonly title: string
  /** Characters of the body. */
  readonly length: number
  /** Who replaced it. */
  readonly by?: string
  /** Why. */
  readonly note?: string
}

/** A former version of an item. */
export interface Revision {
  readonly revision_id: string
  readonly created_at: string
  readonly title: string
  readonly body: string
}

/** Lists the former versions of an item, newest first. @throws ToolError not_found */
export async function listRevisions(ctx: ReadContext, ref: string, limit: number): Promise<readonly RevisionEntry[]> {
  const { revisions } = await readWithItem<{ revisions: RevisionEntry[] | null }>(
    ctx,
    ref,
    sql`(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('revision_id', r.id, 'created_at', ${iso('r.created_at')}, 'title', r.title,
        'length', r.length, 'by', u.name, 'note', r.note)))
      from (select rr.id, rr.created_at, rr.title, length(rr.detail) as length, rr.user_id, rr.note from items.revisions rr
        where rr.owner_id = i.owner_id and rr.item_id = i.id order by rr.id desc limit ${limit}) r
      left join core.users u on u.id = r.user_id) as revisions`,
  )
  return revisions ?? []
}

/** Reads one former version of an item. @throws ToolError not_found */
export async function readRevision(
  ctx: ReadContext,
  ref: string,
  id: string,
): Promise<{ readonly item_ref: string; readonly revision: Revision }> {
  const { revision, ...item } = await readWithItem<{ revision: Revision | null }>(
    ctx,
    ref,
    sql`(select jsonb_build_object('revision_id', r.id, 'created_at', ${iso('r.created_at')}, 'title', r.title, 'body', r.detail)
      from items.revisions r where r.owner_id = i.owner_id and r.item_id = i.id and r.id::text = ${id}) as revision`,
  )
  const itemRef = refFor(ctx, item)
  if (!revision) {
    throw new ToolError('not_found', `${itemRef} has no revision ${id}.`, {
      field: 'revision_id',
      hint: 'Give a revision_id from the list of its revisions.',
    })
  }
  return { item_ref: itemRef, revision }
}

/**
 * Gives an item the title and body of a former version; what it has now becomes a revision itself.
 * @param note why, kept with that revision
 * @returns the written draft, and the id of the new revision where something changed
 * @throws ToolError not_found, forbidden, stale_write
 */
export async function restoreRevision(
  ctx: WriteContext,
  ref: string,
  id: string,
  note: string | null,
): Promise<{ readonly draft: Draft; readonly revisionId: string | undefined }> {
  const item = await requireItem(ctx, ref, { write: true, lock: true })
  checkFresh(ctx, item)
  const { revision } = await readRevision(ctx, ref, id)
  const draft = draftOf(item, note)
  draft.after.title = revision.title
  draft.after.detail = revision.body
  const revisions = await writeItem(ctx, draft, { tool: 'items_patch', input: {}, revisionNote: note })
  return { draft, revisionId: revisions.get(item.id) }
}
