import { transferPlaces } from '../transfer/index.ts'
import { NAME_MAX, areas } from './placement.repository.ts'

/** Areas of imported and exported items. */
export const onTransfer = transferPlaces(areas, 'area', { title: 'Area', nameMost: NAME_MAX })
