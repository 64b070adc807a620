import type { LogLevel } from '../plugin/context.ts'
import { Cancellation } from './cancellation.ts'
import { credentialOf, type RequestContext } from './request-context.ts'
import { negotiateRevision } from './handshake.ts'
import { inFlightKey } from './in-flight.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { keyHeader, type PostRequest } from './post-request.ts'
import { clip } from '../plugin/clip.ts'
import { httpError, type Message, type RpcNotification, type RpcRequest, type RpcResponse } from './message.ts'
import { checkParamHeaders, missingMetadata, readMetadata, unsupportedVersion } from './metadata.ts'
import { setHeaders } from './reply.ts'
import { lifecycleHeaders, type Revision } from './revisions.ts'
import type { Session } from './sessions.ts'
import type { ResponseStream } from './stream.ts'

const NO_CAPABILITIES: RequestContext['capabilities'] = Object.freeze({})
const DEFAULT_LOG_LEVEL: LogLevel = 'info'

/** The revision and session of a message of the 2025 era. */
export interface ProtocolSession {
  readonly revision: Revision
  readonly session: Session | null
}

/** Finds revision and session of a message; null = a batch. @throws RpcError */
export function findProtocolSession(
  endpoint: EndpointContext,
  post: PostRequest,
  message: Message | null,
): ProtocolSession {
  if (message?.kind === 'request' && message.method === 'initialize')
    return { revision: negotiateRevision(endpoint, message.params['protocolVersion']), session: null }
  const session = findSession(endpoint, post)
  const header = post.http.headers['mcp-protocol-version']
  if (typeof header !== 'string') return { revision: session?.revision ?? endpoint.revisions.withoutHeader(), session }
  const revision = endpoint.revisions.find(header.trim())
  if (!revision) throw unsupportedVersion(header, endpoint.revisions)
  if (revision.era === 'modern' && message !== null) throw missingMetadata()
  return { revision, session }
}

/** Finds the session that the request names. @throws RpcError 404, on which clients start a new session */
function findSession(endpoint: EndpointContext, { http, principal }: PostRequest): Session | null {
  const id = http.headers['mcp-session-id']
  if (typeof id !== 'string') return null
  const session = endpoint.sessions.find(id, credentialOf(principal))
  if (!session) throw httpError(404, 'Session not found')
  return session
}

/** @param stream null in a batch, whose answers are sent together */
export function sessionContext(
  endpoint: EndpointContext,
  post: PostRequest,
  request: RpcRequest,
  { revision, session }: ProtocolSession,
  stream: ResponseStream | null,
): RequestContext {
  const client = session ?? endpoint.sessions.findClient(credentialOf(post.principal))
  return {
    ...startContext(post, request),
    // One header cannot apply to several requests of a batch.
    idempotencyKey: stream ? keyHeader(post) : undefined,
    revision,
    session,
    capabilities: session?.capabilities ?? NO_CAPABILITIES,
    clientName: client?.clientName ?? null,
    clientVersion: client?.clientVersion ?? null,
    logLevel: client?.logLevel ?? DEFAULT_LOG_LEVEL,
    stream,
  }
}

/** Builds the context of a 2026-07-28 request, which contains all client information. @throws RpcError if headers and body do not match */
export function statelessContext(endpoint: EndpointContext, post: PostRequest, request: RpcRequest): RequestContext {
  const { http, view, stream } = post
  const { method, params } = request
  const metadata = readMetadata(request, http.headers, endpoint.revisions)
  setHeaders(post.reply, lifecycleHeaders(metadata.revision))
  const { name } = params
  const tool = method === 'tools/call' && typeof name === 'string' ? view.tools.get(name) : undefined
  if (tool && tool.paramHeaders.size > 0) checkParamHeaders(tool, params, http.headers)
  return { ...startContext(post, request), ...metadata, idempotencyKey: keyHeader(post), session: null, stream }
}

/** Returns the parts of a context that do not depend on the revision. */
function startContext({ http, principal, view }: PostRequest, request: RpcRequest) {
  return { cancellation: new Cancellation(), http, requestId: http.id, log: http.log, request, principal, view }
}

/** Handles messages without an answer: cancellations, and responses to requests of the server. */
export function receiveMessage(
  { inFlight }: EndpointContext,
  post: PostRequest,
  message: RpcNotification | RpcResponse,
  { session }: ProtocolSession,
) {
  if (message.kind === 'response') return session?.settle(message)
  const { requestId, reason } = message.params
  if (message.method !== 'notifications/cancelled') return
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return
  const why = typeof reason === 'string' ? `: ${clip(reason, 200)}` : ''
  inFlight.cancel(inFlightKey(post, requestId), `The client cancelled the request${why}`)
}
