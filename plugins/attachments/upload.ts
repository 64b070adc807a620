import { MINUTE_MS, ToolError, uuid, type WriteContext } from 'tasuki/plugin'
import { recordChanges } from '../items/index.ts'
import type { ItemChange } from '../items/points.ts'
import { checkRole } from '../projects/index.ts'
import type { AttachmentRecord } from './attachment.ts'
import { checkContent } from './content.ts'
import type { FileKey } from './links.ts'
import type { Family } from './media-type.ts'
import type { FoundParent } from './points.ts'
import { quotaExceeded, tooManyUploads } from './quota.ts'
import { receiveFile, tooLarge } from './receive.ts'
import { UPLOAD_LIMIT, UPLOAD_MINUTES } from './settings.ts'
import { storageKey, storageOf } from './storage/choose.ts'
import { claimFile, insertFile, lockQuota, storeFile, type NewFile } from './upload.repository.ts'

/** Adds a file for its owner, if there is room. @throws ToolError quota_exceeded, limit_exceeded */
export async function addFile(
  ctx: WriteContext,
  added: NewFile,
): Promise<{ readonly file: FileKey; readonly attachment: AttachmentRecord }> {
  const { ownerId } = added.parent
  const file = { ownerId, id: uuid() }
  // A file of unknown size needs room for at least one byte.
  const needed = added.size ?? 1
  const { kind, credentialId, credentialLabel, client } = ctx.actor
  await lockQuota(ctx, ownerId)
  const uploader = { kind, credentialId, credentialLabel, client }
  const { left, isBusy, attachment } = await insertFile(ctx, file, added, uploader, needed)
  if (!attachment) throw isBusy ? tooManyUploads(ctx) : quotaExceeded(ctx, needed, left)
  return { file, attachment }
}

export type Upload = Pick<NewFile, 'parentKind' | 'parent' | 'filename' | 'mimeType'>

/** Checks and stores a file that is in memory. @throws ToolError unsupported_media_type, quota_exceeded, limit_exceeded */
export async function storeBytes(
  ctx: WriteContext,
  upload: Upload,
  family: Family,
  bytes: Buffer,
): Promise<AttachmentRecord> {
  await using received = await receiveFile(ctx.deployment, [bytes], UPLOAD_LIMIT, tooLarge(UPLOAD_LIMIT))
  await checkContent(received.path, upload.mimeType, family)
  const { file, attachment } = await addFile(ctx, { ...upload, size: received.size, expiresAt: null })
  await recordFileChange(ctx, upload.parent, { kind: 'attachment.created', to: upload.filename })
  // Last, so that a rejected call stores nothing.
  await storageOf(ctx).put(storageKey(file), received.path, received.size)
  return attachment
}

/** Records a new or deleted file in the history of its item, if there is one. */
export async function recordFileChange(
  ctx: WriteContext,
  { ownerId, projectId, item }: Pick<FoundParent, 'ownerId' | 'projectId' | 'item'>,
  change: Pick<ItemChange, 'kind' | 'from' | 'to'>,
): Promise<void> {
  if (!item || projectId === null) return
  await recordChanges(ctx, [{ ownerId, projectId, ...item, ...change }])
}

/**
 * Claims a pending upload: of concurrent requests with the same URL exactly one succeeds.
 * @param length bytes announced by the request; null = none
 * @throws ToolError not_found, conflict, quota_exceeded
 */
export async function claimUpload(ctx: WriteContext, file: FileKey, length: number | null) {
  // A minute longer than the time limit of an upload, so that no upload expires while it runs.
  const until = new Date(ctx.now.getTime() + (UPLOAD_MINUTES + 1) * MINUTE_MS)
  await lockQuota(ctx, file.ownerId)
  const row = await claimFile(ctx, file, length, until)
  if (!row) throw goneError()
  const { left, state, size, mimeType, createdBy, uploader } = row
  if (state !== 'pending')
    throw new ToolError('conflict', 'The address has been used: it takes one upload.', {
      hint: 'Call attachments_upload for a new one.',
    })
  if (!uploader) throw quotaExceeded(ctx, size, left)
  return { left, mimeType: mimeType!, createdBy: createdBy!, uploader }
}

/** Turns a received file into a regular attachment. @throws ToolError not_found, forbidden, quota_exceeded */
export async function completeUpload(ctx: WriteContext, file: FileKey, size: number): Promise<AttachmentRecord> {
  const { ownerId } = file
  await lockQuota(ctx, ownerId)
  const { left, attachment, projectId, key, item } = await storeFile(ctx, file, size)
  if (!attachment) throw left < size ? quotaExceeded(ctx, size, left) : goneError()
  if (projectId !== null) checkRole(ctx, { ownerId, id: projectId, key: key ?? 'the project' }, { write: true })
  await recordFileChange(ctx, { ownerId, projectId, item }, { kind: 'attachment.created', to: attachment.filename })
  return attachment
}

function goneError(): ToolError {
  return new ToolError('not_found', 'What the file was for does not exist any more.', {
    hint: 'Call attachments_upload again.',
  })
}
