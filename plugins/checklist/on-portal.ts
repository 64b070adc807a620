import { ITEM, portalForms } from '../portal/index.ts'
import { checklistPanel, toggleForm } from './portal/panel.ts'

/** Everything that checklists add to the portal. */
export const contributions = [checklistPanel, portalForms({ page: ITEM, form: toggleForm })]
