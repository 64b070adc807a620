import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'

/** The request, and who is at the browser that it comes from, for the provider, which knows bare requests alone. */
export interface Visitor {
  readonly request: FastifyRequest
  /** Who is signed in; undefined = nobody. */
  readonly userId: string | undefined
}
export type Visitors = WeakMap<IncomingMessage, Visitor>
