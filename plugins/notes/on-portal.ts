import { portalPages } from '../portal/index.ts'
import { libraryPage } from './portal/library.ts'

/** Everything that notes add to the portal. */
export const contributions = [portalPages(libraryPage)]
