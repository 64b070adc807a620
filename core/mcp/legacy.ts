import type { LogLevel } from '../plugin/context.ts'
import { Cancellation } from './cancellation.ts'
import { credentialOf, type Exchange } from './exchange.ts'
import { negotiated } from './handshake.ts'
import { flightKey } from './cancellation.ts'
import { keyHeader, type Desk, type Incoming } from './incoming.ts'
import { clip } from '../plugin/clip.ts'
import { httpError, type Message, type RpcNotification, type RpcRequest, type RpcResponse } from './message.ts'
import { missingMetadata, unsupportedVersion } from './metadata.ts'
import type { Revision } from './revisions.ts'
import type { Session } from './sessions.ts'
import type { ResponseStream } from './stream.ts'

const NO_CAPABILITIES: Exchange['capabilities'] = Object.freeze({})
const DEFAULT_LOG_LEVEL: LogLevel = 'info'

/** What a message of the 2025 revisions stands in. */
export interface Standing {
  readonly revision: Revision
  readonly session: Session | null
}

/** Finds session and revision of a message; null stands for a batch. @throws RpcError */
export function standing(desk: Desk, post: Incoming, message: Message | null): Standing {
  const { service } = desk
  if (message?.kind === 'request' && message.method === 'initialize') {
    return { revision: negotiated(service, message.params['protocolVersion']), session: null }
  }
  const session = sessionOf(desk, post)
  const header = post.http.headers['mcp-protocol-version']
  if (typeof header !== 'string') {
    return { revision: session?.revision ?? service.revisions.withoutHeader(), session }
  }
  const revision = service.revisions.find(header.trim())
  if (!revision) throw unsupportedVersion(header, service.revisions)
  if (revision.era === 'modern' && message !== null) throw missingMetadata()
  return { revision, session }
}

/** The session that the request names. @throws RpcError 404, on which clients start over */
function sessionOf({ service }: Desk, { http, principal }: Incoming): Session | null {
  const id = http.headers['mcp-session-id']
  if (typeof id !== 'string') return null
  const session = service.sessions.find(id, credentialOf(principal))
  if (!session) throw httpError(404, 'Session not found')
  return session
}

/** @param stream null in a batch, whose answers come together. */
export function legacyExchange(
  { service }: Desk,
  post: Incoming,
  request: RpcRequest,
  { revision, session }: Standing,
  stream: ResponseStream | null,
): Exchange {
  const { principal, view } = post
  const known = session ?? service.sessions.introduction(credentialOf(principal))
  return {
    cancellation: new Cancellation(),
    http: post.http,
    requestId: post.http.id,
    log: post.http.log,
    // One header cannot mark several requests.
    idempotencyKey: stream ? keyHeader(post) : undefined,
    request,
    revision,
    principal,
    view,
    session,
    capabilities: session?.capabilities ?? NO_CAPABILITIES,
    clientName: known?.clientName ?? null,
    logLevel: known?.logLevel ?? DEFAULT_LOG_LEVEL,
    stream,
  }
}

/** Takes in what needs no answer: cancellations, and answers to questions of the server. */
export function received(
  { running }: Desk,
  post: Incoming,
  message: RpcNotification | RpcResponse,
  { session }: Standing,
) {
  if (message.kind === 'response') return session?.settle(message)
  const { requestId, reason } = message.params
  if (message.method !== 'notifications/cancelled') return
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return
  const why = typeof reason === 'string' ? `: ${clip(reason, 200)}` : ''
  running.cancel(flightKey(post, requestId), `The client cancelled the request${why}`)
}
