import { clip, exists, insertRecords, iso, recordset, sql, uuid } from 'tasuki/plugin'
import type { Condition, Expression, OwnedKey, ReadContext, Static, WriteContext } from 'tasuki/plugin'
import { isOpen, refColumn, visible } from '../projects/index.ts'
import type { Notification } from './notifications.ts'

/** A notification with its id. */
export interface NotificationRow {
  readonly id: string
  readonly notification: Static<typeof Notification>
}

/** Returns the condition for the notification `n` without an item: it is about the account, or about a project that the caller may see. */
function isOfSeenProject(ctx: ReadContext): Condition {
  return sql`case when n.item_owner_id is null then ${ctx.actor.projects === null}::boolean else exists (
    select from projects.projects np where np.owner_id = n.item_owner_id and np.id = (n.data ->> 'project_id')::uuid and ${visible(ctx, 'np', 'id')}) end`
}

/** Reads the caller's notifications, newest first, without those about items and projects that the caller may no longer see. */
export async function readNotifications(
  ctx: ReadContext,
  {
    status,
    limit,
    offset = 0,
  }: { readonly status: 'unread' | 'all'; readonly limit: number; readonly offset?: number },
): Promise<readonly NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select n.id, json_strip_nulls(json_build_object('kind', n.kind, 'title', n.title, 'body', n.body, 'item_ref', ${refColumn(ctx)},
      'item_title', i.title, 'data', n.data - 'project_id', 'created_at', ${iso('n.created_at')}, 'read', n.read_at is not null)) as notification
    from workspace.notifications n
    left join items.items i on i.owner_id = n.item_owner_id and i.id = n.item_id and ${visible(ctx, 'i')}
    left join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id
    where n.owner_id = ${ctx.actor.userId} and case when n.item_id is null then ${isOfSeenProject(ctx)} else i.id is not null end
      and ${status === 'unread' ? sql.raw('n.read_at is null') : sql.lit(true)}
    order by n.id desc limit ${limit} offset ${offset}
  `.execute(ctx.db)
  return rows
}

/** The kind of the notification about open invitations. */
export const INVITED = 'project.invited'

/** Selects the number of the caller's unread notifications; invitations do not count, because anyone can send them. */
export function unreadCount(ctx: ReadContext): Expression<unknown> {
  return sql`
    select count(*)::int from workspace.notifications n where n.owner_id = ${ctx.actor.userId} and n.read_at is null
      and n.kind <> ${INVITED} and case when n.item_id is null then ${isOfSeenProject(ctx)} else exists (select from items.items i
        where i.owner_id = n.item_owner_id and i.id = n.item_id and ${visible(ctx, 'i')}) end`
}

/** Marks notifications of the caller as read. @param id null = all */
export async function markRead(ctx: WriteContext, id: string | null): Promise<void> {
  await ctx.db
    .updateTable('workspace.notifications')
    .set({ read_at: ctx.now })
    .where('owner_id', '=', ctx.actor.userId)
    .where('read_at', 'is', null)
    .$if(id !== null, query => query.where(({ eb, cast }) => eb(cast<string>('id', 'text'), '=', id!)))
    .execute()
}

export interface NewNotification {
  /** The recipient. */
  readonly userId: string
  /** For example `reminder.due`. */
  readonly kind: string
  readonly title: string
  readonly body?: string | undefined
  /** The item that the notification is about; it is shown only while the user may see the item. */
  readonly item?: OwnedKey | undefined
  /** The project that the notification is about, with the same rule. */
  readonly project?: OwnedKey | undefined
  /** Further facts for programs; keep them small. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/** Creates notifications for users, in one statement within the transaction of the call. */
export async function notify(ctx: WriteContext, notifications: readonly NewNotification[]): Promise<void> {
  if (notifications.length === 0) return
  const rows = notifications.map(({ userId, kind, title, body, item, project, data }) => ({
    owner_id: userId,
    id: uuid(),
    kind,
    title: clip(title, 200),
    body: body === undefined ? null : clip(body, 2000),
    item_owner_id: (item ?? project)?.ownerId ?? null,
    item_id: item?.id ?? null,
    data: project && !item ? { ...data, project_id: project.id } : (data ?? null),
    created_at: ctx.now,
  }))
  await insertRecords(ctx.db, 'workspace.notifications', rows).execute()
}

/**
 * Notifies the users with the given email addresses of open invitations, once until they read it; marks it as read when no invitation is
 * left. One statement, whether or not the addresses have accounts. The text contains no names, because strangers choose them.
 */
export async function notifyInvited(ctx: WriteContext, emails: readonly string[]): Promise<void> {
  const rows = emails.map(email => ({ email, id: uuid() }))
  const rowset = recordset('x', { email: 'text', id: 'uuid' }, rows)
  const isInvited = exists(
    ctx.db.selectFrom('projects.invitations as i').where(isOpen(ctx, sql.ref<string>('u.email'))),
  )
  await sql`
    with answered as (
      update workspace.notifications n set read_at = ${ctx.now} from ${rowset} join core.users u on u.email = x.email
      where n.owner_id = u.id and n.kind = ${INVITED} and n.read_at is null and not ${isInvited})
    insert into workspace.notifications (owner_id, id, kind, title, body, created_at)
    select u.id, x.id, ${INVITED}, 'You are invited to a project',
      'Accept or decline under Settings, Invitations in the portal, or with: tasuki project invitations', ${ctx.now}::timestamptz
    from ${rowset} join core.users u on u.email = x.email
    where ${isInvited} and not exists (
      select from workspace.notifications n where n.owner_id = u.id and n.read_at is null and n.kind = ${INVITED})
  `.execute(ctx.db)
}
