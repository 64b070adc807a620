import { ITEM, portalForms, portalPages } from '../portal/index.ts'
import { failureTranslation } from './portal/failure-news.ts'
import { moveForm, recurrencePanel, skipForm } from './portal/panel.ts'
import { quickAddPage } from './portal/quick-add.ts'

/** Everything that templates add to pages of the portal. */
export const contributions = [
  failureTranslation,
  portalPages(quickAddPage),
  recurrencePanel,
  ...[skipForm, moveForm].map(form => portalForms({ page: ITEM, form })),
]
