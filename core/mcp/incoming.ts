import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../runtime/principal.ts'
import type { View } from '../runtime/registry/types.ts'
import type { InFlight } from './cancellation.ts'
import { connectionView } from './connection-view.ts'
import type { Dispatch } from './dispatch.ts'
import type { Service } from './exchange.ts'
import { httpError } from './message.ts'
import { ResponseStream } from './stream.ts'

/** What answers POSTs. */
export interface Desk {
  readonly service: Service
  readonly dispatch: Dispatch
  readonly running: InFlight
}

/** One POST from an authenticated client. */
export interface Incoming {
  readonly http: FastifyRequest
  readonly reply: FastifyReply
  readonly principal: Principal
  readonly view: View
  readonly stream: ResponseStream
  readonly takesJson: boolean
}

export function incoming({ service }: Desk, http: FastifyRequest, reply: FastifyReply): Incoming {
  const principal = http.mcpPrincipal!
  const { accept } = http.headers
  // What the protocol demands of clients, and nearly all of them send.
  const both = accept === undefined || accept === 'application/json, text/event-stream'
  const takesJson = both || /application\/(?:json|\*)|\*\/\*/i.test(accept)
  const takesEvents = both || /text\/(?:event-stream|\*)|\*\/\*/i.test(accept)
  if (!takesJson && !takesEvents) throw httpError(406, 'Accept must allow application/json or text/event-stream')
  const view = connectionView(service.options, http, principal.actor.scope)
  return { http, reply, principal, view, stream: new ResponseStream(reply, takesEvents), takesJson }
}

/** The `Idempotency-Key` header. */
export function keyHeader({ http }: Incoming): string | undefined {
  const key = http.headers['idempotency-key']
  return typeof key === 'string' ? key : undefined
}

export function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>> | null): void {
  if (headers) reply.headers(headers)
}

export const JSON_TYPE = 'application/json; charset=utf-8'
