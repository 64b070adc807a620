import { definePlugin, instructions, lazyContributions } from 'tasuki/plugin'
import { invited } from '../projects/points.ts'
import { notifyAccess, notifyAdministrators } from './access-notices.ts'
import { migrations } from './migrations/index.ts'
import { notifyInvited } from './notification.repository.ts'
import { followItems, recordActivities, recordSettings, writtenByField } from './on-items.ts'
import {
  moreProjects,
  openTasks,
  projects,
  recentActivity,
  unreadNotifications,
  weeklyPace,
  workflows,
} from './overview-sections.ts'
import { chatSettings, featureSettings, limitSettings } from './own-settings.ts'
import { points } from './points.ts'
import { dailyBrief, weeklyReview } from './prompts.ts'
import { activitiesList } from './tools/activities_list.ts'
import { itemKindsList } from './tools/item_kinds_list.ts'
import { meOverview } from './tools/me_overview.ts'
import { notificationsList } from './tools/notifications_list.ts'
import { projectsList } from './tools/projects_list.ts'
import { settingsList } from './tools/settings_list.ts'

export type {} from './entities.ts'
export type { ActivityRecord } from './activity.ts'
export { notify, readNotifications, type NewNotification, type NotificationRow } from './notification.repository.ts'
export { notificationTranslations, overviewSections, settingSources } from './points.ts'
export type { NotificationTranslation, OverviewPeriod, OverviewSection, Setting, SettingSource } from './points.ts'

export const plugin = definePlugin({
  name: 'workspace',
  dependsOn: ['projects', 'workflows', 'items'],
  optionalDependsOn: ['portal'],
  entities: () => import('./entities.ts'),
  migrations,
  notExported: ['workspace.activities.credential_label'],
  points,
  tools: [meOverview, projectsList, activitiesList, notificationsList, itemKindsList, settingsList],
  prompts: [dailyBrief, weeklyReview],
  contributes: [
    recordActivities,
    followItems,
    recordSettings,
    invited(notifyInvited),
    notifyAccess,
    notifyAdministrators,
    writtenByField,
    chatSettings,
    featureSettings,
    limitSettings,
    projects,
    moreProjects,
    workflows,
    openTasks,
    recentActivity,
    weeklyPace,
    unreadNotifications,
    instructions({ rank: 1, tools: ['me_overview'], text: 'Start with me_overview: what is due, what changed.' }),
    instructions({ rank: 2, tools: ['projects_list'], text: 'projects_list has the project keys.' }),
    lazyContributions(['portal'], () => import('./on-portal.ts')),
  ],
})
