import { portalPages } from '../portal/index.ts'
import { numberingPage } from './portal/series.ts'

export const contributions = [portalPages(numberingPage)]
