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

/** Maximum number of projects and of tasks in the overview. */
const PROJECTS = 20
const TASKS = 7

/** Own projects first, led by the Inbox. */
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
  sql: ctx => projectsSection(ctx, PROJECTS),
})

/** The number of projects beyond the limit; projects_list has all of them. */
export const moreProjects = overviewSections({
  name: 'more_projects',
  schema: Type.Integer({ description: 'Projects not shown here; see projects_list.' }),
  sql: ctx => countMoreProjects(ctx, PROJECTS),
})

/** The workflow states per group of projects. */
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

/** The open tasks by due date; tasks without a date come last. */
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
  sql: ctx => openTasksSection(ctx, TASKS),
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

/** The last changed items with their changes. */
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
