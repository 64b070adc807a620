import { portalPages } from '../portal/index.ts'
import { searchPage } from './portal/search.ts'

export const contributions = [portalPages(searchPage)]
