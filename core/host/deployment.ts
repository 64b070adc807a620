import { resolve } from 'node:path'
import { createSealer } from '../identity/sealer.ts'
import { derivedKey } from '../identity/signing-key.ts'
import type { Deployment } from '../plugin/context.ts'

/** What plugins may know of the deployment: folder, address, and keys that are derived from its secret. */
export function createDeployment(options: {
  readonly dataDir: string
  readonly baseUrl: () => string
  readonly secret: Buffer
}): Deployment {
  const key: Deployment['key'] = purpose => derivedKey(options.secret, `plugin ${purpose}`)
  return {
    dataDir: resolve(options.dataDir),
    baseUrl: options.baseUrl,
    key,
    sealer: purpose => createSealer(key(purpose)),
  }
}
