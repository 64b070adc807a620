import { portalPages } from '../portal/index.ts'
import { calendarPage } from './portal/calendar.ts'

/** The portal contributions of the events plugin. */
export const contributions = [portalPages(calendarPage)]
