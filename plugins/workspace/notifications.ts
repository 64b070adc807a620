import { choice, iso, sql, Type, type ReadContext, type Static, type WriteContext } from 'tasuki/plugin'
import { keyColumn, visible } from '../projects/index.ts'

/** A notification as tools return it. */
export const Notification = Type.Object({
  kind: Type.String(),
  title: Type.String(),
  body: Type.Optional(Type.String()),
  item_ref: Type.Optional(Type.String()),
  item_title: Type.Optional(Type.String()),
  data: Type.Optional(Type.Object({})),
  created_at: Type.String(),
  read: Type.Boolean(),
})
export const notificationStatus = choice(['unread', 'all'], { default: 'unread', description: 'Which ones.' })

/** A notification with its id. */
export interface NotificationRow {
  readonly id: string
  readonly notification: Static<typeof Notification>
}

/** Reads the caller's notifications, newest first; those about items that they may not see any more are left out. */
export async function readNotifications(
  ctx: ReadContext,
  {
    status,
    limit,
    offset = 0,
  }: { readonly status: 'unread' | 'all'; readonly limit: number; readonly offset?: number },
): Promise<readonly NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select n.id, json_strip_nulls(json_build_object('kind', n.kind, 'title', n.title, 'body', n.body, 'item_ref', ${keyColumn(ctx, 'p')} || '#' || i.number,
      'item_title', i.title, 'data', n.data, 'created_at', ${iso('n.created_at')}, 'read', n.read_at is not null)) as notification
    from workspace.notifications n
    left join items.items i on i.owner_id = n.item_owner_id and i.id = n.item_id and ${visible(ctx, 'i')}
    left join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where n.owner_id = ${ctx.actor.userId} and (n.item_id is null or i.id is not null)
      and ${status === 'unread' ? sql`n.read_at is null` : sql`true`}
    order by n.id desc limit ${limit} offset ${offset}
  `.execute(ctx.db)
  return rows
}

/** Marks notifications of the caller as read. @param id null = all */
export async function markRead(ctx: WriteContext, id: string | null): Promise<void> {
  await sql`
    update workspace.notifications n set read_at = ${ctx.now}
    where n.owner_id = ${ctx.actor.userId} and n.read_at is null and ${id === null ? sql`true` : sql`n.id::text = ${id}`}
  `.execute(ctx.db)
}
