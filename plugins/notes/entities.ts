import { belongsTo, defineTable, p, type TablesOf } from 'tasuki/entities'
import { itemKey } from '../items/entities.ts'
import { recordOfProject } from '../projects/entities.ts'

const FolderSchema = defineTable('notes.folders', {
  properties: {
    ...recordOfProject,
    /** Null = at the root. */
    parent: () => belongsTo(LibraryFolder, 'parent_id').nullable(),
    name: p.text(),
    displayOrder: p.integer().default(0),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'folders_project', properties: ['ownerId', 'project', 'displayOrder'] }],
})
export class LibraryFolder extends FolderSchema.class {}
FolderSchema.setClass(LibraryFolder)

/** The folder of a note; notes without a row are in the root. */
const PlacementSchema = defineTable('notes.placements', {
  properties: {
    ...itemKey,
    folder: () => belongsTo(LibraryFolder, 'folder_id'),
    displayOrder: p.integer().default(0),
  },
  indexes: [{ name: 'placements_folder', properties: ['ownerId', 'folder'] }],
})

export const entities = [FolderSchema, PlacementSchema]

declare module 'tasuki/plugin' {
  interface Tables extends TablesOf<'notes', typeof entities> {}
}
