import { DAY_MS, deleteWhere, json, lockUntilCommit, updateWhere } from 'tasuki/plugin'
import type { ReadContext, Row, RowChanges, WriteContext, NewRow } from 'tasuki/plugin'
import type { ImportFault } from './entities.ts'

/** An upload of the caller. */
export type UploadRow = Readonly<Row<'transfer.uploads'>>
type UploadId = Pick<UploadRow, 'id'>
type UploadChanges = RowChanges<'transfer.uploads'>

/** Bytes per chunk: some milliseconds to encode; a multiple of 3, so that each chunk is base64 of whole bytes. */
const CHUNK = 768 * 1024
/** Maximum number of uploads per user, including finished ones. */
const MAX_UPLOADS = 50
/** How long a file waits for its import, and how long a result is shown. */
const FILE_MS = DAY_MS
const RESULT_MS = 7 * DAY_MS

/** States in which the file is still needed. */
const OPEN = ['draft', 'running', 'failed'] as const

export interface NewUpload extends Pick<
  NewRow<'transfer.uploads'>,
  'filename' | 'format' | 'project_owner_id' | 'project_id' | 'new_key' | 'new_name' | 'total'
> {
  readonly id: string
  readonly bytes: Buffer
}

/** Stores a file of the caller for an import. @returns false, without effect, if the maximum number of uploads is reached */
export async function insertUpload(ctx: WriteContext, { bytes, ...upload }: NewUpload, most: number): Promise<boolean> {
  const { userId } = ctx.actor
  await lockUntilCommit(ctx.db, 'transfer.uploads', userId)
  const { open } = await ctx.db
    .selectFrom('transfer.uploads')
    .select(({ fn }) => fn.countAll<string>().as('open'))
    .where('owner_id', '=', userId)
    .where('state', 'in', OPEN)
    .executeTakeFirstOrThrow()
  if (Number(open) >= most) return false
  await ctx.db
    .deleteFrom('transfer.uploads')
    .where('owner_id', '=', userId)
    .where('state', 'not in', OPEN)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('transfer.uploads')
        .select('id')
        .where('owner_id', '=', userId)
        .orderBy('id', 'desc')
        .offset(MAX_UPLOADS),
    )
    .execute()
  await ctx.db
    .insertInto('transfer.uploads')
    .values({
      ...upload,
      owner_id: userId,
      size: bytes.length,
      columns: json({}),
      states: json({}),
      state: 'draft',
      created_at: ctx.now,
      updated_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + FILE_MS),
    })
    .execute()
  for (let n = 0; n * CHUNK < bytes.length; n++) {
    const text = bytes.toString('base64', n * CHUNK, (n + 1) * CHUNK)
    await ctx.db
      .insertInto('transfer.chunks')
      .values({ owner_id: userId, upload_id: upload.id, n, bytes: text })
      .execute()
  }
  return true
}

/** Reads the uploads of the caller, newest first. */
export function readUploads(ctx: ReadContext): Promise<UploadRow[]> {
  return ctx.db
    .selectFrom('transfer.uploads')
    .selectAll()
    .where('owner_id', '=', ctx.actor.userId)
    .orderBy('id', 'desc')
    .limit(MAX_UPLOADS)
    .execute()
}

/** Finds an upload of the caller. @param lock locks it until the transaction ends */
export function findUpload(
  ctx: ReadContext,
  id: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<UploadRow | undefined> {
  return ctx.db
    .selectFrom('transfer.uploads')
    .selectAll()
    .where(({ and }) => and({ owner_id: ctx.actor.userId, id }))
    .$if(lock, query => query.forUpdate())
    .executeTakeFirst()
}

/** Reads the bytes of an upload; null if they were deleted. */
export async function readBytes(
  ctx: ReadContext,
  { id, size }: Pick<UploadRow, 'id' | 'size'>,
): Promise<Buffer | null> {
  const whole = Buffer.allocUnsafe(size)
  let at = 0
  // A statement for each: the whole in one would hold the event loop while it is taken over from the thread of the database.
  for (let n = 0; at < size; n++) {
    const chunk = await ctx.db
      .selectFrom('transfer.chunks')
      .select('bytes')
      .where(({ and }) => and({ owner_id: ctx.actor.userId, upload_id: id, n }))
      .executeTakeFirst()
    if (!chunk) return null
    at += whole.write(chunk.bytes, at, 'base64')
  }
  return whole
}

/** Updates an upload of the caller and extends its lifetime. */
export async function updateUpload(ctx: WriteContext, { id }: UploadId, changes: UploadChanges): Promise<void> {
  const extended = { expires_at: new Date(ctx.now.getTime() + FILE_MS), ...changes, updated_at: ctx.now }
  await updateWhere(ctx.db, 'transfer.uploads', { owner_id: ctx.actor.userId, id }, extended)
}

/** Ends an import of the caller: keeps its result for some days, and deletes its file. */
export async function endUpload(ctx: WriteContext, { id }: UploadId, changes: UploadChanges): Promise<void> {
  await updateUpload(ctx, { id }, { ...changes, expires_at: new Date(ctx.now.getTime() + RESULT_MS) })
  await deleteWhere(ctx.db, 'transfer.chunks', { owner_id: ctx.actor.userId, upload_id: id })
}

export async function deleteUpload(ctx: WriteContext, { id }: UploadId): Promise<void> {
  await deleteWhere(ctx.db, 'transfer.uploads', { owner_id: ctx.actor.userId, id })
}

/** Finds stalled imports of all users. @param since milliseconds without progress */
export function findStalled(ctx: ReadContext, since: number) {
  return ctx.db
    .selectFrom('transfer.uploads')
    .select(['owner_id', 'id', 'position', 'updated_at'])
    .where('state', '=', 'running')
    .where('updated_at', '<', new Date(ctx.now.getTime() - since).toISOString())
    .orderBy('updated_at')
    .limit(100)
    .execute()
}

/** Fails stalled imports of all users. @param since milliseconds without progress */
export async function failStalled(ctx: WriteContext, since: number, fault: ImportFault): Promise<void> {
  await ctx.db
    .updateTable('transfer.uploads')
    .set({ state: 'failed', fault: json(fault) })
    .where('state', '=', 'running')
    .where('updated_at', '<', new Date(ctx.now.getTime() - since).toISOString())
    .execute()
}

/** Deletes expired uploads of all users. */
export async function deleteExpired(ctx: WriteContext): Promise<void> {
  await ctx.db.deleteFrom('transfer.uploads').where('expires_at', '<', ctx.now.toISOString()).execute()
}
