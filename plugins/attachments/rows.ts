import { sql, ToolError, uuid, type RawBuilder, type WriteContext } from 'tasuki/plugin'
import { recordChanges } from '../items/index.ts'
import { checkRole, keyColumn, visible } from '../projects/index.ts'
import { attachmentJoins, attachmentRecord, type AttachmentRecord } from './attachment.ts'
import type { Uploader } from './entities.ts'
import type { FileKey } from './links.ts'
import type { FoundParent } from './points.ts'
import { bytesLeft, lockQuota, quotaExceeded } from './quota.ts'
import { UPLOAD_MINUTES } from './settings.ts'

export interface NewFile {
  readonly parentKind: string
  readonly parent: FoundParent
  readonly filename: string
  readonly mimeType: string
  /** Bytes; null = not known yet. */
  readonly size: number | null
  /** Until when the bytes have to come; null = they are here. */
  readonly expiresAt: Date | null
}

/** Adds a file to its owner's files, if there is room. @throws ToolError quota_exceeded */
export async function addFile(
  ctx: WriteContext,
  { parentKind, parent, filename, mimeType, size, expiresAt }: NewFile,
): Promise<{ readonly file: FileKey; readonly attachment: AttachmentRecord }> {
  const { ownerId } = parent
  const file = { ownerId, id: uuid() }
  // Where the size is not known there has to be room for something.
  const needed = size ?? 1
  const uploader = JSON.stringify(uploaderOf(ctx))
  await lockQuota(ctx, ownerId)
  const { rows } = await sql<{ left: number; attachment: AttachmentRecord | null }>`
    with room as (select ${bytesLeft(ctx, file)} as bytes), added as (
      insert into attachments.attachments (owner_id, id, project_id, item_id, parent_kind, parent_id, filename, mime_type, size, state,
        expires_at, created_by, uploader, created_at)
      select ${ownerId}::uuid, ${file.id}::uuid, ${parent.projectId}::uuid, ${parent.item?.itemId ?? null}::uuid, ${parentKind}::text,
        ${parent.id}::uuid, ${filename}::text, ${mimeType}::text, ${size ?? 0}::int, ${expiresAt ? 'pending' : 'stored'}::text,
        ${expiresAt}::timestamptz, ${ctx.actor.userId}::uuid, ${uploader}::jsonb, ${ctx.now}::timestamptz
      from room where room.bytes >= ${needed}
      returning *
    )
    select room.bytes::float8 as left, (select ${attachmentRecord(ctx)} from added a ${attachmentJoins}) as attachment from room
  `.execute(ctx.db)
  const { left, attachment } = rows[0]!
  if (!attachment) throw quotaExceeded(ctx, needed, left)
  return { file, attachment }
}

function uploaderOf({ actor: { kind, credentialId, credentialLabel, client } }: WriteContext): Uploader {
  return { kind, credentialId, credentialLabel, client }
}

/** Tells the history of the item, where there is one. */
export async function tellHistory(
  ctx: WriteContext,
  { ownerId, projectId, item }: Pick<FoundParent, 'ownerId' | 'projectId' | 'item'>,
  filename: string,
): Promise<void> {
  if (!item || projectId === null) return
  await recordChanges(ctx, [{ ownerId, projectId, ...item, kind: 'attachment.created', to: filename }])
}

export interface Claim {
  readonly mimeType: string
  readonly createdBy: string
  readonly uploader: Uploader
  /** Bytes that the file may have before the owner's files become too many. */
  readonly left: number
}

/**
 * Takes a pending upload: of several requests with one address exactly one gets it.
 * @param length bytes that the request says it brings; null = it does not say.
 * @throws ToolError not_found, conflict, quota_exceeded
 */
export async function claimUpload(ctx: WriteContext, file: FileKey, length: number | null): Promise<Claim> {
  // A minute longer than an upload may take, so that none is given up while it is under way.
  const until = new Date(ctx.now.getTime() + (UPLOAD_MINUTES + 1) * 60_000)
  await lockQuota(ctx, file.ownerId)
  const { rows } = await sql<{ left: number; state: string; size: number } & Partial<Omit<Claim, 'left'>>>`
    with room as (select ${bytesLeft(ctx, file)} as bytes), claimed as (
      update attachments.attachments a set state = 'receiving', expires_at = ${until}, size = coalesce(${length}::int, a.size)
      from room where ${isFile('a', file)} and a.state = 'pending' and room.bytes >= coalesce(${length}::int, a.size)
      returning a.mime_type, a.created_by, a.uploader
    )
    select room.bytes::float8 as left, b.state, coalesce(${length}::int, b.size) as size, c.mime_type as "mimeType",
      c.created_by as "createdBy", c.uploader
    from attachments.attachments b cross join room left join claimed c on true where ${isFile('b', file)}
  `.execute(ctx.db)
  const row = rows[0]
  if (!row) throw gone()
  const { left, state, size, mimeType, createdBy, uploader } = row
  if (state !== 'pending') {
    throw new ToolError('conflict', 'The address has been used: it takes one upload.', {
      hint: 'Call attachments_upload for a new one.',
    })
  }
  if (!uploader) throw quotaExceeded(ctx, size, left)
  return { left, mimeType: mimeType!, createdBy: createdBy!, uploader }
}

interface KeptRow {
  readonly left: number
  readonly attachment: AttachmentRecord | null
  readonly projectId: string | null
  readonly key: string | null
  readonly item: FoundParent['item']
}

/** Makes a received file an attachment like any other. @throws ToolError not_found, forbidden, quota_exceeded */
export async function keepFile(ctx: WriteContext, file: FileKey, size: number): Promise<AttachmentRecord> {
  const { ownerId } = file
  await lockQuota(ctx, ownerId)
  const { rows } = await sql<KeptRow>`
    with room as (select ${bytesLeft(ctx, file)} as bytes), kept as (
      update attachments.attachments a set state = 'stored', expires_at = null, size = ${size}
      from room where ${isFile('a', file)} and a.state = 'receiving' and ${visible(ctx, 'a')} and room.bytes >= ${size}
      returning a.*
    )
    select room.bytes::float8 as left, k.* from room left join (
      select ${attachmentRecord(ctx)} as attachment, a.project_id as "projectId", ${keyColumn(ctx, 'ap')} as key, case when ai.id is not null then
        jsonb_build_object('itemId', ai.id, 'ref', ${keyColumn(ctx, 'ap')} || '#' || ai.number, 'title', ai.title) end as item
      from kept a ${attachmentJoins}
    ) k on true
  `.execute(ctx.db)
  const { left, attachment, projectId, key, item } = rows[0]!
  if (!attachment) throw left < size ? quotaExceeded(ctx, size, left) : gone()
  if (projectId !== null) checkRole(ctx, { ownerId, id: projectId, key: key ?? 'the project' }, { write: true })
  await tellHistory(ctx, { ownerId, projectId, item }, attachment.filename)
  return attachment
}

/** Gives a claimed upload back, so that its address can be used again until it expires. */
export async function releaseUpload(ctx: WriteContext, file: FileKey, expiresAt: Date): Promise<void> {
  await sql`
    update attachments.attachments a set state = 'pending', expires_at = ${expiresAt} where ${isFile('a', file)} and a.state = 'receiving'
  `.execute(ctx.db)
}

/** Forgets a claimed upload whose bytes were refused. */
export async function dropUpload(ctx: WriteContext, file: FileKey): Promise<void> {
  await sql`delete from attachments.attachments a where ${isFile('a', file)} and a.state = 'receiving'`.execute(ctx.db)
}

function isFile(alias: string, { ownerId, id }: FileKey): RawBuilder<boolean> {
  return sql`${sql.ref(`${alias}.owner_id`)} = ${ownerId} and ${sql.ref(`${alias}.id`)} = ${id}`
}

function gone(): ToolError {
  return new ToolError('not_found', 'What the file was for does not exist any more.', {
    hint: 'Call attachments_upload again.',
  })
}
