import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { migrations } from './migrations/index.ts'
import { recurringEvents } from './on-events.ts'
import { onItems } from './on-items.ts'
import { exportRecurrence, importRecurrence } from './on-transfer.ts'
import { points } from './points.ts'
import { followItems } from './schedule.ts'
import { tick } from './tick.ts'
import { taskTemplatesList } from './tools/task_templates_list.ts'
import { templatesCreate } from './tools/templates_create.ts'
import { templatesRun } from './tools/templates_run.ts'

export type {} from './entities.ts'
export { templateGenerated, type Generated } from './points.ts'
export { isAllDay, readRecurrence, type Recurrence, upcoming } from './recurrence.ts'
export { generateDue } from './tick.ts'

export const plugin = definePlugin({
  name: 'templates',
  dependsOn: ['projects', 'workflows', 'items', 'workspace'],
  optionalDependsOn: ['events', 'portal', 'transfer'],
  entities: () => import('./entities.ts'),
  migrations,
  points,
  jobs: [tick],
  tools: [taskTemplatesList, templatesCreate, templatesRun],
  contributes: [
    ...onItems,
    exportRecurrence,
    importRecurrence,
    recurringEvents,
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
  onEnabled: ctx => followItems(ctx),
})
