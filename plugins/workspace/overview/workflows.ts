import { sql, Type } from 'tasuki/plugin'
import { keyColumn } from '../../projects/index.ts'
import { projectWorkflow } from '../../workflows/index.ts'
import { overviewSections } from '../points.ts'
import { current } from './projects.ts'

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
  sql: ctx => sql`
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
      where ${current(ctx)}
      group by w.owner_id, w.id, w.name
      order by w.owner_id <> ${ctx.actor.userId}, count(*) desc, w.id limit 4) x`,
})
