import { portalPages } from '../portal/index.ts'
import { exportOfBoard, exportProjectPage } from './portal/export.ts'
import { importPage } from './portal/import-one.ts'
import { importIntoProject, importOnProjects, importsPage } from './portal/imports.ts'

/** The portal contributions of the transfer plugin. */
export const contributions = [
  ...[exportProjectPage, importsPage, importPage, importIntoProject].map(page => portalPages(page)),
  exportOfBoard,
  importOnProjects,
]
