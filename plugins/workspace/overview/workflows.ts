import { sql, Type } from 'tasuki/plugin'
import { projectWorkflow } from '../../workflows/index.ts'
import { overviewSections } from '../points.ts'
import { current } from './projects.ts'

/** The status vocabulary: which states the items of which projects may have. */
export const workflows = overviewSections({
  name: 'workflows',
  schema: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      projects: Type.Array(Type.String()),
      states: Type.Array(Type.Object({ name: Type.String(), system_status: Type.String(), category: Type.String() })),
    }),
  ),
  sql: ctx => sql`
    select coalesce(json_agg(x.workflow order by x.shared, x.uses desc, x.id), '[]') from (
      select w.id, w.owner_id <> ${ctx.actor.userId} as shared, count(*) as uses,
        json_build_object('id', w.id, 'name', w.name, 'projects', json_agg(p.key order by p.is_inbox desc, p.key),
          'states', (
            select coalesce(json_agg(json_build_object('name', s.name, 'system_status', s.system_status, 'category', s.category)
              order by s.display_order, s.id), '[]')
            from (select * from workflows.states s where s.owner_id = w.owner_id and s.workflow_id = w.id and s.archived_at is null
              order by s.display_order, s.id limit 12) s)) as workflow
      from projects.projects p
      join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${projectWorkflow('p')}
      where ${current(ctx)}
      group by w.owner_id, w.id, w.name
      order by w.owner_id <> ${ctx.actor.userId}, count(*) desc, w.id limit 4) x`,
})
