import { transferPlaces } from '../transfer/index.ts'
import { NAME_MAX, sprints } from './placement.repository.ts'

/** Sprints of imported and exported items. */
export const onTransfer = transferPlaces(sprints, 'sprint', { title: 'Sprint', nameMost: NAME_MAX })
