import { iso, sql, ToolError, Type, uuid, type NewRow, type ReadContext, type WriteContext } from 'tasuki/plugin'
import { keyColumn, keyIs, oneProject, projectColumns, type ProjectRow } from '../projects/index.ts'

export const SORTS = ['manual', 'updated', 'created', 'title'] as const
export type Sort = (typeof SORTS)[number]

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

const note = Type.Object({ ref: Type.String(), title: Type.String(), updated_at: Type.String() })
/** A folder with what lies in it; the tree is as deep as the folders are. */
export const folder = Type.Object({
  id: Type.String(),
  name: Type.String(),
  folders: Type.Array(Type.Object({})),
  notes: Type.Array(note),
})
export const library = Type.Object({
  folders: Type.Array(folder),
  notes: Type.Array(note),
  total_notes: Type.Integer(),
})

export interface Folder {
  readonly id: string
  readonly name: string
  readonly folders: Folder[]
  readonly notes: ReturnType<typeof shownNote>[]
}

/** Notes that a library shows; the rest is found by notes_list. */
const MOST_NOTES = 1000

/** Reads folders and notes of a project in one statement. @throws ToolError not_found */
export async function readLibrary(
  ctx: ReadContext,
  key: string,
): Promise<{ folders: readonly FolderRow[]; notes: readonly NoteRow[]; total: number }> {
  const { rows } = await sql<ProjectRow & { folders: FolderRow[] | null; notes: NoteRow[] | null; total: number }>`
    select ${projectColumns(ctx, 'p')},
      (select jsonb_agg(jsonb_build_object('id', f.id, 'parentId', f.parent_id, 'name', f.name, 'order', f.display_order))
        from notes.folders f where f.owner_id = p.owner_id and f.project_id = p.id) as folders,
      (select jsonb_agg(to_jsonb(n)) from (
        select ${keyColumn(ctx, 'p')} || '#' || i.number as ref, i.title, ${iso('i.updated_at')} as updated_at, ${iso('i.created_at')} as created_at,
          pl.folder_id as "folderId", coalesce(pl.display_order, 0) as "order", i.number
        from items.items i left join notes.placements pl on pl.owner_id = i.owner_id and pl.item_id = i.id
        where i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'note' and i.archived_at is null
        order by i.updated_at desc limit ${sql.lit(MOST_NOTES)}) n) as notes,
      (select count(*)::int from items.items i
        where i.owner_id = p.owner_id and i.project_id = p.id and i.type = 'note' and i.archived_at is null) as total
    from projects.projects p where ${keyIs(ctx, key)} limit 2
  `.execute(ctx.db)
  const { folders, notes, total } = await oneProject(ctx, rows, key)
  return { folders: folders ?? [], notes: notes ?? [], total }
}

/** Lays the notes into their folders. Folders come by their own order, then by name. */
export function buildTree(
  folders: readonly FolderRow[],
  notes: readonly NoteRow[],
  sort: Sort,
): { folders: Folder[]; notes: Folder['notes'] } {
  const sorted = notes.toSorted(noteOrder(sort))
  const known = new Set(folders.map(each => each.id))
  const notesIn = (id: string | null) =>
    sorted
      .filter(each => (each.folderId !== null && known.has(each.folderId) ? each.folderId : null) === id)
      .map(shownNote)
  const foldersIn = (parent: string | null): Folder[] =>
    folders
      .filter(each => each.parentId === parent)
      .toSorted((a, b) => (sort === 'manual' ? a.order - b.order : 0) || a.name.localeCompare(b.name))
      .map(({ id, name }) => ({ id, name, folders: foldersIn(id), notes: notesIn(id) }))
  return { folders: foldersIn(null), notes: notesIn(null) }
}

function noteOrder(sort: Sort): (a: NoteRow, b: NoteRow) => number {
  const newest = (name: 'updated_at' | 'created_at') => (a: NoteRow, b: NoteRow) =>
    b[name].localeCompare(a[name]) || b.number - a.number
  switch (sort) {
    case 'manual':
      return (a, b) => a.order - b.order || a.number - b.number
    case 'updated':
      return newest('updated_at')
    case 'created':
      return newest('created_at')
    case 'title':
      return (a, b) => a.title.localeCompare(b.title) || a.number - b.number
  }
}

function shownNote({ ref, title, updated_at }: NoteRow) {
  return { ref, title, updated_at }
}

/** Folders may be nested this deep. */
export const MOST_DEPTH = 5

/** Finds a folder by its path `A/B`, making what is missing. @throws ToolError limit_exceeded, invalid_argument */
export async function ensureFolder(
  ctx: WriteContext,
  project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>,
  path: string,
): Promise<string> {
  const names = path.split('/').map(name => name.trim())
  if (names.some(name => name === '' || name.length > 80)) {
    throw new ToolError('invalid_argument', `"${path}" is not a path of folders.`, {
      field: 'path',
      hint: 'Names of 1 to 80 characters joined by /.',
    })
  }
  if (names.length > MOST_DEPTH)
    throw new ToolError('limit_exceeded', `Folders may be nested ${MOST_DEPTH} deep.`, {
      field: 'path',
      hint: 'Use fewer levels.',
    })
  const folders = await lockFolders(ctx, project)
  let parentId: string | null = null
  const made: NewRow<'notes.folders'>[] = []
  for (const name of names) {
    const found: FolderRow | undefined = folders.find(
      each => each.parentId === parentId && each.name.toLowerCase() === name.toLowerCase(),
    )
    const id: string = found?.id ?? uuid()
    if (!found)
      made.push({
        owner_id: project.ownerId,
        id,
        project_id: project.id,
        parent_id: parentId,
        name,
        display_order: folders.length,
        created_at: ctx.now,
      })
    parentId = id
  }
  if (made.length > 0) await ctx.db.insertInto('notes.folders').values(made).execute()
  return parentId!
}

/** Reads the folders of a project to change them; others who want to wait. */
export async function lockFolders(
  ctx: WriteContext,
  { ownerId, id }: Pick<ProjectRow, 'ownerId' | 'id'>,
): Promise<readonly FolderRow[]> {
  const { rows } = await sql<FolderRow>`
    select id, parent_id as "parentId", name, display_order as "order" from notes.folders where owner_id = ${ownerId} and project_id = ${id} for update
  `.execute(ctx.db)
  return rows
}

/** Puts a note into a folder, at its end; null = at the root. */
export function placeNote(
  ctx: WriteContext,
  note: { readonly ownerId: string; readonly id: string },
  folderId: string | null,
): Promise<void> {
  return placeNotes(ctx, [{ ownerId: note.ownerId, itemId: note.id, folderId }])
}

/** Puts notes into folders, each at the end of its own; null = at the root. */
export async function placeNotes(
  ctx: WriteContext,
  places: readonly { readonly ownerId: string; readonly itemId: string; readonly folderId: string | null }[],
): Promise<void> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as g ("ownerId" uuid, "itemId" uuid, "folderId" uuid)`
  if (places.some(({ folderId }) => folderId === null)) {
    await sql`
      delete from notes.placements pl using ${given} where pl.owner_id = g."ownerId" and pl.item_id = g."itemId" and g."folderId" is null
    `.execute(ctx.db)
  }
  if (places.every(({ folderId }) => folderId === null)) return
  await sql`
    insert into notes.placements (owner_id, item_id, folder_id, display_order)
    select g."ownerId", g."itemId", g."folderId", row_number() over (partition by g."folderId" order by g."itemId") + coalesce((
      select max(pl.display_order) from notes.placements pl where pl.owner_id = g."ownerId" and pl.folder_id = g."folderId"), 0)
    from ${given} where g."folderId" is not null
    on conflict (owner_id, item_id) do update set folder_id = excluded.folder_id, display_order = excluded.display_order
  `.execute(ctx.db)
}
