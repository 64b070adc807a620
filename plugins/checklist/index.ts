import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { hasRowIn } from '../items/index.ts'
import { itemHas } from '../items/points.ts'
import { onSplit, sprintProgress } from '../sprints/points.ts'
import { onGeneration } from '../templates/points.ts'
import { migrations } from './migrations/index.ts'
import { exportSteps, importSteps } from './on-transfer.ts'
import { copySteps, doneShare, moveOpenSteps } from './step.repository.ts'
import { checklistAdd } from './tools/checklist_add.ts'
import { checklistList } from './tools/checklist_list.ts'
import { checklistToggle } from './tools/checklist_toggle.ts'

export type {} from './entities.ts'
export type { Step } from './step.ts'

export const plugin = definePlugin({
  name: 'checklist',
  dependsOn: ['projects', 'items'],
  optionalDependsOn: ['portal', 'sprints', 'templates', 'transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  tools: [checklistList, checklistAdd, checklistToggle],
  contributes: [
    itemHas({ value: 'checklist', summary: 'checklist steps', sql: () => hasRowIn('checklist.steps') }),
    sprintProgress(() => doneShare),
    onSplit(moveOpenSteps),
    onGeneration(copySteps),
    exportSteps,
    importSteps,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
