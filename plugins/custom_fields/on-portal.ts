import { portalPages } from '../portal/index.ts'
import { customFieldsPage } from './portal/fields.ts'

export const contributions = [portalPages(customFieldsPage)]
