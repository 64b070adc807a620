import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../runtime/principal.ts'
import type { View } from '../runtime/registry/types.ts'
import { selectView } from './connection-view.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { httpError, INVALID_REQUEST, PARSE_ERROR, readMessage, RpcError, type Message } from './message.ts'
import { ResponseStream } from './stream.ts'

/** A POST from an authenticated client. */
export interface PostRequest {
  readonly http: FastifyRequest
  readonly reply: FastifyReply
  readonly principal: Principal
  readonly view: View
  readonly stream: ResponseStream
  readonly takesJson: boolean
}

/** Reads the headers and query of a POST: accepted response types and selected tools. @throws RpcError */
export function readPostRequest({ options }: EndpointContext, http: FastifyRequest, reply: FastifyReply): PostRequest {
  const principal = http.mcpPrincipal!
  const accepted = (http.headers.accept ?? '*/*').split(',').filter(isAccepted).join(',')
  const takesJson = /application\/(?:json|\*)|\*\/\*/i.test(accepted)
  const takesEvents = /text\/(?:event-stream|\*)|\*\/\*/i.test(accepted)
  if (!takesJson && !takesEvents) throw httpError(406, 'Accept must allow application/json or text/event-stream')
  const view = selectView(options, http, principal.actor.scope)
  return { http, reply, principal, view, stream: new ResponseStream(reply, takesEvents), takesJson }
}

/** Weight 0 refuses a media type (RFC 9110, section 12.4.2). */
const isAccepted = (range: string): boolean => !/;\s*q=0(?:\.0*)?\s*(?:;|$)/i.test(range)

/** Parses a body as one JSON-RPC message. @throws RpcError 400 */
export function readMessageBody(body: unknown): Message {
  if (body === undefined) throw new RpcError(PARSE_ERROR, 'Parse error: The body is empty', { status: 400 })
  const message = readMessage(body)
  if (!message) throw new RpcError(INVALID_REQUEST, 'Invalid Request', { status: 400 })
  return message
}

/** Returns the `Idempotency-Key` header. */
export function keyHeader({ http }: PostRequest): string | undefined {
  const key = http.headers['idempotency-key']
  return typeof key === 'string' ? key : undefined
}
