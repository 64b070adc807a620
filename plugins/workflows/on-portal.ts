import { portalPages } from '../portal/index.ts'
import { workflowPage } from './portal/workflow.ts'

/** The portal contributions of the workflows plugin. */
export const contributions = [portalPages(workflowPage)]
