import { quoteName, ToolError, type OwnedKey, type WriteContext } from 'tasuki/plugin'
import { lockFolders, removeFolder, updateFolder, type FolderRow } from './library.repository.ts'
import { MOST_DEPTH } from './library.ts'

const MAX_NAME_LENGTH = 80

/** Renames a folder. @throws ToolError not_found, invalid_argument, conflict */
export async function renameFolder(ctx: WriteContext, project: OwnedKey, id: string, text: string): Promise<void> {
  const folders = await lockFolders(ctx, project)
  const folder = requireFolder(folders, id)
  const name = text.trim()
  if (name === '' || name.includes('/') || Array.from(name).length > MAX_NAME_LENGTH)
    throw new ToolError('invalid_argument', `${quoteName(text)} cannot be the name of a folder.`, {
      field: 'name',
      hint: `Use 1 to ${MAX_NAME_LENGTH} characters without /.`,
    })
  refuseDuplicate(folders, { ...folder, name }, 'name')
  await updateFolder(ctx, { ownerId: project.ownerId, id: folder.id }, { name })
}

/**
 * Moves a folder and its contents into another folder.
 * @param parentId null = the root
 * @throws ToolError not_found, invalid_argument, conflict, limit_exceeded
 */
export async function moveFolder(
  ctx: WriteContext,
  project: OwnedKey,
  id: string,
  parentId: string | null,
): Promise<void> {
  const folders = await lockFolders(ctx, project)
  const folder = requireFolder(folders, id)
  const above = parentId === null ? [] : withAncestors(folders, requireFolder(folders, parentId, 'parent'))
  if (above.some(each => each.id === folder.id))
    throw new ToolError('invalid_argument', `The folder ${quoteName(folder.name)} cannot be put into itself.`, {
      field: 'parent',
    })
  if (above.length + heightOf(folders, folder) > MOST_DEPTH)
    throw new ToolError('limit_exceeded', `Folders may be nested ${MOST_DEPTH} deep.`, {
      field: 'parent',
      hint: 'Use fewer levels.',
    })
  refuseDuplicate(folders, { ...folder, parentId }, 'parent')
  await updateFolder(ctx, { ownerId: project.ownerId, id: folder.id }, { parent_id: parentId })
}

/** Deletes a folder and its subfolders; their notes move to the root. @throws ToolError not_found */
export async function deleteFolder(ctx: WriteContext, project: OwnedKey, id: string): Promise<void> {
  const folder = requireFolder(await lockFolders(ctx, project), id)
  await removeFolder(ctx, { ownerId: project.ownerId, id: folder.id })
}

function requireFolder(folders: readonly FolderRow[], id: string, field = 'folder_id'): FolderRow {
  const found = folders.find(folder => folder.id === id)
  if (found) return found
  throw new ToolError('not_found', `There is no folder ${id}.`, { field, hint: 'library_tree_get shows the folders.' })
}

/** Two folders with the same name and parent would have the same path. */
function refuseDuplicate(folders: readonly FolderRow[], { id, parentId, name }: FolderRow, field: string): void {
  const duplicate = folders.some(
    each => each.id !== id && each.parentId === parentId && each.name.toLowerCase() === name.toLowerCase(),
  )
  if (duplicate)
    throw new ToolError('conflict', `There is already a folder ${quoteName(name)} in this place.`, { field })
}

function withAncestors(folders: readonly FolderRow[], folder: FolderRow): FolderRow[] {
  const parent = folders.find(each => each.id === folder.parentId)
  return [folder, ...(parent ? withAncestors(folders, parent) : [])]
}

/** Returns the number of levels of the folder, including its own. */
function heightOf(folders: readonly FolderRow[], folder: FolderRow): number {
  const below = folders.filter(each => each.parentId === folder.id).map(each => heightOf(folders, each))
  return 1 + Math.max(0, ...below)
}
