import { ITEM, portalForms } from '../portal/index.ts'
import { checklistPanel, toggleForm } from './portal/panel.ts'

export const contributions = [checklistPanel, portalForms({ page: ITEM, form: toggleForm })]
