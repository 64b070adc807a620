import { transferPlaces } from '../transfer/index.ts'
import { versions } from './placement.repository.ts'
import { NAME_MAX } from './version.ts'

/** Versions of imported and exported items. */
export const onTransfer = transferPlaces(versions, 'version', { title: 'Version', nameMost: NAME_MAX })
