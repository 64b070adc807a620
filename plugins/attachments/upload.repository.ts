import { allOf, compare, deleteWhere, json, lockUntilCommit, sql, updateWhere } from 'tasuki/plugin'
import type { Condition, RawBuilder, ReadContext, WriteContext } from 'tasuki/plugin'
import { keyColumn, refColumn, visible } from '../projects/index.ts'
import { attachmentJoins, attachmentRecord } from './attachment.repository.ts'
import type { AttachmentRecord } from './attachment.ts'
import type { Uploader } from './entities.ts'
import type { FileKey } from './links.ts'
import type { FoundParent } from './points.ts'
import { settings } from './settings.ts'

/**
 * Serializes calls that count and change an owner's files, until the transaction ends. A separate statement, so that the count that follows
 * sees what the previous call committed.
 */
export async function lockQuota(ctx: WriteContext, ownerId: string): Promise<void> {
  await lockUntilCommit(ctx.db, 'attachments', ownerId)
}

/** Returns SQL for the owner's remaining bytes for a file, not counting the file itself. */
function bytesLeft(ctx: ReadContext, { ownerId, id }: FileKey): RawBuilder<number> {
  return sql`(
    select ${ctx.config(settings).quota_bytes}::bigint - coalesce(sum(o.size), 0) from attachments.attachments o
    where o.owner_id = ${ownerId} and o.id <> ${id} and (o.state = 'stored' or o.expires_at > ${ctx.now}))`
}

/** Returns the condition that an owner has reached the limit of pending uploads. */
function hasManyUploads(ctx: ReadContext, { ownerId }: FileKey): Condition {
  const open = ctx.db
    .selectFrom('attachments.attachments as o')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('o.owner_id', '=', ownerId)
    .where('o.expires_at', '>', ctx.now.toISOString())
  return compare(open, '>=', ctx.config(settings).pending_uploads)
}

function isFile(alias: 'a' | 'b', { ownerId, id }: FileKey): Condition {
  return allOf([compare(`${alias}.owner_id`, '=', ownerId), compare(`${alias}.id`, '=', id)])
}

export interface NewFile {
  readonly parentKind: string
  readonly parent: FoundParent
  readonly filename: string
  readonly mimeType: string
  /** Bytes; null = unknown. */
  readonly size: number | null
  /** Deadline for the bytes; null = already received. */
  readonly expiresAt: Date | null
}

/** Inserts a file if its owner has enough bytes left and, for a pending upload, room for one more. @returns nothing if there is no room */
export async function insertFile(
  ctx: WriteContext,
  file: FileKey,
  { parentKind, parent, filename, mimeType, size, expiresAt }: NewFile,
  uploader: Uploader,
  needed: number,
): Promise<{ readonly left: number; readonly isBusy: boolean; readonly attachment: AttachmentRecord | null }> {
  const isBusy = expiresAt ? hasManyUploads(ctx, file) : sql.lit(false)
  const { rows } = await sql<{ left: number; isBusy: boolean; attachment: AttachmentRecord | null }>`
    with room as (select ${bytesLeft(ctx, file)} as bytes, ${isBusy} as busy), added as (
      insert into attachments.attachments (owner_id, id, project_id, item_id, parent_kind, parent_id, filename, mime_type, size, state,
        expires_at, created_by, uploader, created_at)
      select ${file.ownerId}::uuid, ${file.id}::uuid, ${parent.projectId}::uuid, ${parent.item?.itemId ?? null}::uuid, ${parentKind}::text,
        ${parent.id}::uuid, ${filename}::text, ${mimeType}::text, ${size ?? 0}::int, ${expiresAt ? 'pending' : 'stored'}::text,
        ${expiresAt}::timestamptz, ${ctx.actor.userId}::uuid, ${json(uploader)}::jsonb, ${ctx.now}::timestamptz
      from room where room.bytes >= ${needed} and not room.busy
      returning *
    )
    select room.bytes::float8 as left, room.busy as "isBusy", (select ${attachmentRecord(ctx)} from added a ${attachmentJoins}) as attachment from room
  `.execute(ctx.db)
  return rows[0]!
}

/** A pending upload before it was claimed; without an uploader if it was not pending or there is no room. */
export interface ClaimRow {
  readonly left: number
  readonly state: string
  readonly size: number
  readonly mimeType?: string
  readonly createdBy?: string
  readonly uploader?: Uploader
}

/** Claims a pending upload until the given time. @param length announced bytes; null = unknown */
export async function claimFile(ctx: WriteContext, file: FileKey, length: number | null, until: Date) {
  const { rows } = await sql<ClaimRow>`
    with room as (select ${bytesLeft(ctx, file)} as bytes), claimed as (
      update attachments.attachments a set state = 'receiving', expires_at = ${until}, size = coalesce(${length}::int, a.size)
      from room where ${isFile('a', file)} and a.state = 'pending' and room.bytes >= coalesce(${length}::int, a.size)
      returning a.mime_type, a.created_by, a.uploader
    )
    select room.bytes::float8 as left, b.state, coalesce(${length}::int, b.size) as size, c.mime_type as "mimeType",
      c.created_by as "createdBy", c.uploader
    from attachments.attachments b cross join room left join claimed c on true where ${isFile('b', file)}
  `.execute(ctx.db)
  return rows[0]
}

/** A received file with its project; without an attachment if there was no room or the row no longer exists. */
export interface KeptRow {
  readonly left: number
  readonly attachment: AttachmentRecord | null
  readonly projectId: string | null
  readonly key: string | null
  readonly item: FoundParent['item']
}

/** Marks a received file as stored, if its owner has room for it. */
export async function storeFile(ctx: WriteContext, file: FileKey, size: number): Promise<KeptRow> {
  const { rows } = await sql<KeptRow>`
    with room as (select ${bytesLeft(ctx, file)} as bytes), kept as (
      update attachments.attachments a set state = 'stored', expires_at = null, size = ${size}
      from room where ${isFile('a', file)} and a.state = 'receiving' and ${visible(ctx, 'a')} and room.bytes >= ${size}
      returning a.*
    )
    select room.bytes::float8 as left, k.* from room left join (
      select ${attachmentRecord(ctx)} as attachment, a.project_id as "projectId", ${keyColumn(ctx, 'ap')} as key, case when ai.id is not null then
        jsonb_build_object('itemId', ai.id, 'ref', ${refColumn(ctx, 'ap', 'ai')}, 'title', ai.title) end as item
      from kept a ${attachmentJoins}
    ) k on true
  `.execute(ctx.db)
  return rows[0]!
}

/** Makes a claimed upload pending again, so that its URL can be used until it expires. */
export async function releaseUpload(ctx: WriteContext, { ownerId, id }: FileKey, expiresAt: Date): Promise<void> {
  await updateWhere(
    ctx.db,
    'attachments.attachments',
    { owner_id: ownerId, id, state: 'receiving' },
    { state: 'pending', expires_at: expiresAt },
  )
}

/** Deletes a claimed upload whose bytes were rejected. */
export async function dropUpload(ctx: WriteContext, { ownerId, id }: FileKey): Promise<void> {
  await deleteWhere(ctx.db, 'attachments.attachments', { owner_id: ownerId, id, state: 'receiving' })
}
