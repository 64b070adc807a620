import { portalPages } from '../portal/index.ts'
import { closingTranslation } from './portal/closing-notification.ts'
import { sprintsPage } from './portal/list.ts'
import { sprintPage } from './portal/sprint.ts'

export const contributions = [portalPages(sprintsPage), portalPages(sprintPage), closingTranslation]
