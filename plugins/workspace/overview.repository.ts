import { allOf, castTo, compare, expressions, iso, parens, plusDays, sql } from 'tasuki/plugin'
import type { Condition, Expression, RawBuilder, ReadContext } from 'tasuki/plugin'
import { isPastDue, itemJoins, priorityName } from '../items/index.ts'
import { keyColumn, refColumn, visible } from '../projects/index.ts'
import { isShown } from './history.repository.ts'
import { projectWorkflow } from '../workflows/index.ts'
import type { OverviewPeriod, OverviewSection } from './points.ts'

/** A user with the value of each section, in order. */
export interface OverviewRow {
  readonly email: string
  readonly name: string
  readonly values: readonly unknown[]
}

/** Reads the caller and all sections, in one statement. */
export async function readOverview(ctx: ReadContext, sections: readonly OverviewSection[], period: OverviewPeriod) {
  const columns = sections.map(section => parens(section.sql(ctx, period)))
  const { rows } = await sql<OverviewRow>`
    select u.email, u.name, json_build_array(${sql.join(columns)}) as values from core.users u where u.id = ${ctx.actor.userId}
  `.execute(ctx.db)
  return rows[0]!
}

/** Returns the operand of `at time zone` for an offset from UTC in minutes: PostgreSQL reads a positive interval as east of UTC. */
export function zoneOf(offset: number): Expression<unknown> {
  return sql`make_interval(mins => ${offset}::int)`
}

/** Returns the condition for projects `p` in the overview. */
const isCurrent = (ctx: ReadContext): Condition =>
  allOf([visible(ctx, 'p', 'id'), compare('p.archived_at', 'is', null)])

/** Condition that the item `i` is an open task, by the same rule as in tasks_list. */
const item = expressions<{ i: 'items.items' }>()
const isOpenTask = item.and([
  item('i.type', '=', sql.lit('task')),
  item('i.archived_at', 'is', null),
  item('i.completed_at', 'is', null),
])

/** Returns the condition that an open task `i` is overdue; false without a due date. */
const isOverdue = (ctx: ReadContext): Condition => sql`coalesce(${isPastDue(ctx)}, false)`

/** Truncates a text column, to keep the overview small. */
function clipColumn(column: string, most: number): RawBuilder<string> {
  const text = sql.ref(column)
  return sql`case when length(${text}) > ${sql.lit(most)} then left(${text}, ${sql.lit(most - 1)}) || '…' else ${text} end`
}

/** Returns SQL for the caller's projects, own projects first, led by the Inbox. */
export function projectsSection(ctx: ReadContext, most: number): Expression<unknown> {
  return sql`
    select coalesce(json_agg(x.project order by x.shared, x.is_inbox desc, x.key), '[]') from (
      select p.key, p.is_inbox, p.owner_id <> ${ctx.actor.userId} as shared,
        json_strip_nulls(json_build_object('key', ${keyColumn(ctx, 'p')}, 'name', ${clipColumn('p.name', 40)},
          'owner', (select u.email from core.users u where u.id = p.owner_id and u.id <> ${ctx.actor.userId}),
          'open_tasks', coalesce(c.open, 0), 'overdue_tasks', coalesce(c.overdue, 0))) as project
      from projects.projects p left join (
        select i.owner_id, i.project_id, count(*)::int as open, (count(*) filter (where ${isOverdue(ctx)}))::int as overdue
        from items.items i where ${visible(ctx, 'i')} and ${isOpenTask} group by i.owner_id, i.project_id
      ) c on c.owner_id = p.owner_id and c.project_id = p.id
      where ${isCurrent(ctx)}
      order by p.owner_id <> ${ctx.actor.userId}, p.is_inbox desc, p.key limit ${sql.lit(most)}) x`
}

/** Returns SQL for the number of the caller's projects beyond the limit; null for none. */
export function countMoreProjects(ctx: ReadContext, most: number): Expression<unknown> {
  return sql`select nullif(greatest(count(*)::int - ${sql.lit(most)}, 0), 0) from projects.projects p where ${isCurrent(ctx)}`
}

/** Returns SQL for the open tasks by due date; tasks without a date come last. */
export function openTasksSection(ctx: ReadContext, most: number): Expression<unknown> {
  return sql`
    select coalesce(json_agg(x.task order by x.due_date, x.due_time nulls first, x.number, x.owner_id), '[]') from (
      select i.due_date, i.due_time, i.number, i.owner_id, json_strip_nulls(json_build_object('ref', ${refColumn(ctx)}, 'title', ${clipColumn('i.title', 80)},
        'due_date', i.due_date::text, 'due_time', i.due_time, 'overdue', nullif(${isOverdue(ctx)}, false), 'priority', ${priorityName},
        'status', s.name)) as task
      from items.items i ${itemJoins}
      where ${visible(ctx, 'i')} and ${isOpenTask} and p.archived_at is null
      order by i.due_date, i.due_time nulls first, i.number, i.owner_id limit ${sql.lit(most)}) x`
}

/** Tasks created and completed in the current week and the four before it. */
export function weeklyPaceSection(ctx: ReadContext, { weekBegin, zone }: OverviewPeriod): Expression<unknown> {
  const first = castTo(plusDays(weekBegin, -28), 'date')
  // The week is computed: after an import, comparing each task with each week would take most of the overview.
  const countWeekly = (at: Expression<unknown>): Expression<unknown> => sql`(
    select json_agg(coalesce(c.tasks, 0) order by w.week) from generate_series(0, 4) w(week) left join (
      select ((${at} at time zone ${zone})::date - ${first}) / 7 as week, count(*) as tasks from items.items i
      where ${visible(ctx, 'i')} and i.type = 'task' and ${at} >= ${first}::timestamp at time zone ${zone} group by 1) c on c.week = w.week)`
  return sql`select json_build_object('first_week', ${first}::text, 'created', ${countWeekly(sql.ref('i.created_at'))},
    'completed', ${countWeekly(sql.ref('i.completed_at'))})`
}

/** Returns SQL for the workflow states per group of projects. */
export function workflowsSection(ctx: ReadContext): Expression<unknown> {
  return sql`
    select coalesce(json_agg(x.workflow order by x.shared, x.uses desc, x.id), '[]') from (
      select w.id, w.owner_id <> ${ctx.actor.userId} as shared, count(*) as uses,
        json_build_object('name', w.name, 'projects', json_agg(${keyColumn(ctx, 'p')} order by p.is_inbox desc, p.key),
          'states', (
            select coalesce(json_object_agg(c.category, c.names order by c.place), '{}') from (
              select s.category, json_agg(s.name order by s.place) as names, min(s.place) as place
              from (select s.*, row_number() over (order by s.display_order, s.id) as place from workflows.states s
                where s.owner_id = w.owner_id and s.workflow_id = w.id and s.archived_at is null
                order by s.display_order, s.id limit 12) s
              group by s.category) c)) as workflow
      from projects.projects p
      join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}
      where ${isCurrent(ctx)}
      group by w.owner_id, w.id, w.name
      order by w.owner_id <> ${ctx.actor.userId}, count(*) desc, w.id limit 4) x`
}

/** Maximum number of history entries to read, and of items to show. */
const ENTRIES = 20
const ITEMS = 5

/**
 * Returns SQL for the last changed items with their changes. The newest entries of each project are read by index: the order by a range of
 * projects is that of no other index, while for one project the planner may read the whole history of the owner.
 */
export function recentActivitySection(ctx: ReadContext): Expression<unknown> {
  return sql`
    select coalesce(json_agg(json_build_object('item_ref', x.key || '#' || x.number, 'title', x.title, 'kinds', x.kinds, 'last_at', ${iso('x.last_at')})
      order by x.last_id desc), '[]')
    from (
      select ${keyColumn(ctx, 'ip')} as key, i.number, ${clipColumn('i.title', 80)} as title, json_object_agg(k.kind, k.actor_kind order by k.id desc) as kinds,
        max(k.created_at) as last_at, max(k.id::text) as last_id
      from (
        select distinct on (n.owner_id, n.item_id, n.kind) n.* from (
          select a.* from projects.projects p cross join lateral (
            select a.owner_id, a.id, a.item_id, a.kind, a.actor_kind, a.created_at from workspace.activities a
            where a.owner_id = p.owner_id and a.project_id between p.id and p.id and a.item_id is not null and ${isShown(ctx)}
            order by a.project_id desc, a.id desc limit ${sql.lit(ENTRIES)}) a
          where ${isCurrent(ctx)} order by a.id desc limit ${sql.lit(ENTRIES)}) n
        order by n.owner_id, n.item_id, n.kind, n.id desc) k
      join items.items i on i.owner_id = k.owner_id and i.id = k.item_id
      join projects.projects ip on ip.owner_id = i.owner_id and ip.id = i.project_id
      where ${visible(ctx, 'i')}
      group by ip.owner_id, ip.id, i.owner_id, i.id order by last_id desc limit ${sql.lit(ITEMS)}) x`
}
