import { portalPages } from '../portal/index.ts'
import { workflowPage } from './portal/workflow.ts'

/** Everything that workflows add to the portal. */
export const contributions = [portalPages(workflowPage)]
