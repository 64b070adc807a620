import { portalPages } from '../portal/index.ts'
import { codePage } from './portal/links.ts'
import { codePanel } from './portal/panel.ts'

/** Everything that commits and pull requests add to the portal. */
export const contributions = [portalPages(codePage), codePanel]
