import { defineEntity, p } from 'tasuki/entities'
import { Item } from '../items/entities.ts'
import { Project } from '../projects/entities.ts'

/** Folders of a project's library. */
const FolderSchema = defineEntity({
  name: 'LibraryFolder',
  schema: 'notes',
  tableName: 'folders',
  properties: {
    ownerId: p.uuid().primary(),
    id: p.uuid().primary(),
    project: () =>
      p
        .manyToOne(Project)
        .joinColumns('owner_id', 'project_id')
        .ownColumns('project_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    /** Null = at the root. */
    parent: () =>
      p
        .manyToOne(LibraryFolder)
        .joinColumns('owner_id', 'parent_id')
        .ownColumns('parent_id')
        .deleteRule('cascade')
        .updateRule('no action')
        .nullable(),
    name: p.string().columnType('text'),
    displayOrder: p.integer().default(0),
    createdAt: p.datetime(),
  },
  indexes: [{ name: 'folders_project', properties: ['ownerId', 'project', 'displayOrder'] }],
})
export class LibraryFolder extends FolderSchema.class {}
FolderSchema.setClass(LibraryFolder)

/** Where a note lies; notes without a row lie at the root. */
const PlacementSchema = defineEntity({
  name: 'NotePlacement',
  schema: 'notes',
  tableName: 'placements',
  properties: {
    ownerId: p.uuid().primary(),
    item: () =>
      p
        .manyToOne(Item)
        .primary()
        .joinColumns('owner_id', 'item_id')
        .ownColumns('item_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    folder: () =>
      p
        .manyToOne(LibraryFolder)
        .joinColumns('owner_id', 'folder_id')
        .ownColumns('folder_id')
        .deleteRule('cascade')
        .updateRule('no action'),
    displayOrder: p.integer().default(0),
  },
  indexes: [{ name: 'placements_folder', properties: ['ownerId', 'folder'] }],
})

export const entities = [FolderSchema, PlacementSchema]
