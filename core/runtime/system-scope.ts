import { randomUUID } from 'node:crypto'
import type { SystemPrincipals } from './principal.ts'
import type { CallScope } from './runner.ts'
import type { Log } from '../plugin/context.ts'
import { silentClient } from './silent-client.ts'

/** Creates the scope of work without a credential, such as jobs and the boot. */
export function systemScope(
  principals: SystemPrincipals,
  name: string,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): CallScope {
  return {
    principal: principals.systemPrincipal(),
    name,
    requestId: randomUUID(),
    ifUpdatedAt: null,
    clientName: null,
    cancellation: { signal },
    log,
    client: silentClient,
  }
}
