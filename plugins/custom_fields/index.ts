import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { onSplit } from '../sprints/points.ts'
import { changedNames } from '../workspace/points.ts'
import { onGeneration } from '../templates/points.ts'
import { labelsByKey } from './field.repository.ts'
import { migrations } from './migrations/index.ts'
import { onItems } from './on-items.ts'
import { exportFields, importFields } from './on-transfer.ts'
import { itemsSetCustomFields } from './tools/items_set_custom_fields.ts'
import { projectCustomFieldsCreate } from './tools/project_custom_fields_create.ts'
import { projectCustomFieldsDelete } from './tools/project_custom_fields_delete.ts'
import { projectCustomFieldsList } from './tools/project_custom_fields_list.ts'
import { projectCustomFieldsUpdate } from './tools/project_custom_fields_update.ts'
import { copyValues } from './value.repository.ts'

export type {} from './entities.ts'

export const plugin = definePlugin({
  name: 'custom_fields',
  dependsOn: ['projects', 'workflows', 'items'],
  optionalDependsOn: ['portal', 'sprints', 'templates', 'transfer', 'workspace'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [
    itemsSetCustomFields,
    projectCustomFieldsList,
    projectCustomFieldsCreate,
    projectCustomFieldsUpdate,
    projectCustomFieldsDelete,
  ],
  contributes: [
    ...onItems,
    onSplit(copyValues),
    onGeneration(copyValues),
    exportFields,
    importFields,
    changedNames({ part: 'custom_fields', sql: labelsByKey }),
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
