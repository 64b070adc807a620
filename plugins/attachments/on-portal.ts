import { portalPages } from '../portal/index.ts'
import { filePage, filesPanel } from './portal/files.ts'

export const contributions = [filesPanel, portalPages(filePage)]
