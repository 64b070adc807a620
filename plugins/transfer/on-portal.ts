import { portalPages } from '../portal/index.ts'
import { exportOfBoard, exportProjectPage } from './portal/export.ts'

/** Everything that imports and exports add to the portal. */
export const contributions = [portalPages(exportProjectPage), exportOfBoard]
