import { join } from 'node:path'
import type { OwnedKey, ReadContext } from 'tasuki/plugin'
import { settings } from '../settings.ts'
import { localStorage } from './local.ts'
import { s3Storage } from './s3.ts'
import type { Storage } from './storage.ts'

type Deployment = Pick<ReadContext['deployment'], 'dataDir'>
const storages = new WeakMap<Deployment, Storage>()

/** Selects the storage of the deployment: local disk, unless config names a bucket. */
export function storageOf({
  deployment,
  config,
}: Pick<ReadContext, 'config'> & { readonly deployment: Deployment }): Storage {
  let storage = storages.get(deployment)
  if (!storage) {
    const { s3 } = config(settings)
    storage = s3 ? s3Storage(s3) : localStorage(join(folderOf(deployment), 'files'))
    storages.set(deployment, storage)
  }
  return storage
}

/** Returns the plugin's folder on this machine. */
export function folderOf({ dataDir }: Pick<Deployment, 'dataDir'>): string {
  return join(dataDir, 'attachments')
}

export function storageKey({ ownerId, id }: OwnedKey): string {
  return `${ownerId}/${id}`
}
