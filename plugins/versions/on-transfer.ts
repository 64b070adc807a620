import { transferPlaces } from '../transfer/index.ts'
import { NAME_MAX, versions } from './placement.repository.ts'

/** Versions of imported and exported items. */
export const onTransfer = transferPlaces(versions, 'version', { title: 'Version', nameMost: NAME_MAX })
