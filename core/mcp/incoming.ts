import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../auth/principal.ts'
import type { Registry, View } from '../registry/types.ts'
import type { InFlight } from './cancellation.ts'
import type { Dispatch } from './dispatch.ts'
import type { Service } from './exchange.ts'
import { clip, httpError, INVALID_PARAMS, RpcError } from './message.ts'
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
  const view = viewOf(service.options.registry, http.query as Query, principal)
  return { http, reply, principal, view, stream: new ResponseStream(reply, takesEvents), takesJson }
}

type Query = Readonly<Record<string, string | string[] | undefined>>

/** The tools that the address asks for: `?profile=`, `?tools=a,b`, `?exclude=a,b`. */
function viewOf(registry: Registry, { profile, tools, exclude }: Query, { actor }: Principal): View {
  const view = registry.view({
    // Given twice, it is a name that no profile has.
    profile: profile === undefined || profile === '' ? undefined : String(profile),
    scope: actor.scope,
    only: names(tools),
    exclude: names(exclude),
  })
  if (view) return view
  const allowed = registry.profiles
  const message = `Unknown profile: ${clip(String(profile))}; known are ${allowed.join(', ')}`
  throw new RpcError(INVALID_PARAMS, message, {
    status: 400,
    data: { code: 'invalid_argument', field: 'profile', allowed },
  })
}

function names(value: string | string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined
  const list = Array.isArray(value) ? value.join(',') : value
  return list
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
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
