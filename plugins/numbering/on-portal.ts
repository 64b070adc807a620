import { portalPages } from '../portal/index.ts'
import { numberingPage } from './portal/series.ts'

/** Everything that numbering series add to the portal. */
export const contributions = [portalPages(numberingPage)]
