import { clip, sql, uuid, type WriteContext } from 'tasuki/plugin'

export interface NewNotification {
  /** Who is told. */
  readonly userId: string
  /** For example `reminder.due`. */
  readonly kind: string
  readonly title: string
  readonly body?: string | undefined
  /** The item that it is about; the notification is shown while the user may see that item. */
  readonly item?: { readonly ownerId: string; readonly id: string } | undefined
  /** Further facts for programs; keep it small. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/** Tells users something, in one statement and in the transaction of the call. */
export async function notify(ctx: WriteContext, notifications: readonly NewNotification[]): Promise<void> {
  if (notifications.length === 0) return
  const rows = notifications.map(({ userId, kind, title, body, item, data }) => ({
    owner_id: userId,
    id: uuid(),
    kind,
    title: clip(title, 200),
    body: body === undefined ? null : clip(body, 2000),
    item_owner_id: item?.ownerId ?? null,
    item_id: item?.id ?? null,
    data: data ?? null,
  }))
  await sql`
    insert into workspace.notifications (owner_id, id, kind, title, body, item_owner_id, item_id, data, created_at)
    select x.owner_id, x.id, x.kind, x.title, x.body, x.item_owner_id, x.item_id, x.data, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(owner_id uuid, id uuid, kind text, title text, body text,
      item_owner_id uuid, item_id uuid, data jsonb)
  `.execute(ctx.db)
}
