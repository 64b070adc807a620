import { Type } from 'tasuki/plugin'
import { unreadCount } from './notification.repository.ts'
import {
  countMoreProjects,
  openTasksSection,
  projectsSection,
  recentActivitySection,
  weeklyPaceSection,
  workflowsSection,
} from './overview.repository.ts'
import { overviewSections } from './points.ts'

/** The most projects and tasks that the overview lists. */
const PROJECTS = 20
const TASKS = 7

/** Own projects first, the Inbox leading. */
export const projects = overviewSections({
  name: 'projects',
  schema: Type.Array(
    Type.Object({
      key: Type.String(),
      name: Type.String(),
      owner: Type.Optional(Type.String({ description: 'Of a shared project.' })),
      open_tasks: Type.Integer(),
      overdue_tasks: Type.Integer(),
    }),
  ),
  sql: (ctx, period) => projectsSection(ctx, period, PROJECTS),
})

/** How many projects did not fit; projects_list has them all. */
export const moreProjects = overviewSections({
  name: 'more_projects',
  schema: Type.Integer({ description: 'Projects not shown here; see projects_list.' }),
  sql: ctx => countMoreProjects(ctx, PROJECTS),
})

/** The status vocabulary: which states the items of which projects may have. */
export const workflows = overviewSections({
  name: 'workflows',
  schema: Type.Array(
    Type.Object({
      name: Type.String(),
      projects: Type.Array(Type.String()),
      states: Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Names by category: done is closed, the others are open.',
      }),
    }),
  ),
  sql: workflowsSection,
})

/** What is due next; tasks without a date come last. */
export const openTasks = overviewSections({
  name: 'open_tasks',
  schema: Type.Array(
    Type.Object({
      ref: Type.String(),
      title: Type.String(),
      due_date: Type.Optional(Type.String()),
      due_time: Type.Optional(Type.String()),
      overdue: Type.Optional(Type.Boolean()),
      priority: Type.Optional(Type.String()),
      status: Type.String(),
    }),
    { description: `The next ${TASKS} by due date; tasks_list has them all.` },
  ),
  sql: (ctx, period) => openTasksSection(ctx, period, TASKS),
})

/** Tasks created and completed in the current week and the four before it. */
export const weeklyPace = overviewSections({
  name: 'weekly_pace',
  schema: Type.Object(
    { first_week: Type.String(), created: Type.Array(Type.Integer()), completed: Type.Array(Type.Integer()) },
    { description: 'Tasks of each week, from the one that begins on first_week to the current one.' },
  ),
  sql: weeklyPaceSection,
})

/** The items that changed last, each with what happened to it. */
export const recentActivity = overviewSections({
  name: 'recent_activity',
  schema: Type.Array(
    Type.Object({
      item_ref: Type.String(),
      title: Type.String(),
      kinds: Type.Record(Type.String(), Type.String(), {
        description: 'Kind of activity → actor_kind of the last one.',
      }),
      last_at: Type.String(),
    }),
    { description: 'The last 5 items that changed; activities_list has the history of each.' },
  ),
  sql: recentActivitySection,
})

export const unreadNotifications = overviewSections({
  name: 'unread_notifications',
  schema: Type.Integer(),
  sql: unreadCount,
})
