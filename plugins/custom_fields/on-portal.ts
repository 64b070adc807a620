import { portalPages } from '../portal/index.ts'
import { customFieldsPage } from './portal/fields.ts'

/** Everything that custom fields add to the portal. */
export const contributions = [portalPages(customFieldsPage)]
