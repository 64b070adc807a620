import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../runtime/principal.ts'
import { hostGuard, originList } from '../http/host-validation.ts'
import { allowOrigins, registerCors } from '../http/cors.ts'
import { bearerToken, unauthorized } from '../http/bearer.ts'
import { credentialOf, type Service } from './exchange.ts'
import { refusal } from './dispatch.ts'
import { isUnavailable } from '../db/failure.ts'
import { httpError, INTERNAL_ERROR, PARSE_ERROR, RpcError } from './message.ts'
import { DEFAULT_RESULT_CEILING, type McpOptions } from './options.ts'
import { createPost } from './post.ts'
import { stateSealer } from './request-state.ts'
import { revisionTable } from './revisions.ts'
import { serverCard } from './server-card.ts'
import { createSessions } from './sessions.ts'
import type { Publisher } from '../plugin/publisher.ts'
import { createSubscriptions } from './subscriptions.ts'

export type { McpOptions } from './options.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Tells MCP clients that listen of changes. */
    mcpPublisher: Publisher
  }
  interface FastifyRequest {
    /** Whose credential the request carries; set on the MCP endpoint only. */
    mcpPrincipal: Principal | null
  }
}

const PATH = '/mcp'
const ALLOWED_METHODS = { allow: 'POST, DELETE' }
/**
 * Serves the Model Context Protocol at `/mcp`: four revisions, Streamable HTTP, stateless unless a 2025 client can be asked for input.
 *
 * A foreign Host or Origin is 403, a missing or bad token 401, a method other than POST and DELETE 405,
 * a body that is not JSON 415 or 400, one that is too large 413, and an unservable `Accept` 406.
 */
export const mcpEndpoint = fp(serve, { name: 'mcp', fastify: '5.x' })

async function serve(app: FastifyInstance, options: McpOptions): Promise<void> {
  const closing = new AbortController()
  const service: Service = {
    options,
    resultCeiling: options.resultCeiling ?? DEFAULT_RESULT_CEILING,
    revisions: revisionTable(options.now),
    sessions: createSessions(options.now),
    subscriptions: createSubscriptions(options),
    states: stateSealer(options.signingKey, options.now),
    awaited: new Set(),
    closing: closing.signal,
  }
  app.decorate('mcpPublisher', service.subscriptions)
  app.addHook('preClose', async () => {
    closing.abort()
    service.subscriptions.close()
  })
  await registerCors(app)
  await app.register(async scope => routes(scope, service))
  const { presentation } = options
  if (presentation) await app.register(async scope => serverCard(scope, options, presentation, service.revisions))
}

async function routes(scope: FastifyInstance, service: Service): Promise<void> {
  const { options } = service
  const hostFault = hostGuard(options.allowedHosts)
  const isAllowedOrigin = originList(options.allowedOrigins)
  scope.setErrorHandler(answerError)
  // Fastify would take plain text for a body; here anything but JSON is 415.
  scope.removeContentTypeParser('text/plain')
  scope.decorateRequest('mcpPrincipal', null)
  const admit = (request: FastifyRequest, reply: FastifyReply): Admission | Promise<Admission> => {
    const { origin } = request.headers
    const fault = hostFault(request)
    if (fault === 'ambiguous') throw httpError(400, 'A request names its host once')
    if (fault === 'foreign') throw httpError(403, 'This host name is not one of the service')
    if (origin !== undefined && !isAllowedOrigin(origin)) throw httpError(403, 'This origin may not use the service')
    const principal = authenticated(service, request)
    return principal instanceof Promise
      ? principal.then(known => admitted(known, request, reply))
      : admitted(principal, request, reply)
  }
  const admitted = (principal: Principal, request: FastifyRequest, reply: FastifyReply): Admission => {
    // All but POST is answered here, before a body is read.
    if (request.method === 'DELETE') return endSession(service, principal, request, reply)
    if (request.method !== 'POST') throw httpError(405, 'Send messages by POST', ALLOWED_METHODS)
    request.mcpPrincipal = principal
    return undefined
  }
  // Most tokens are known, and waiting for a promise on every request would cost more than the look-up.
  scope.addHook('onRequest', (request, reply, done) => {
    const admission = admit(request, reply)
    if (admission instanceof Promise) return admission
    // A request that has its answer ends here.
    if (!admission) done()
    return undefined
  })
  const config = allowOrigins(isAllowedOrigin, ['POST', 'DELETE'])
  scope.post(PATH, { config, bodyLimit: options.bodyLimit }, createPost(service))
  // The hook above has answered these; the route only makes it run.
  const method = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  scope.route({ method, url: PATH, config, handler: (_, reply) => reply.callNotFound() })
}

/** A reply that was given already; undefined = the message is to be read. */
type Admission = FastifyReply | undefined

/** @throws RpcError 401 */
function authenticated({ options }: Service, request: FastifyRequest): Principal | Promise<Principal> {
  const token = bearerToken(request.headers.authorization)
  const checked = (principal: Principal | null): Principal => {
    if (principal && (principal.expiresAt === null || principal.expiresAt > options.now().getTime())) return principal
    const message = token === undefined ? 'A bearer token is required' : 'The token is unknown, expired or revoked'
    throw httpError(401, message, unauthorized(options.metadataUrl(request), token !== undefined))
  }
  const principal = token === undefined ? null : options.authenticate(token)
  return principal instanceof Promise ? principal.then(checked) : checked(principal)
}

/** DELETE ends the session that it names; 2026-07-28 and stateless clients have none to end. */
function endSession(
  { sessions }: Service,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const id = request.headers['mcp-session-id']
  if (typeof id !== 'string') throw httpError(405, 'There is no session to end', { allow: 'POST' })
  if (!sessions.close(id, credentialOf(principal))) throw httpError(404, 'Session not found')
  return reply.code(204).send()
}

function answerError(error: FastifyError | RpcError, request: FastifyRequest, reply: FastifyReply): void {
  const told = error instanceof RpcError ? error : httpFault(error)
  if (told.status >= 500) request.log.error({ err: error }, 'request failed')
  const { body, status, headers } = refusal(null, told)
  if (headers) reply.headers(headers)
  void reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body)
}

/** What Fastify found wrong before a message was read. */
function httpFault(error: FastifyError): RpcError {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new RpcError(PARSE_ERROR, 'Parse error: the body is not JSON, or has a member __proto__', { status: 400 })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return httpError(415, 'Content-Type must be application/json')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return httpError(413, 'The request is larger than the service accepts')
  }
  if (isUnavailable(error)) {
    return new RpcError(INTERNAL_ERROR, 'Temporarily unavailable', { status: 503, headers: { 'retry-after': '2' } })
  }
  const { statusCode = 500 } = error
  if (statusCode >= 400 && statusCode < 500) return httpError(statusCode, 'The request could not be read')
  return new RpcError(INTERNAL_ERROR, 'Internal error', { status: 500 })
}
