import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { migrations } from './migrations/index.ts'
import { exportRelations, importRelations } from './on-transfer.ts'
import { onItems } from './on-items.ts'
import { linkContinuations } from './on-sprints.ts'
import { linkInstances } from './on-templates.ts'
import { relationsBulkCreate } from './tools/relations_bulk_create.ts'
import { relationsCreate } from './tools/relations_create.ts'
import { relationsDelete } from './tools/relations_delete.ts'
import { relationsList } from './tools/relations_list.ts'
import { relationsReassign } from './tools/relations_reassign.ts'

export type {} from './entities.ts'
export type { Link, Linked } from './link.ts'
export type { RelationRow, RelationType } from './relation.ts'

export const plugin = definePlugin({
  name: 'relations',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['portal', 'sprints', 'templates', 'transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [relationsList, relationsCreate, relationsDelete, relationsBulkCreate, relationsReassign],
  contributes: [
    exportRelations,
    importRelations,
    ...onItems,
    linkContinuations,
    linkInstances,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
