import { portalPages } from '../portal/index.ts'
import { customFieldsPage } from './portal/fields.ts'

/** The portal contributions of the custom_fields plugin. */
export const contributions = [portalPages(customFieldsPage)]
