import { defineJob, Type, userDeleted, type WriteContext } from 'tasuki/plugin'
import { deleteExpired, deleteOrphans, findUnknown } from './attachment.repository.ts'
import { attachmentParents } from './points.ts'
import { clearIncoming } from './receive.ts'
import { storageOf } from './storage/choose.ts'
import { lockQuota } from './upload.repository.ts'

/** Files that are compared with the database at a time. */
const PAGE = 500
const KEY = /^([0-9a-f-]{36})\/([0-9a-f-]{36})$/

/** Deletes uploads that never came, and attachments whose parent is gone where no foreign key deletes them. */
export const expire = defineJob({
  name: 'attachments.expire',
  schedule: '*/15 * * * *',
  payload: Type.Object({}),
  async run(ctx) {
    await deleteExpired(ctx)
    for (const { kind, exists } of ctx.all(attachmentParents)) {
      if (exists) await deleteOrphans(ctx, kind, exists)
    }
    await clearIncoming(ctx.deployment, ctx.now)
  },
})

/**
 * Removes files without an attachment: those of deleted items, and what a crash left between storage and database.
 * Only files of users of this database: another deployment may share the storage.
 */
export const sweep = defineJob({
  name: 'attachments.sweep',
  schedule: '17 * * * *',
  payload: Type.Object({ after: Type.Optional(Type.String({ description: 'Last key that was compared.' })) }),
  async run(ctx, { after }) {
    const storage = storageOf(ctx)
    const page = await storage.list(after ?? null, PAGE)
    const unknown = await findUnknownKeys(ctx, page)
    // The row of an upload in progress is not visible yet; uploads hold this lock until they commit.
    for (const ownerId of new Set(unknown.map(file => file.owner_id))) await lockQuota(ctx, ownerId)
    const garbage =
      unknown.length === 0
        ? []
        : await findUnknownKeys(
            ctx,
            unknown.map(({ key }) => key),
          )
    ctx.afterCommit(() => storage.delete(garbage.map(({ key }) => key)))
    const last = page.at(-1)
    if (page.length === PAGE && last !== undefined) await ctx.enqueue(sweep, { after: last })
  },
})

/** Removes the files of a user who was deleted: the sweep does not know them any more. */
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

/** Once the deletion is committed; uploads of the user that are under way are waited for. */
export const filesOfDeleted = userDeleted(async (ctx, { id }) => {
  await lockQuota(ctx, id)
  await ctx.enqueue(removeFiles, { owner_id: id })
})

async function findUnknownKeys(ctx: WriteContext, keys: readonly string[]) {
  const files = keys.flatMap(key => {
    const match = KEY.exec(key)
    return match ? [{ key, owner_id: match[1]!, id: match[2]! }] : []
  })
  return files.length === 0 ? [] : findUnknown(ctx, files)
}
