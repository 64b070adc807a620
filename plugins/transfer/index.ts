import { definePlugin, lazyContributions, rowsAboutUsers, Type } from 'tasuki/plugin'
import { itemFields } from '../items/points.ts'
import { exported, imported } from './audit.ts'
import { importFile } from './commands.ts'
import { exportItems } from './export/command.ts'
import { FORMATS } from './formats/index.ts'
import { migrations } from './migrations/index.ts'
import { originField } from './origin.repository.ts'
import { importFormats, points } from './points.ts'
import { runImport, sweep } from './run-import.ts'
import { settings } from './settings.ts'

export type {} from './entities.ts'

/** The source of an item and its author there: texts of a file, not accounts. */
const origin = itemFields({
  when: 'single',
  summary: 'where it was imported from',
  fields: {
    imported_from: Type.Object({
      format: Type.String(),
      key: Type.String(),
      author: Type.Optional(Type.String()),
      assignee: Type.Optional(Type.String()),
    }),
  },
  sql: originField,
})

export { transferPlaces } from './places.ts'

export const plugin = definePlugin({
  name: 'transfer',
  compatibleFrom: '0.1.0',
  group: 'work_items',
  dependsOn: ['projects', 'workflows', 'items'],
  optionalDependsOn: ['workspace', 'portal'],
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  points,
  auditActions: [imported, exported],
  commands: [importFile, exportItems],
  jobs: [runImport, sweep],
  contributes: [
    origin,
    ...FORMATS.map(format => importFormats(format)),
    // Files of others for projects of a deleted user.
    rowsAboutUsers({ table: 'transfer.uploads', column: 'project_owner_id', exported: false }),
    lazyContributions(['portal'], () => import('./on-portal.ts')),
    lazyContributions(['portal', 'workspace'], () => import('./on-workspace.ts')),
  ],
})
