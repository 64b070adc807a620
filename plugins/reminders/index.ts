import { definePlugin, lazyContributions } from 'tasuki/plugin'
import { onSplit } from '../sprints/points.ts'
import { migrations } from './migrations/index.ts'
import { onItems, onUsers } from './on-items.ts'
import { followAllDueDates, movePending } from './reminder.repository.ts'
import { send } from './send.ts'
import { settings } from './settings.ts'
import { remindersCreate } from './tools/reminders_create.ts'
import { remindersDelete } from './tools/reminders_delete.ts'
import { remindersList } from './tools/reminders_list.ts'
import { remindersPatch } from './tools/reminders_patch.ts'
import { remindersSnooze } from './tools/reminders_snooze.ts'

export type {} from './entities.ts'
export { reminder } from './reminder.ts'
export { repeatReminder } from './repeat.ts'
export { sendDue } from './send.ts'

export const plugin = definePlugin({
  name: 'reminders',
  dependsOn: ['projects', 'items', 'workspace'],
  optionalDependsOn: ['portal', 'sprints', 'templates'],
  config: settings,
  entities: () => import('./entities.ts'),
  migrations,
  jobs: [send],
  tools: [remindersList, remindersCreate, remindersPatch, remindersSnooze, remindersDelete],
  contributes: [
    ...onItems,
    ...onUsers,
    onSplit(movePending),
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
  onEnabled: ctx => followAllDueDates(ctx),
})
