import { ITEM, portalForms, portalPages } from '../portal/index.ts'
import { codePage } from './portal/links.ts'
import { addForm, codePanel, removeForm } from './portal/panel.ts'

export const contributions = [
  portalPages(codePage),
  codePanel,
  ...[addForm, removeForm].map(form => portalForms({ page: ITEM, form })),
]
