import { iso, sql, Type } from 'tasuki/plugin'
import { visible } from '../../projects/index.ts'
import { overviewSections } from '../points.ts'
import { clipped } from './clipped.ts'
import { current } from './projects.ts'

/** The newest entries of all histories; each project gives its own newest by index. */
export const recentActivity = overviewSections({
  name: 'recent_activity',
  schema: Type.Array(
    Type.Object({
      item_ref: Type.String(),
      title: Type.String(),
      kind: Type.String(),
      actor_kind: Type.String(),
      created_at: Type.String(),
    }),
  ),
  sql: ctx => sql`
    select coalesce(json_agg(json_build_object('item_ref', x.key || '#' || i.number, 'title', ${clipped('i.title', 80)}, 'kind', x.kind,
      'actor_kind', x.actor_kind, 'created_at', ${iso('x.created_at')}) order by x.id desc), '[]')
    from (
      select p.key, a.* from projects.projects p cross join lateral (
        select a.owner_id, a.id, a.item_id, a.kind, a.actor_kind, a.created_at from workspace.activities a
        where a.owner_id = p.owner_id and a.project_id = p.id and a.item_id is not null order by a.id desc limit 10) a
      where ${current(ctx)} order by a.id desc limit 10) x
    join items.items i on i.owner_id = x.owner_id and i.id = x.item_id`,
})

export const unreadNotifications = overviewSections({
  name: 'unread_notifications',
  schema: Type.Integer(),
  sql: ctx => sql`
    select count(*)::int from workspace.notifications n where n.owner_id = ${ctx.actor.userId} and n.read_at is null
      and (n.item_id is null or exists (select from items.items i
        where i.owner_id = n.item_owner_id and i.id = n.item_id and ${visible(ctx, 'i')}))`,
})
