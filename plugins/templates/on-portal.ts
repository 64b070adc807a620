import { ITEM, portalForms, portalPages } from '../portal/index.ts'
import { failureTranslation } from './portal/failure-notification.ts'
import { moveForm, recurrencePanel, skipForm } from './portal/panel.ts'
import { quickAddPage, recurringLinks } from './portal/quick-add.ts'

export const contributions = [
  failureTranslation,
  portalPages(quickAddPage),
  recurrencePanel,
  ...recurringLinks,
  ...[skipForm, moveForm].map(form => portalForms({ page: ITEM, form })),
]
