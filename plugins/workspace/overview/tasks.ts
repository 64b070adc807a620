import { sql, Type, type RawBuilder } from 'tasuki/plugin'
import { itemJoins, priorityName } from '../../items/index.ts'
import { keyColumn, visible } from '../../projects/index.ts'
import { overviewSections } from '../points.ts'
import { clipColumn } from './clipped.ts'
import { openTask, overdue } from './projects.ts'

const TASKS = 7

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
  sql: (ctx, period) => sql`
    select coalesce(json_agg(x.task order by x.due_date, x.number, x.owner_id), '[]') from (
      select i.due_date, i.number, i.owner_id, json_strip_nulls(json_build_object('ref', ${keyColumn(ctx, 'p')} || '#' || i.number, 'title', ${clipColumn('i.title', 80)},
        'due_date', i.due_date::text, 'due_time', i.due_time, 'overdue', nullif(${overdue(period)}, false), 'priority', ${priorityName},
        'status', s.name)) as task
      from items.items i ${itemJoins}
      where ${visible(ctx, 'i')} and ${openTask} and p.archived_at is null
      order by i.due_date, i.number, i.owner_id limit ${sql.lit(TASKS)}) x`,
})

/** Tasks created and completed in the current week and the four before it. */
export const weeklyPace = overviewSections({
  name: 'weekly_pace',
  schema: Type.Object(
    { first_week: Type.String(), created: Type.Array(Type.Integer()), completed: Type.Array(Type.Integer()) },
    { description: 'Tasks of each week, from the one that begins on first_week to the current one.' },
  ),
  sql: (ctx, { weekBegin, zone }) => sql`
    select json_build_object('first_week', min(x.begin)::text, 'created', json_agg(x.created order by x.begin),
      'completed', json_agg(x.completed order by x.begin)) from (
      select w.begin, (count(*) filter (where t.what = 'created'))::int as created, (count(*) filter (where t.what = 'completed'))::int as completed
      from (select ${weekBegin}::date - 7 * n as begin from generate_series(0, 4) n) w
      left join (
        select 'created' as what, i.created_at as at from items.items i
        where ${visible(ctx, 'i')} and i.type = 'task' and i.created_at >= ${since(weekBegin, zone)}
        union all
        select 'completed', i.completed_at from items.items i
        where ${visible(ctx, 'i')} and i.type = 'task' and i.completed_at >= ${since(weekBegin, zone)}
      ) t on t.at >= w.begin::timestamp at time zone ${zone} and t.at < (w.begin + 7)::timestamp at time zone ${zone}
      group by w.begin) x`,
})

function since(weekBegin: string, zone: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`((${weekBegin}::date - 28)::timestamp at time zone ${zone})`
}
