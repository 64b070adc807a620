import { portalPages } from '../portal/index.ts'
import { libraryPage } from './portal/library.ts'

/** The portal contributions of the notes plugin. */
export const contributions = [portalPages(libraryPage)]
