import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { HostError, type ExternalDataContext, type ExternalData } from 'tasuki/plugin'
import { countStored, readUserIds } from './attachment.repository.ts'
import { incomingFolder } from './receive.ts'
import { settings } from './settings.ts'
import { folderOf, storageOf } from './storage/choose.ts'
import type { Storage } from './storage/storage.ts'

/** Keys that are listed or deleted in one request: the maximum of S3. */
const PAGE = 1000

/** The files, for a purge: those of users whom this database has, since a bucket may be shared. */
export async function storedFiles(ctx: ExternalDataContext): Promise<ExternalData | null> {
  const { s3 } = ctx.config(settings)
  const where = s3 ? `bucket ${s3.bucket}${s3.prefix && ` under ${s3.prefix}`}` : folderOf(ctx.deployment)
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
    text: `${keys.length} ${keys.length === 1 ? 'file' : 'files'} in ${where}`,
    async remove() {
      for (let n = 0; n < keys.length; n += PAGE) await storage.delete(keys.slice(n, n + PAGE))
      if (!s3) await removeFolders(ctx.deployment)
    },
  }
}

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

/** Removes the folders that are empty now; files of others stay. */
async function removeFolders(deployment: ExternalDataContext['deployment']): Promise<void> {
  await rm(incomingFolder(deployment), { recursive: true, force: true })
  const files = join(folderOf(deployment), 'files')
  const owners = await readdir(files).catch(() => [])
  for (const folder of [...owners.map(owner => join(files, owner)), files, folderOf(deployment)])
    await rmdir(folder).catch(() => undefined)
}
