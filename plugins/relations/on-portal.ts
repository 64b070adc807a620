import { relationsPanel } from './portal/panel.ts'

export const contributions = [relationsPanel]
