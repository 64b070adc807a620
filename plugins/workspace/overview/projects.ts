import { sql, Type, type RawBuilder, type ReadContext } from 'tasuki/plugin'
import { keyColumn, visible } from '../../projects/index.ts'
import { overviewSections, type OverviewPeriod } from '../points.ts'
import { clipColumn } from './clipped.ts'

const MOST = 20

/** Condition on a project `p` that the overview speaks of. */
export function current(ctx: ReadContext): RawBuilder<boolean> {
  return sql<boolean>`(${visible(ctx, 'p', 'id')} and p.archived_at is null)`
}

/** Condition on an item `i`: a task that is not done and not archived, so that numbers agree with tasks_list. */
export const openTask = sql<boolean>`(i.type = 'task' and i.archived_at is null and i.completed_at is null)`

/** Condition on an open task `i`. */
export function overdue({ today, clock }: OverviewPeriod): RawBuilder<boolean> {
  return sql<boolean>`coalesce(i.due_date < ${today}::date or (i.due_date = ${today}::date and i.due_time < ${clock}::text), false)`
}

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
  sql: (ctx, period) => sql`
    select coalesce(json_agg(x.project order by x.shared, x.is_inbox desc, x.key), '[]') from (
      select p.key, p.is_inbox, p.owner_id <> ${ctx.actor.userId} as shared,
        json_strip_nulls(json_build_object('key', ${keyColumn(ctx, 'p')}, 'name', ${clipColumn('p.name', 40)},
          'owner', (select u.email from core.users u where u.id = p.owner_id and u.id <> ${ctx.actor.userId}),
          'open_tasks', coalesce(c.open, 0), 'overdue_tasks', coalesce(c.overdue, 0))) as project
      from projects.projects p left join (
        select i.owner_id, i.project_id, count(*)::int as open, (count(*) filter (where ${overdue(period)}))::int as overdue
        from items.items i where ${visible(ctx, 'i')} and ${openTask} group by i.owner_id, i.project_id
      ) c on c.owner_id = p.owner_id and c.project_id = p.id
      where ${current(ctx)}
      order by p.owner_id <> ${ctx.actor.userId}, p.is_inbox desc, p.key limit ${sql.lit(MOST)}) x`,
})

/** How many projects did not fit; projects_list has them all. */
export const moreProjects = overviewSections({
  name: 'more_projects',
  schema: Type.Integer({ description: 'Projects not shown here; see projects_list.' }),
  sql: ctx =>
    sql`select nullif(greatest(count(*)::int - ${sql.lit(MOST)}, 0), 0) from projects.projects p where ${current(ctx)}`,
})
