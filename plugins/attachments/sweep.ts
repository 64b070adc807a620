import { defineJob, Type, userDeleted, type WriteContext } from 'tasuki/plugin'
import { deleteExpired, deleteOrphans, findFilesWithoutRow } from './attachment.repository.ts'
import { attachmentParents } from './points.ts'
import { deleteStaleUploads } from './receive.ts'
import { readStorageKey, storageOf } from './storage/choose.ts'
import { lockQuota } from './upload.repository.ts'

/** Files compared with the database per batch. */
const PAGE = 500

/** Deletes expired uploads, and attachments of deleted parents that no foreign key deletes. */
export const expire = defineJob({
  name: 'attachments.expire',
  schedule: '*/15 * * * *',
  async run(ctx) {
    await deleteExpired(ctx)
    for (const { kind, exists } of ctx.all(attachmentParents)) {
      if (exists) await deleteOrphans(ctx, kind, exists)
    }
    await deleteStaleUploads(ctx.deployment, ctx.now)
  },
})

/**
 * Removes files without an attachment: those of deleted items, and those left by a crash between storage and database. Only files of users
 * in this database, since another deployment may share the storage.
 */
export const sweep = defineJob({
  name: 'attachments.sweep',
  schedule: '17 * * * *',
  payload: Type.Object({ after: Type.Optional(Type.String({ description: 'Last key that was compared.' })) }),
  async run(ctx, { after }) {
    const storage = storageOf(ctx)
    const page = await storage.list(after ?? null, PAGE)
    const unknown = await findUnknownKeys(ctx, page)
    // The row of an upload in progress is not yet visible; uploads hold this lock until they commit.
    for (const ownerId of new Set(unknown.map(file => file.owner_id))) await lockQuota(ctx, ownerId)
    const garbage = await findUnknownKeys(
      ctx,
      unknown.map(({ key }) => key),
    )
    ctx.afterCommit(() => storage.delete(garbage.map(({ key }) => key)))
    const last = page.at(-1)
    if (page.length === PAGE && last !== undefined) await ctx.enqueue(sweep, { after: last })
  },
})

/** Removes the files of a deleted user, which the sweep no longer recognizes. */
export const removeFiles = defineJob({
  name: 'attachments.remove_files',
  payload: Type.Object({ owner_id: Type.String() }),
  async run(ctx, { owner_id: ownerId }) {
    const storage = storageOf(ctx)
    for (;;) {
      const page = await storage.list(`${ownerId}/`, PAGE)
      const keys = page.filter(key => key.startsWith(`${ownerId}/`))
      if (keys.length > 0) await storage.delete(keys)
      if (keys.length < PAGE) return
    }
  },
})

/** Runs after the deletion is committed; waits for the user's running uploads. */
export const filesOfDeleted = userDeleted(async (ctx, { id }) => {
  await lockQuota(ctx, id)
  await ctx.enqueue(removeFiles, { owner_id: id })
})

async function findUnknownKeys(ctx: WriteContext, keys: readonly string[]) {
  const files = keys.flatMap(key => {
    const file = readStorageKey(key)
    return file ? [{ key, owner_id: file.ownerId, id: file.id }] : []
  })
  return files.length === 0 ? [] : findFilesWithoutRow(ctx, files)
}
