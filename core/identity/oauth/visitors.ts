import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'

/** Request and signed-in user for the provider, which sees only the raw request. */
export interface Visitor {
  readonly request: FastifyRequest
  /** The signed-in user; undefined = none. */
  readonly userId: string | undefined
}
/** Owner of the code or token that a request presents, even if the request is refused. */
export interface Presented {
  readonly userId: string
  readonly connectionId: string | null
}
export type Presentations = WeakMap<IncomingMessage, Presented>
export type Visitors = WeakMap<IncomingMessage, Visitor>
