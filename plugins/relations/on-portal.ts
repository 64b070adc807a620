import { relationsPanel } from './portal/panel.ts'

/** Everything that relations add to the portal. */
export const contributions = [relationsPanel]
