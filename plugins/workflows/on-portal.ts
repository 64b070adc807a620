import { portalPages } from '../portal/index.ts'
import { workflowPage } from './portal/workflow.ts'

export const contributions = [portalPages(workflowPage)]
