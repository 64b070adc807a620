import { portalPages } from '../portal/index.ts'
import { filePage, filesPanel } from './portal/files.ts'

/** Everything that files add to the portal. */
export const contributions = [filesPanel, portalPages(filePage)]
