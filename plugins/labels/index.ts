import { definePlugin, instructions } from 'tasuki/plugin'
import { onSplit } from '../sprints/points.ts'
import { onGeneration } from '../templates/points.ts'
import { copyLabels } from './item-label.repository.ts'
import { migrations } from './migrations/index.ts'
import { labelFacts } from './on-estimation.ts'
import { onItems } from './on-items.ts'
import { exportLabels, importLabels } from './on-transfer.ts'
import { labelValues } from './suggest-names.ts'
import { projectLabelsCreate } from './tools/project_labels_create.ts'
import { projectLabelsDelete } from './tools/project_labels_delete.ts'
import { projectLabelsList } from './tools/project_labels_list.ts'
import { projectLabelsPatch } from './tools/project_labels_patch.ts'

export type {} from './entities.ts'

export const plugin = definePlugin({
  name: 'labels',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['estimation', 'sprints', 'templates', 'transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [projectLabelsList, projectLabelsCreate, projectLabelsPatch, projectLabelsDelete],
  contributes: [
    ...onItems,
    exportLabels,
    importLabels,
    labelFacts,
    labelValues,
    onSplit(copyLabels),
    onGeneration(copyLabels),
    instructions({ rank: 35, tools: ['items_create'], text: 'Label names that do not exist are defined.' }),
  ],
})
