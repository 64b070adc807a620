import { portalPages } from '../portal/index.ts'
import { calendarPage } from './portal/calendar.ts'

export const contributions = [portalPages(calendarPage)]
