import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../auth/principal.ts'
import type { Registry, View } from '../registry/types.ts'
import { cancellation, type InFlight } from './cancellation.ts'
import { type Dispatch } from './dispatch.ts'
import { credentialOf, type Exchange, type Service } from './exchange.ts'
import { clip, httpError, INVALID_PARAMS, RpcError, type RequestId } from './message.ts'
import { responseStream, type ResponseStream } from './stream.ts'

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
  const { accept = '*/*' } = http.headers
  const takesJson = /application\/(?:json|\*)|\*\/\*/i.test(accept)
  const takesEvents = /text\/(?:event-stream|\*)|\*\/\*/i.test(accept)
  if (!takesJson && !takesEvents) throw httpError(406, 'Accept must allow application/json or text/event-stream')
  const view = viewOf(service.options.registry, http, principal)
  return { http, reply, principal, view, stream: responseStream(reply, takesEvents), takesJson }
}

type Query = Readonly<Record<string, string | string[] | undefined>>

/** The tools that the address asks for: `?profile=`, `?tools=a,b`, `?exclude=a,b`. */
function viewOf(registry: Registry, { query }: FastifyRequest, { actor }: Principal): View {
  const { profile, tools, exclude } = query as Query
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

/** What an exchange of any era takes from its POST. */
export function shared({ http }: Incoming): Pick<Exchange, 'cancellation' | 'requestId' | 'idempotencyKey' | 'log'> {
  const key = http.headers['idempotency-key']
  return {
    cancellation: cancellation(),
    requestId: http.id,
    idempotencyKey: typeof key === 'string' ? key : undefined,
    log: http.log,
  }
}

/** Ids are unique per client only, and several clients may share a credential; what they call themselves tells them apart. */
export function flightKey({ http, principal }: Incoming, id: RequestId): string {
  const { 'mcp-session-id': session = '', 'user-agent': agent = '' } = http.headers
  return `${credentialOf(principal)} ${String(session)} ${agent} ${typeof id} ${id}`
}

export function setHeaders(reply: FastifyReply, headers: Readonly<Record<string, string>> | null): void {
  if (headers) reply.headers(headers)
}

export const JSON_TYPE = 'application/json; charset=utf-8'
