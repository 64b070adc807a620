import { itemMoves } from '../items/points.ts'
import { placeNotes, readFoldersOfNotes, type FolderOfNotes } from './library.repository.ts'

/** Moves notes into the folder with the same path, or to the root of the library. */
export const moveNotes = itemMoves(async (ctx, moves) => {
  const notes = moves.filter(({ draft }) => draft.before.type === 'note')
  if (notes.length === 0) return undefined
  const { ownerId, project } = notes[0]!.draft
  const projects = [...new Set([project.id, ...notes.map(({ draft }) => draft.before.project.id)])]
  const noteIds = notes.map(({ draft }) => draft.id)
  const folders = await readFoldersOfNotes(ctx, ownerId, projects, noteIds)
  const there = new Map(
    folders.flatMap(folder =>
      folder.projectId === project.id ? [[pathOf(folders, folder).toLowerCase(), folder]] : [],
    ),
  )
  const chosen = new Map<string, string | null>()
  for (const { draft, keep, lose } of notes) {
    const before = folders.find(folder => folder.notes.includes(draft.id))
    if (!before) continue
    const path = pathOf(folders, before)
    const after = there.get(path.toLowerCase())
    chosen.set(draft.id, after?.id ?? null)
    if (after) keep('folder', path, pathOf(folders, after))
    else lose('folder', path)
  }
  if (chosen.size === 0) return undefined
  return (write, drafts) =>
    placeNotes(
      write,
      drafts.flatMap(({ id }) => {
        const folderId = chosen.get(id)
        return folderId === undefined ? [] : [{ ownerId, itemId: id, folderId }]
      }),
    )
})

function pathOf(folders: readonly FolderOfNotes[], folder: FolderOfNotes): string {
  const parent = folders.find(({ id }) => id === folder.parentId)
  return parent ? `${pathOf(folders, parent)}/${folder.name}` : folder.name
}
