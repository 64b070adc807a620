import { quoteName, ToolError, Type, uuid } from 'tasuki/plugin'
import type { NewRow, ReadContext, WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { insertFolders, lockFolders, readLibraryRows } from './library.repository.ts'
import type { FolderRow, NoteRow } from './library.repository.ts'

export const SORTS = ['manual', 'updated', 'created', 'title'] as const
export type Sort = (typeof SORTS)[number]

const note = Type.Object({ ref: Type.String(), title: Type.String(), updated_at: Type.String() })
/** A folder with its contents. */
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
  readonly notes: ReturnType<typeof toNoteJson>[]
}

/** Maximum number of notes in a library; notes_list pages through all of them. */
const MAX_NOTES = 1000

/** Reads the folders and notes of a project in one statement. @throws ToolError not_found */
export async function readLibrary(
  ctx: ReadContext,
  key: string,
): Promise<{ folders: readonly FolderRow[]; notes: readonly NoteRow[]; total: number }> {
  const { folders, notes, total } = await readLibraryRows(ctx, key, MAX_NOTES)
  return { folders: folders ?? [], notes: notes ?? [], total }
}

/** Builds the tree of folders and notes. Folders are sorted by their own order, then by name. */
export function buildTree(
  folders: readonly FolderRow[],
  notes: readonly NoteRow[],
  sort: Sort,
): { folders: Folder[]; notes: Folder['notes'] } {
  const sorted = notes.toSorted(compareNotes(sort))
  const known = new Set(folders.map(each => each.id))
  const notesIn = (id: string | null) =>
    sorted
      .filter(each => (each.folderId !== null && known.has(each.folderId) ? each.folderId : null) === id)
      .map(toNoteJson)
  const foldersIn = (parent: string | null): Folder[] =>
    folders
      .filter(each => each.parentId === parent)
      .toSorted((a, b) => (sort === 'manual' ? a.order - b.order : 0) || a.name.localeCompare(b.name))
      .map(({ id, name }) => ({ id, name, folders: foldersIn(id), notes: notesIn(id) }))
  return { folders: foldersIn(null), notes: notesIn(null) }
}

function compareNotes(sort: Sort): (a: NoteRow, b: NoteRow) => number {
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

function toNoteJson({ ref, title, updated_at }: NoteRow) {
  return { ref, title, updated_at }
}

/** Maximum depth of nested folders. */
export const MOST_DEPTH = 5

/** Finds a folder by its path `A/B` and creates missing ones. @throws ToolError limit_exceeded, invalid_argument */
export async function ensureFolder(
  ctx: WriteContext,
  project: Pick<ProjectRow, 'ownerId' | 'id' | 'key'>,
  path: string,
): Promise<string> {
  const names = path.split('/').map(name => name.trim())
  if (names.some(name => name === '' || name.length > 80))
    throw new ToolError('invalid_argument', `${quoteName(path)} is not a path of folders.`, {
      field: 'path',
      hint: 'Names of 1 to 80 characters joined by /.',
    })
  if (names.length > MOST_DEPTH)
    throw new ToolError('limit_exceeded', `Folders may be nested ${MOST_DEPTH} deep.`, {
      field: 'path',
      hint: 'Use fewer levels.',
    })
  const folders = await lockFolders(ctx, project)
  let parentId: string | null = null
  const added: NewRow<'notes.folders'>[] = []
  for (const name of names) {
    const found: FolderRow | undefined = folders.find(
      each => each.parentId === parentId && each.name.toLowerCase() === name.toLowerCase(),
    )
    const id: string = found?.id ?? uuid()
    if (!found)
      added.push({
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
  if (added.length > 0) await insertFolders(ctx, added)
  return parentId!
}
