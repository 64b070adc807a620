import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { notePlace } from './commands.ts'
import { moveNotes } from './item-moves.ts'
import { migrations } from './migrations/index.ts'
import { points } from './points.ts'
import { noteResource, noteValues } from './resource.ts'
import { libraryTreeGet } from './tools/library_tree_get.ts'
import { noteRevisionsGet } from './tools/note_revisions_get.ts'
import { noteRevisionsList } from './tools/note_revisions_list.ts'
import { notesCreate } from './tools/notes_create.ts'
import { notesList } from './tools/notes_list.ts'

export type {} from './entities.ts'
export type { Folder } from './library.ts'

export const plugin = definePlugin({
  name: 'notes',
  dependsOn: ['projects', 'workflows', 'items'],
  optionalDependsOn: ['portal'],
  entities: () => import('./entities.ts'),
  migrations,
  points,
  commands: [notePlace],
  tools: [notesCreate, notesList, libraryTreeGet, noteRevisionsList, noteRevisionsGet],
  resources: [noteResource],
  contributes: [moveNotes, noteValues, lazyContributions(['portal'], () => import('./on-portal.ts'))],
})
