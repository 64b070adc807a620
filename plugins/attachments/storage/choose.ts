import { join } from 'node:path'
import { oncePer, type OwnedKey, type ReadContext } from 'tasuki/plugin'
import { settings } from '../settings.ts'
import { localStorage } from './local.ts'
import { s3Storage } from './s3.ts'
import type { Storage } from './storage.ts'

type Deployment = Pick<ReadContext['deployment'], 'dataDir'>
type StorageContext = Pick<ReadContext, 'config'> & { readonly deployment: Deployment }

/** Selects the storage of the deployment: local disk, unless config names a bucket. */
export const storageOf = (ctx: StorageContext): Storage => storages(ctx.deployment, ctx)

const storages = oncePer((deployment: Deployment, { config }: StorageContext) => {
  const { s3 } = config(settings)
  return s3 ? s3Storage(s3) : localStorage(join(folderOf(deployment), 'files'))
})

/** Returns the plugin's folder on this machine. */
export function folderOf({ dataDir }: Pick<Deployment, 'dataDir'>): string {
  return join(dataDir, 'attachments')
}

export function storageKey({ ownerId, id }: OwnedKey): string {
  return `${ownerId}/${id}`
}

/** Reads a key of a file; null for anything else, which could lead outside the folder. */
export function readStorageKey(key: string): OwnedKey | null {
  const [, ownerId, id] = /^([0-9a-f-]{36})\/([0-9a-f-]{36})$/.exec(key) ?? []
  return ownerId === undefined || id === undefined ? null : { ownerId, id }
}
