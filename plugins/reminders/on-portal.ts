import { remindersPanel } from './portal/panel.ts'

export const contributions = [remindersPanel]
