import { ITEM, portalForms } from '../portal/index.ts'
import { checklistPanel, toggleForm } from './portal/panel.ts'

/** The portal contributions of the checklist plugin. */
export const contributions = [checklistPanel, portalForms({ page: ITEM, form: toggleForm })]
