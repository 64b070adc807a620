import type { IncomingHttpHeaders } from 'node:http'

/** A request to an address that a stranger chose; see `Deployment.fetchPublic`. */
export interface PublicRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Maximum size of the response body. */
  readonly mostBytes: number
  /** Timeout of the whole request in milliseconds. */
  readonly timeoutMs: number
}

export interface PublicResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}
