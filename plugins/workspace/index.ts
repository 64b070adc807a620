import { definePlugin, instructions, lazyContributions } from 'tasuki/plugin'
import { migrations } from './migrations/index.ts'
import { moveActivities, recordActivities, recordSettings } from './on-items.ts'
import { recentActivity, unreadNotifications } from './overview/activity.ts'
import { moreProjects, projects } from './overview/projects.ts'
import { openTasks, weeklyPace } from './overview/tasks.ts'
import { workflows } from './overview/workflows.ts'
import { chatSettings, featureSettings, limitSettings } from './own-settings.ts'
import { points } from './points.ts'
import { dailyBrief, weeklyReview } from './prompts.ts'
import { activitiesList } from './tools/activities_list.ts'
import { itemKindsList } from './tools/item_kinds_list.ts'
import { meOverview } from './tools/me_overview.ts'
import { notificationsList } from './tools/notifications_list.ts'
import { projectsList } from './tools/projects_list.ts'
import { settingsList } from './tools/settings_list.ts'

export { readActivities, type ActivityRecord } from './activities.ts'
export { chooseSetting } from './choose-setting.ts'
export { markRead, readNotifications, type NotificationRow } from './notifications.ts'
export { settingsList }
export { notify, type NewNotification } from './notify.ts'
export {
  notificationTranslations,
  overviewSections,
  type NotificationTranslation,
  settingSources,
  type OverviewPeriod,
  type OverviewSection,
  type Setting,
  type SettingSource,
} from './points.ts'

export const plugin = definePlugin({
  name: 'workspace',
  version: '0.1.0',
  api: 1,
  group: 'workspace',
  dependsOn: ['projects', 'workflows', 'items'],
  optionalDependsOn: ['portal'],
  entities: () => import('./entities.ts'),
  migrations,
  points,
  tools: [meOverview, projectsList, activitiesList, notificationsList, itemKindsList, settingsList],
  prompts: [dailyBrief, weeklyReview],
  contributes: [
    recordActivities,
    moveActivities,
    recordSettings,
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
