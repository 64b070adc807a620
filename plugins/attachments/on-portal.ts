import { ITEM, portalForms, portalPages } from '../portal/index.ts'
import { addForm, deleteForm, filePage, filesPanel } from './portal/files.ts'

export const contributions = [
  filesPanel,
  portalPages(filePage),
  ...[addForm, deleteForm].map(form => portalForms({ page: ITEM, form })),
]
