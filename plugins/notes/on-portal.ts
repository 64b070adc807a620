import { portalPages } from '../portal/index.ts'
import { libraryPage } from './portal/library.ts'

export const contributions = [portalPages(libraryPage)]
