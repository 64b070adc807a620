import { portalPages } from '../portal/index.ts'
import { filePage, filesPanel } from './portal/files.ts'

/** The portal contributions of the attachments plugin. */
export const contributions = [filesPanel, portalPages(filePage)]
