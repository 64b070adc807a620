import { portalPages } from '../portal/index.ts'
import { numberingPage } from './portal/series.ts'

/** The portal contributions of the numbering plugin. */
export const contributions = [portalPages(numberingPage)]
