import { ITEM, portalForms, portalPages } from '../portal/index.ts'
import { addForm, filePage, filesPanel } from './portal/files.ts'

export const contributions = [filesPanel, portalPages(filePage), portalForms({ page: ITEM, form: addForm })]
