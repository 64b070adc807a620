import { iso, sql, Type } from 'tasuki/plugin'
import { keyColumn, visible } from '../../projects/index.ts'
import { overviewSections } from '../points.ts'
import { clipColumn } from './clipped.ts'
import { current } from './projects.ts'

/** Entries that are looked at, and items that they are shown of. */
const READ = 20
const ITEMS = 5

/** The items that changed last, each with what happened to it; each project gives its own newest entries by index. */
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
  sql: ctx => sql`
    select coalesce(json_agg(json_build_object('item_ref', x.key || '#' || x.number, 'title', x.title, 'kinds', x.kinds, 'last_at', ${iso('x.last_at')})
      order by x.last_id desc), '[]')
    from (
      select ${keyColumn(ctx, 'ip')} as key, i.number, ${clipColumn('i.title', 80)} as title, json_object_agg(k.kind, k.actor_kind order by k.id desc) as kinds,
        max(k.created_at) as last_at, max(k.id::text) as last_id
      from (
        select distinct on (n.owner_id, n.item_id, n.kind) n.* from (
          select a.* from projects.projects p cross join lateral (
            select a.owner_id, a.id, a.item_id, a.kind, a.actor_kind, a.created_at from workspace.activities a
            where a.owner_id = p.owner_id and a.project_id = p.id and a.item_id is not null order by a.id desc limit ${sql.lit(READ)}) a
          where ${current(ctx)} order by a.id desc limit ${sql.lit(READ)}) n
        order by n.owner_id, n.item_id, n.kind, n.id desc) k
      join items.items i on i.owner_id = k.owner_id and i.id = k.item_id
      join projects.projects ip on ip.owner_id = i.owner_id and ip.id = i.project_id
      where ${visible(ctx, 'i')}
      group by ip.owner_id, ip.id, i.owner_id, i.id order by last_id desc limit ${sql.lit(ITEMS)}) x`,
})

export const unreadNotifications = overviewSections({
  name: 'unread_notifications',
  schema: Type.Integer(),
  sql: ctx => sql`
    select count(*)::int from workspace.notifications n where n.owner_id = ${ctx.actor.userId} and n.read_at is null
      and (n.item_id is null or exists (select from items.items i
        where i.owner_id = n.item_owner_id and i.id = n.item_id and ${visible(ctx, 'i')}))`,
})
