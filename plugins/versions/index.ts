import { definePlugin } from 'tasuki/plugin'
import { contributePlacement, placementEdit } from '../items/index.ts'
import { migrations } from './migrations/index.ts'
import { onTransfer } from './on-transfer.ts'
import { versions } from './placement.repository.ts'
import { versionsAddItem } from './tools/versions_add_item.ts'
import { versionsCreate } from './tools/versions_create.ts'
import { versionsDelete } from './tools/versions_delete.ts'
import { versionsRemoveItem } from './tools/versions_remove_item.ts'
import { versionsUpdate } from './tools/versions_update.ts'

export type {} from './entities.ts'
export { listVersions } from './version.repository.ts'
export { versionSchema, type VersionRecord } from './version.ts'

export const plugin = definePlugin({
  name: 'versions',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [versionsAddItem, versionsRemoveItem, versionsCreate, versionsUpdate, versionsDelete],
  contributes: [
    ...contributePlacement(versions),
    placementEdit(versions, { en: 'Version', ja: 'バージョン' }),
    ...onTransfer,
  ],
})
