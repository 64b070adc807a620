import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../runtime/principal.ts'
import { bearerToken, unauthorized } from '../http/bearer.ts'
import { networkOf } from '../plugin/network.ts'
import { allowOrigins } from '../http/cors.ts'
import { FOREIGN_HOST, FOREIGN_ORIGIN, hostGuard, originMatcher } from '../http/host-validation.ts'
import { answerBatch } from './batch.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import type { EndpointContext } from './endpoint-context.ts'
import { httpError, type Message } from './message.ts'
import { isModern } from './metadata.ts'
import type { McpOptions } from './options.ts'
import { readMessageBody, readPostRequest, type PostRequest } from './post-request.ts'
import { findProtocolSession, receiveMessage, sessionContext, statelessContext } from './protocol-session.ts'
import { answerError, refuse, sendReply, setHeaders } from './reply.ts'
import { credentialOf } from './request-context.ts'
import { consumeRateLimit } from '../http/rate-limits.ts'
import { lifecycleHeaders } from './revisions.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Authenticated caller of the request; set on the MCP endpoint only. */
    mcpPrincipal: Principal | null
  }
}

const PATH = '/mcp'

/**
 * Registers the request pipeline:
 *
 *   host validation → authentication → body → revision → dispatch → tool call → result
 *
 * The first two stages run before the body is read. Dispatch finds the method of the message. For `tools/call` that is `tool-call.ts`,
 * which runs the tool's handler in a context from the runner.
 */
export async function pipeline(scope: FastifyInstance, endpoint: EndpointContext): Promise<void> {
  const { options } = endpoint
  const isAllowedOrigin = originMatcher(options.allowedOrigins)
  const validateHost = createHostValidation(options, isAllowedOrigin)
  const dispatch = createDispatch(endpoint)
  scope.setErrorHandler(answerError)
  // Fastify accepts plain text by default; here only JSON is accepted, and other types get 415.
  scope.removeContentTypeParser('text/plain')
  scope.decorateRequest('mcpPrincipal', null)
  // Callbacks instead of promises: most tokens are cached, and awaiting a promise per request would take longer than the look-up.
  scope.addHook('onRequest', (request, reply, done) => {
    validateHost(request)
    const principal = authenticate(endpoint, request)
    if (principal instanceof Promise) return principal.then(known => admit(endpoint, known, request, reply))
    if (!admit(endpoint, principal, request, reply)) done()
    return undefined
  })
  const config = allowOrigins(isAllowedOrigin, ['POST', 'DELETE'])
  scope.post(PATH, { config, bodyLimit: options.bodyLimit }, async (http, reply) => {
    try {
      const post = readPostRequest(endpoint, http, reply)
      return Array.isArray(http.body)
        ? await answerBatch(endpoint, dispatch, post, http.body)
        : await answer(endpoint, dispatch, post, readMessageBody(http.body))
    } catch (error) {
      return refuse(reply, http.body, error)
    }
  })
  // The hook above answers these requests; the route only makes the hook run.
  const method = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  scope.route({ method, url: PATH, config, handler: (_, reply) => reply.callNotFound() })
}

/** Creates the check that rejects foreign hosts and origins with 403. */
function createHostValidation({ allowedHosts }: McpOptions, isAllowedOrigin: (origin: string) => boolean) {
  const hostFault = hostGuard(allowedHosts)
  return (request: FastifyRequest): void => {
    const { origin } = request.headers
    const fault = hostFault(request)
    if (fault === 'ambiguous') throw httpError(400, 'A request names its host once')
    if (fault === 'foreign') throw httpError(403, FOREIGN_HOST)
    if (origin !== undefined && !isAllowedOrigin(origin)) throw httpError(403, FOREIGN_ORIGIN)
  }
}

/** Authenticates the bearer token. @throws RpcError 401. RequestRefusal 429 for a network that tried too many tokens */
function authenticate({ options }: EndpointContext, request: FastifyRequest): Principal | Promise<Principal> {
  const token = bearerToken(request.headers.authorization)
  const wrongTokens = options.rateLimits?.wrongTokens
  const requireLive = (principal: Principal | null): Principal => {
    if (principal && (principal.expiresAt === null || principal.expiresAt > options.now().getTime())) return principal
    if (token !== undefined) consumeRateLimit(wrongTokens, networkOf(request.ip), 'wrong tokens')
    const message = token === undefined ? 'A bearer token is required' : 'The token is unknown, expired or revoked'
    throw httpError(401, message, unauthorized(options.metadataUrl(request), token !== undefined))
  }
  // Cached credentials still work while another client at the same address guesses tokens.
  const onlyKnown = wrongTokens?.isExhausted(networkOf(request.ip)) === true
  const principal = token === undefined ? null : options.authenticate(token, { onlyKnown })
  return principal instanceof Promise ? principal.then(requireLive) : requireLive(principal)
}

/** Lets a POST proceed to its body and answers all other methods before a body is read. @returns their answer */
function admit(
  endpoint: EndpointContext,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  if (request.method === 'DELETE') return endSession(endpoint, principal, request, reply)
  if (request.method !== 'POST') throw httpError(405, 'Send messages by POST', { allow: 'POST, DELETE' })
  request.mcpPrincipal = principal
  consumeRateLimit(endpoint.options.rateLimits?.requests, credentialOf(principal), 'requests of this credential')
  countOpenRequest(endpoint, credentialOf(principal), request, reply)
  return undefined
}

/** Counts a request until its connection closes. @throws RpcError 429 */
function countOpenRequest(
  { openRequests, options }: EndpointContext,
  credential: string,
  { headers, raw }: FastifyRequest,
  reply: FastifyReply,
): void {
  // It may have closed while the token was looked up; the event below would not come again.
  if (reply.raw.closed) return
  const isChunked = headers['transfer-encoding'] !== undefined
  let bytes = isChunked ? options.bodyLimit : Math.min(Number(headers['content-length'] ?? 0), options.bodyLimit)
  if (!openRequests.enter(credential, bytes)) throw httpError(429, openRequests.refusal, { 'retry-after': '1' })
  reply.raw.once('close', () => openRequests.leave(credential, bytes))
  if (!isChunked) return
  // A body of unknown length counts as the largest until it has been read.
  const before = raw.socket.bytesRead
  raw.once('end', () => {
    const read = Math.min(raw.socket.bytesRead - before, bytes)
    openRequests.shrink(credential, bytes - read)
    bytes = read
  })
}

/** Answers DELETE, which ends the named session. Stateless clients have no session. */
function endSession(
  { sessions }: EndpointContext,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const id = request.headers['mcp-session-id']
  if (typeof id !== 'string') throw httpError(405, 'There is no session to end', { allow: 'POST' })
  if (!sessions.close(id, credentialOf(principal))) throw httpError(404, 'Session not found')
  return reply.code(204).send()
}

/** Runs the stages after the body: revision, dispatch, result. */
function answer(
  endpoint: EndpointContext,
  dispatch: Dispatch,
  post: PostRequest,
  message: Message,
): Promise<FastifyReply> {
  return message.kind !== 'response' && isModern(message.params)
    ? answerStateless(endpoint, dispatch, post, message)
    : answerInSession(endpoint, dispatch, post, message)
}

/** Answers a message of the 2025 revisions, with or without a session. */
async function answerInSession(
  endpoint: EndpointContext,
  dispatch: Dispatch,
  post: PostRequest,
  message: Message,
): Promise<FastifyReply> {
  const found = findProtocolSession(endpoint, post, message)
  setHeaders(post.reply, lifecycleHeaders(found.revision))
  if (message.kind !== 'request') {
    receiveMessage(endpoint, post, message, found)
    return post.reply.code(202).send()
  }
  const context = sessionContext(endpoint, post, message, found, post.stream)
  const slot = endpoint.inFlight.add(context)
  const reply = await dispatch(context)
  endpoint.inFlight.remove(slot)
  return sendReply(post, context, reply)
}

/** Answers a message of 2026-07-28, which contains its full context. */
async function answerStateless(
  endpoint: EndpointContext,
  dispatch: Dispatch,
  post: PostRequest,
  message: Exclude<Message, { kind: 'response' }>,
): Promise<FastifyReply> {
  const { http, reply, stream } = post
  // This revision defines no client notification over POST.
  if (message.kind === 'notification') return reply.code(202).send()
  const context = statelessContext(endpoint, post, message)
  if (message.method === 'subscriptions/listen') {
    const token = bearerToken(http.headers.authorization)!
    await endpoint.subscriptions.listen(context, stream, async () => endpoint.options.authenticate(token))
    return reply
  }
  // In this era a client cancels by closing the connection. Closing it after the answer cancels nothing.
  let answered = false
  stream.onClose(() => answered || context.cancellation.cancel('The client closed the connection'))
  const result = await dispatch(context)
  answered = true
  return sendReply(post, context, result)
}
