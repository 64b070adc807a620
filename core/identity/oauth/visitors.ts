import type { FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'

/** The request, and who is at the browser that it comes from, for the provider, which knows bare requests alone. */
export interface Visitor {
  readonly request: FastifyRequest
  /** Who is signed in; undefined = nobody. */
  readonly userId: string | undefined
}
/** Whose code or token a request presents, also where it is refused for it. */
export interface Presented {
  readonly userId: string
  readonly connectionId: string | null
}
export type Presentations = WeakMap<IncomingMessage, Presented>
export type Visitors = WeakMap<IncomingMessage, Visitor>
