import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bearerToken, unauthorized } from './bearer.ts'
import { consumeRateLimit, type RateLimits } from './rate-limits.ts'
import type { Authenticate } from '../runtime/principal.ts'
import { networkOf } from '../plugin/network.ts'
import type { Actor } from '../plugin/context.ts'
import { ToolError } from '../plugin/errors.ts'
import type { HostFault } from '../plugin/services.ts'
import { allowOrigins } from './cors.ts'
import { FOREIGN_HOST, FOREIGN_ORIGIN } from './host-validation.ts'
import { answerRouteError, Unauthorized } from './route-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Authenticated caller of a request; set on the routes of {@link guardApi} only. */
    apiCaller: Actor | null
  }
}

export interface ApiOptions {
  readonly hostFault: (request: FastifyRequest) => HostFault | null
  readonly isAllowedOrigin: (origin: string) => boolean
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Protects a scope of routes that programs call with a bearer token: rejects foreign hosts and origins, authenticates the caller before the
 * body is read, enables CORS for allowed origins, and answers errors with {@link answerRouteError}.
 * @param prefix common path prefix of the routes, for example `/api/threads`
 */
export function guardApi(
  scope: FastifyInstance,
  prefix: string,
  { hostFault, isAllowedOrigin }: ApiOptions,
  authenticate: (request: FastifyRequest) => Promise<Actor>,
): void {
  scope.setErrorHandler(answerRouteError)
  scope.decorateRequest('apiCaller', null)
  scope.addHook('onRequest', async request => {
    const fault = hostFault(request)
    if (fault === 'ambiguous') throw new ToolError('invalid_argument', 'A request names its host once.')
    if (fault === 'foreign') throw new ToolError('forbidden', FOREIGN_HOST)
    const { origin } = request.headers
    if (origin !== undefined && !isAllowedOrigin(origin)) throw new ToolError('forbidden', FOREIGN_ORIGIN)
    request.apiCaller = await authenticate(request)
  })
  const config = allowOrigins(isAllowedOrigin, METHODS)
  scope.addHook('onRoute', route => {
    route.config = { ...route.config, ...config }
  })
  for (const path of [prefix, `${prefix}/*`]) scope.options(path, (_request, reply) => reply.callNotFound())
}

/**
 * Authenticates the bearer token of a request.
 * @throws Unauthorized, which becomes 401 with a challenge. RequestRefusal 429 for a network that tried too many tokens
 */
export async function callerOf(
  { headers, ip }: FastifyRequest,
  authenticate: Authenticate,
  { wrongTokens }: RateLimits,
): Promise<Actor> {
  const token = bearerToken(headers.authorization)
  const onlyKnown = wrongTokens?.isExhausted(networkOf(ip)) === true
  const principal = token === undefined ? null : await authenticate(token, { onlyKnown })
  if (principal) return principal.actor
  if (token !== undefined) consumeRateLimit(wrongTokens, networkOf(ip), 'wrong tokens')
  const message = token === undefined ? 'A bearer token is required.' : 'The token is unknown, expired or revoked.'
  const help = { hint: 'Send the header Authorization: Bearer svc_pat_….' }
  // The metadata describes only the MCP endpoint.
  throw new Unauthorized(message, help, unauthorized(null, token !== undefined))
}

const READING = new Set(['GET', 'HEAD'])

/** Counts a request of an authenticated caller. @throws RequestRefusal 429 if the caller exceeds its limits */
export function countRequest({ requests, writes }: RateLimits, { method }: FastifyRequest, actor: Actor): void {
  const credential = actor.credentialId ?? actor.userId
  consumeRateLimit(requests, credential, 'requests of this credential')
  if (!READING.has(method)) consumeRateLimit(writes, credential, 'writes of this credential')
}
