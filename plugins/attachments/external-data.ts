import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { formatCount, HostError, type ArchivedFiles, type ExternalDataContext, type ExternalData } from 'tasuki/plugin'
import { countStored, readStoredPage, readUserIds } from './attachment.repository.ts'
import { incomingFolder, receiveFile, tooLarge } from './receive.ts'
import { settings } from './settings.ts'
import { folderOf, readStorageKey, storageKey, storageOf } from './storage/choose.ts'
import type { Storage } from './storage/storage.ts'

/** Keys per list or delete request: the maximum of S3. */
const PAGE = 1000

/** Returns the files for a purge: only those of users in this database, since a bucket may be shared. */
export async function describeFiles(ctx: ExternalDataContext): Promise<ExternalData | null> {
  const { s3 } = ctx.config(settings)
  const where = placeOf(ctx)
  const storage = storageOf(ctx)
  const keys = await listOwnKeys(ctx, storage).catch((error: Error) => {
    const { cause = error } = error as { cause?: unknown }
    throw new HostError(`the files in ${where} cannot be listed: ${(cause as Error).message}`, { cause: error })
  })
  if (keys.length === 0 && (await countStored(ctx)) > 0)
    throw new HostError(
      `attachments has files, but none are in ${where}; give the settings that it had, as in --settings '{"s3":{"bucket":"…"}}'`,
    )
  if (keys.length === 0) return null
  return {
    text: `${formatCount(keys.length, 'file')} in ${where}`,
    async remove() {
      for (let n = 0; n < keys.length; n += PAGE) await storage.delete(keys.slice(n, n + PAGE))
      if (!s3) await removeFolders(ctx.deployment)
    },
  }
}

function placeOf({ config, deployment }: Omit<ExternalDataContext, 'db'>): string {
  const { s3 } = config(settings)
  return s3 ? `bucket ${s3.bucket}${s3.prefix && ` under ${s3.prefix}`}` : folderOf(deployment)
}

/** Returns the files for backups: those with a row. */
export function archivedFiles(ctx: Omit<ExternalDataContext, 'db'>): ArchivedFiles {
  const storage = storageOf(ctx)
  return {
    place: placeOf(ctx),
    async *list(db, ownerId) {
      for (let after: { ownerId: string; id: string } | null = null; ;) {
        const page: Awaited<ReturnType<typeof readStoredPage>> = await readStoredPage(db, ownerId, after, PAGE)
        for (const { ownerId: owner, id, size } of page) yield { key: storageKey({ ownerId: owner, id }), size }
        if (page.length < PAGE) return
        after = page.at(-1)!
      }
    },
    async read(key, size) {
      if (size > SMALL) return storage.get(key)
      const bytes = await storage.bytes(key)
      return bytes && Readable.from([bytes])
    },
    async write(key, bytes, size) {
      if (!readStorageKey(key)) throw new HostError(`"${key}" is no file of attachments`)
      const held = size > SMALL ? null : await buffer(bytes)
      if (held && (await storage.create(key, held))) return true
      const isNew = held === null && !(await storage.has(key))
      await using file = await receiveFile(ctx.deployment, held ? [held] : bytes, Infinity, tooLarge(Infinity))
      await storage.put(key, file.path, file.size)
      return isNew
    },
    written: storage.settle,
    async remove(keys) {
      for (let n = 0; n < keys.length; n += PAGE) await storage.delete(keys.slice(n, n + PAGE))
    },
  }
}

/** Files up to this size in bytes are read and written in one piece. */
const SMALL = 1_000_000

async function listOwnKeys(ctx: ExternalDataContext, storage: Storage): Promise<string[]> {
  const users = await readUserIds(ctx)
  const keys: string[] = []
  for (let after: string | null = null; ;) {
    const page = await storage.list(after, PAGE)
    keys.push(...page.filter(key => users.has(key.split('/', 1)[0]!)))
    if (page.length < PAGE) return keys
    after = page.at(-1)!
  }
}

/** Removes the folders that are empty now; other files stay. */
async function removeFolders(deployment: ExternalDataContext['deployment']): Promise<void> {
  await rm(incomingFolder(deployment), { recursive: true, force: true })
  const files = join(folderOf(deployment), 'files')
  const owners = await readdir(files).catch(() => [])
  for (const folder of [...owners.map(owner => join(files, owner)), files, folderOf(deployment)])
    await rmdir(folder).catch(() => undefined)
}
