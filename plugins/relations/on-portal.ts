import { relationsPanel } from './portal/panel.ts'

/** The portal contributions of the relations plugin. */
export const contributions = [relationsPanel]
