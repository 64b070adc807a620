import { iso, sql, type ReadContext } from 'tasuki/plugin'
import { readWithItem } from './read-with-item.ts'
import type { Revision, RevisionEntry } from './revision.ts'

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

/** Reads one former version of an item, null for an unknown id. @throws ToolError not_found */
export function findRevision(ctx: ReadContext, ref: string, id: string) {
  return readWithItem<{ readonly revision: Revision | null }>(
    ctx,
    ref,
    sql`(select jsonb_build_object('revision_id', r.id, 'created_at', ${iso('r.created_at')}, 'title', r.title, 'body', r.detail)
      from items.revisions r where r.owner_id = i.owner_id and r.item_id = i.id and r.id::text = ${id}) as revision`,
  )
}
