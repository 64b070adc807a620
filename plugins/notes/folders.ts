import { sql, ToolError, type WriteContext } from 'tasuki/plugin'
import type { ProjectRow } from '../projects/index.ts'
import { lockFolders, MOST_DEPTH, type FolderRow } from './library.ts'

type ProjectKey = Pick<ProjectRow, 'ownerId' | 'id'>
const MOST_NAME = 80

/** Gives a folder another name. @throws ToolError not_found, invalid_argument, conflict */
export async function renameFolder(ctx: WriteContext, project: ProjectKey, id: string, given: string): Promise<void> {
  const folders = await lockFolders(ctx, project)
  const folder = requireFolder(folders, id)
  const name = given.trim()
  if (name === '' || name.includes('/') || Array.from(name).length > MOST_NAME) {
    throw new ToolError('invalid_argument', `"${given}" cannot be the name of a folder.`, {
      field: 'name',
      hint: `Use 1 to ${MOST_NAME} characters without /.`,
    })
  }
  refuseTwin(folders, { ...folder, name }, 'name')
  await sql`update notes.folders set name = ${name} where owner_id = ${project.ownerId} and id = ${folder.id}`.execute(
    ctx.db,
  )
}

/**
 * Moves a folder with everything in it below another.
 * @param parentId null = to the root
 * @throws ToolError not_found, invalid_argument, conflict, limit_exceeded
 */
export async function moveFolder(
  ctx: WriteContext,
  project: ProjectKey,
  id: string,
  parentId: string | null,
): Promise<void> {
  const folders = await lockFolders(ctx, project)
  const folder = requireFolder(folders, id)
  const above = parentId === null ? [] : lineOf(folders, requireFolder(folders, parentId, 'parent'))
  if (above.some(each => each.id === folder.id)) {
    throw new ToolError('invalid_argument', `The folder ${folder.name} cannot be put into itself.`, { field: 'parent' })
  }
  if (above.length + heightOf(folders, folder) > MOST_DEPTH) {
    throw new ToolError('limit_exceeded', `Folders may be nested ${MOST_DEPTH} deep.`, {
      field: 'parent',
      hint: 'Use fewer levels.',
    })
  }
  refuseTwin(folders, { ...folder, parentId }, 'parent')
  await sql`
    update notes.folders set parent_id = ${parentId} where owner_id = ${project.ownerId} and id = ${folder.id}
  `.execute(ctx.db)
}

/** Deletes a folder and those in it; their notes lie at the root then. @throws ToolError not_found */
export async function deleteFolder(ctx: WriteContext, project: ProjectKey, id: string): Promise<void> {
  const folder = requireFolder(await lockFolders(ctx, project), id)
  await sql`delete from notes.folders where owner_id = ${project.ownerId} and id = ${folder.id}`.execute(ctx.db)
}

function requireFolder(folders: readonly FolderRow[], id: string, field = 'folder_id'): FolderRow {
  const found = folders.find(folder => folder.id === id)
  if (found) return found
  throw new ToolError('not_found', `There is no folder ${id}.`, { field, hint: 'library_tree_get shows the folders.' })
}

/** Two folders of one name in one place could not be told apart in paths. */
function refuseTwin(folders: readonly FolderRow[], { id, parentId, name }: FolderRow, field: string): void {
  const twin = folders.some(
    each => each.id !== id && each.parentId === parentId && each.name.toLowerCase() === name.toLowerCase(),
  )
  if (twin) throw new ToolError('conflict', `There is already a folder ${name} in this place.`, { field })
}

/** The folder and those above it. */
function lineOf(folders: readonly FolderRow[], folder: FolderRow): FolderRow[] {
  const parent = folders.find(each => each.id === folder.parentId)
  return [folder, ...(parent ? lineOf(folders, parent) : [])]
}

/** Levels of the folder, its own included. */
function heightOf(folders: readonly FolderRow[], folder: FolderRow): number {
  const below = folders.filter(each => each.parentId === folder.id).map(each => heightOf(folders, each))
  return 1 + Math.max(0, ...below)
}
