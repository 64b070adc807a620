import { defineJob, sql, Type, type WriteContext } from 'tasuki/plugin'
import { attachmentParents } from './points.ts'
import { lockQuota } from './quota.ts'
import { clearIncoming } from './receive.ts'
import { storageOf } from './storage/choose.ts'

/** Files of the storage that are compared with the database at a time. */
const PAGE = 500
const KEY = /^([0-9a-f-]{36})\/([0-9a-f-]{36})$/

/** Forgets uploads that never came, and attachments of things that are gone and that no foreign key knows. */
export const expire = defineJob({
  name: 'attachments.expire',
  schedule: '*/15 * * * *',
  payload: Type.Object({}),
  async run(ctx) {
    await sql`delete from attachments.attachments where expires_at <= ${ctx.now}`.execute(ctx.db)
    for (const { kind, exists } of ctx.all(attachmentParents)) {
      if (!exists) continue
      await sql`delete from attachments.attachments a where a.parent_kind = ${kind} and not ${exists}`.execute(ctx.db)
    }
    await clearIncoming(ctx.deployment, ctx.now)
  },
})

/**
 * Removes the files that are no attachment (any more): those of deleted items, whose rows went with the item, and what a crash left
 * between storage and database. Only files of users whom this database has: others are those of another deployment.
 */
export const sweep = defineJob({
  name: 'attachments.sweep',
  schedule: '17 * * * *',
  payload: Type.Object({ after: Type.Optional(Type.String({ description: 'Last key that was compared.' })) }),
  async run(ctx, { after }) {
    const storage = storageOf(ctx)
    const page = await storage.list(after ?? null, PAGE)
    const unknown = await unknownFiles(ctx, page)
    // A file may be there before the row of an upload under way is seen; uploads hold this lock until they are committed.
    for (const ownerId of new Set(unknown.map(file => file.owner_id))) await lockQuota(ctx, ownerId)
    const garbage =
      unknown.length === 0
        ? []
        : await unknownFiles(
            ctx,
            unknown.map(({ key }) => key),
          )
    ctx.afterCommit(() => storage.delete(garbage.map(({ key }) => key)))
    const last = page.at(-1)
    if (page.length === PAGE && last !== undefined) await ctx.enqueue(sweep, { after: last })
  },
})

interface UnknownFile {
  readonly key: string
  readonly owner_id: string
}

/** Files without a row, of users who are known, in the order of their owners. */
async function unknownFiles(ctx: WriteContext, keys: readonly string[]): Promise<readonly UnknownFile[]> {
  const files = keys.flatMap(key => {
    const match = KEY.exec(key)
    return match ? [{ key, owner_id: match[1], id: match[2] }] : []
  })
  if (files.length === 0) return []
  const { rows } = await sql<UnknownFile>`
    select f.key, f.owner_id from jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as f(key text, owner_id uuid, id uuid)
    where exists (select from core.users u where u.id = f.owner_id)
      and not exists (select from attachments.attachments a where a.owner_id = f.owner_id and a.id = f.id)
    order by f.owner_id, f.key
  `.execute(ctx.db)
  return rows
}
