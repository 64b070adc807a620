import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Authorization } from '../../plugin/sign-in.ts'

/** The authorization server after loading. */
export interface LoadedServer {
  readonly provider: Provider
  readonly callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly consent: Pick<Authorization, 'pending' | 'answer'>
}
