import { sql } from 'tasuki/plugin'
import { itemMoves } from '../items/points.ts'
import { placeNotes } from './library.ts'

interface FolderOfProject {
  readonly id: string
  readonly projectId: string
  readonly parentId: string | null
  readonly name: string
  /** Those of the call's notes that lie in it. */
  readonly notes: readonly string[]
}

/** Notes go into the folder of the same path, else to the root of the library. */
export const moveNotes = itemMoves(async (ctx, moves) => {
  const notes = moves.filter(({ draft }) => draft.before.type === 'note')
  if (notes.length === 0) return undefined
  const { ownerId, project } = notes[0]!.draft
  const projects = [...new Set([project.id, ...notes.map(({ draft }) => draft.before.project.id)])]
  const { rows } = await sql<FolderOfProject>`
    select f.id, f.project_id as "projectId", f.parent_id as "parentId", f.name, coalesce((
      select jsonb_agg(pl.item_id) from notes.placements pl where pl.owner_id = f.owner_id and pl.folder_id = f.id
        and pl.item_id in (${sql.join(notes.map(({ draft }) => draft.id))})), '[]') as notes
    from notes.folders f where f.owner_id = ${ownerId} and f.project_id in (${sql.join(projects)})
  `.execute(ctx.db)
  const there = new Map(
    rows.flatMap(folder => (folder.projectId === project.id ? [[pathOf(rows, folder).toLowerCase(), folder]] : [])),
  )
  const chosen = new Map<string, string | null>()
  for (const { draft, keep, lose } of notes) {
    const before = rows.find(folder => folder.notes.includes(draft.id))
    if (!before) continue
    const path = pathOf(rows, before)
    const after = there.get(path.toLowerCase())
    chosen.set(draft.id, after?.id ?? null)
    if (after) keep('folder', path, pathOf(rows, after))
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

function pathOf(folders: readonly FolderOfProject[], folder: FolderOfProject): string {
  const parent = folders.find(({ id }) => id === folder.parentId)
  return parent ? `${pathOf(folders, parent)}/${folder.name}` : folder.name
}
