import { choice, defineTool, iso, sql, Type } from 'tasuki/plugin'
import { visible } from '../../projects/index.ts'

const Notification = Type.Object({
  kind: Type.String(),
  title: Type.String(),
  body: Type.Optional(Type.String()),
  item_ref: Type.Optional(Type.String()),
  item_title: Type.Optional(Type.String()),
  data: Type.Optional(Type.Object({})),
  created_at: Type.String(),
  read: Type.Boolean(),
})

export const notificationsList = defineTool({
  name: 'notifications_list',
  class: 'R',
  title: 'List notifications',
  summary: 'Lists your notifications, newest first, without marking them read.',
  rank: 430,
  input: Type.Object(
    {
      status: Type.Optional(choice(['unread', 'all'], { default: 'unread', description: 'Which ones.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 10, description: 'Page size.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ notifications: Type.Array(Notification), has_more: Type.Boolean() }),
  rows: 'notifications',
  async run(ctx, { status = 'unread', limit = 10 }) {
    const { rows } = await sql<{ notification: (typeof Notification)['static'] }>`
      select json_strip_nulls(json_build_object('kind', n.kind, 'title', n.title, 'body', n.body, 'item_ref', p.key || '#' || i.number,
        'item_title', i.title, 'data', n.data, 'created_at', ${iso('n.created_at')}, 'read', n.read_at is not null)) as notification
      from workspace.notifications n
      left join items.items i on i.owner_id = n.item_owner_id and i.id = n.item_id and ${visible(ctx, 'i')}
      left join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
      where n.owner_id = ${ctx.actor.userId} and (n.item_id is null or i.id is not null)
        and ${status === 'unread' ? sql`n.read_at is null` : sql`true`}
      order by n.id desc limit ${limit + 1}
    `.execute(ctx.db)
    return { notifications: rows.slice(0, limit).map(row => row.notification), has_more: rows.length > limit }
  },
})
