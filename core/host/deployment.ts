import { resolve } from 'node:path'
import { createSealer } from '../identity/sealer.ts'
import { derivedKey } from '../identity/signing-key.ts'
import type { Deployment } from '../plugin/context.ts'
import type { HostOptions } from './host-options.ts'

/** Creates the deployment information for plugins: folder, URL, and keys derived from the secret. */
export function createDeployment(
  options: Pick<HostOptions, 'dataDir' | 'baseUrl' | 'secret' | 'fetchPublic'>,
): Deployment {
  // Plugins have a handful of purposes, and every cursor needs one.
  const keys = new Map<string, Buffer>()
  const key: Deployment['key'] = purpose => {
    let derived = keys.get(purpose)
    if (!derived) keys.set(purpose, (derived = derivedKey(options.secret, `plugin ${purpose}`)))
    return derived
  }
  return {
    dataDir: resolve(options.dataDir),
    baseUrl: options.baseUrl,
    key,
    sealer: purpose => createSealer(key(purpose)),
    fetchPublic:
      options.fetchPublic ?? (async (...given) => (await import('../http/safe-fetch.ts')).safeFetch(...given)),
  }
}
