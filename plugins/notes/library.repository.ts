import { deleteRecords, deleteWhere, iso, recordset, sql, updateWhere } from 'tasuki/plugin'
import type { NewRow, OwnedKey, ReadContext, RowChanges, WriteContext } from 'tasuki/plugin'
import { readWithProject, refColumn } from '../projects/index.ts'

export interface FolderRow {
  readonly id: string
  readonly parentId: string | null
  readonly name: string
  readonly order: number
}
export interface NoteRow {
  readonly ref: string
  readonly title: string
  readonly updated_at: string
  readonly created_at: string
  readonly folderId: string | null
  readonly order: number
  readonly number: number
}
/** Reads the folders and at most `limit` notes of a project, last updated first. @throws ToolError not_found, ambiguous_ref */
export function readLibraryRows(ctx: ReadContext, key: string, limit: number) {
  return readWithProject<{ folders: FolderRow[] | null; notes: NoteRow[] | null; total: number }>(
    ctx,
    key,
    sql`(select jsonb_agg(jsonb_build_object('id', f.id, 'parentId', f.parent_id, 'name', f.name, 'order', f.display_order))
        from notes.folders f where f.owner_id = p.owner_id and f.project_id = p.id) as folders,
      (select jsonb_agg(to_jsonb(n)) from (
        select ${refColumn(ctx)} as ref, i.title, ${iso('i.updated_at')} as updated_at, ${iso('i.created_at')} as created_at,
          pl.folder_id as "folderId", coalesce(pl.display_order, 0) as "order", i.number
        from items.items i left join notes.placements pl on pl.owner_id = i.owner_id and pl.item_id = i.id
        where i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'note' and i.archived_at is null
        order by i.updated_at desc limit ${sql.lit(limit)}) n) as notes,
      (select count(*)::int from items.items i
        where i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'note' and i.archived_at is null) as total`,
  )
}

/** Reads and locks the folders of a project until the transaction ends. */
export function lockFolders(ctx: WriteContext, { ownerId, id }: OwnedKey): Promise<readonly FolderRow[]> {
  return ctx.db
    .selectFrom('notes.folders')
    .select(['id', 'parent_id as parentId', 'name', 'display_order as order'])
    .where(({ and }) => and({ owner_id: ownerId, project_id: id }))
    .forUpdate()
    .execute()
}

export async function insertFolders(ctx: WriteContext, folders: readonly NewRow<'notes.folders'>[]): Promise<void> {
  await ctx.db.insertInto('notes.folders').values(folders).execute()
}

type FolderChanges = RowChanges<'notes.folders'>

export async function updateFolder(ctx: WriteContext, { ownerId, id }: OwnedKey, changes: FolderChanges) {
  await updateWhere(ctx.db, 'notes.folders', { owner_id: ownerId, id }, changes)
}

export async function removeFolder(ctx: WriteContext, { ownerId, id }: OwnedKey): Promise<void> {
  await deleteWhere(ctx.db, 'notes.folders', { owner_id: ownerId, id })
}

/** A folder with the notes of the query that are in it. */
export interface FolderOfNotes extends Omit<FolderRow, 'order'> {
  readonly projectId: string
  readonly notes: readonly string[]
}

/** Reads the folders of projects of one owner. */
export async function readFoldersOfNotes(
  ctx: ReadContext,
  ownerId: string,
  projectIds: readonly string[],
  noteIds: readonly string[],
): Promise<readonly FolderOfNotes[]> {
  const { rows } = await sql<FolderOfNotes>`
    select f.id, f.project_id as "projectId", f.parent_id as "parentId", f.name, coalesce((
      select jsonb_agg(pl.item_id) from notes.placements pl where pl.owner_id = f.owner_id and pl.folder_id = f.id
        and pl.item_id in (${sql.join(noteIds)})), '[]') as notes
    from notes.folders f where f.owner_id = ${ownerId} and f.project_id in (${sql.join(projectIds)})
  `.execute(ctx.db)
  return rows
}

/** The folder of a note; null = the root. */
export interface Placement {
  readonly ownerId: string
  readonly itemId: string
  readonly folderId: string | null
}

/** Moves notes into folders, each to the end of its folder. */
export async function placeNotes(ctx: WriteContext, placements: readonly Placement[]): Promise<void> {
  const atRoot = placements.filter(({ folderId }) => folderId === null)
  const inFolders = placements.filter(({ folderId }) => folderId !== null)
  const items = atRoot.map(({ ownerId, itemId }) => ({ owner_id: ownerId, item_id: itemId }))
  await deleteRecords(ctx.db, 'notes.placements', ['owner_id', 'item_id'], items)
  if (inFolders.length === 0) return
  await sql`
    insert into notes.placements (owner_id, item_id, folder_id, display_order)
    select g."ownerId", g."itemId", g."folderId", row_number() over (partition by g."folderId" order by g."itemId") + coalesce((
      select max(pl.display_order) from notes.placements pl where pl.owner_id = g."ownerId" and pl.folder_id = g."folderId"), 0)
    from ${recordset('g', { ownerId: 'uuid', itemId: 'uuid', folderId: 'uuid' }, inFolders)}
    on conflict (owner_id, item_id) do update set folder_id = excluded.folder_id, display_order = excluded.display_order
  `.execute(ctx.db)
}
