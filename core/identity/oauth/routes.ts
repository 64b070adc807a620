import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  preHandlerAsyncHookHandler,
  RouteHandlerMethod,
} from 'fastify'
import type { AuthorizationProblem, SignIn } from '../../plugin/sign-in.ts'
import { refuseForeignHosts, resolveBaseUrl } from '../../http/host-validation.ts'
import { allowOrigins } from '../../http/cors.ts'
import { createLimiter, type Limiter } from '../../http/limiter.ts'
import { isStorable } from '../../plugin/clip.ts'
import { networkOf } from '../../plugin/network.ts'
import { acceptsHtml } from '../../http/accepts-html.ts'
import { interactionOf } from './consent.ts'
import type { LoadedServer, OAuthOptions, Visitors } from './context.ts'
import { toAuthorizationProblem, renderProblemPage } from './problem-page.ts'
import { RESOURCE_METADATA, resourceOf, ROUTES, SCOPES } from './settings.ts'

interface RouteOptions extends Pick<OAuthOptions, 'baseUrl' | 'allowedHosts' | 'signIn' | 'now'> {
  /** The authorization server, loaded on first use. */
  readonly server: () => Promise<LoadedServer>
  readonly visitors: Visitors
}

/** Maximum length of `state` and of `resource`; clients send some hundred characters. */
const MAX_LENGTH = 2000
const AS = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
/** Returns where clients look for a document: also relative to the endpoint, with both orders of the path. */
const pathsOf = (document: string): readonly string[] => [document, `${document}/mcp`, `/mcp${document}`]

/** Browsers arrive here from any site, so nothing may run in these pages or frame them. */
const PAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
}

/**
 * Registers the metadata at every URL where clients look for it, the endpoints of the authorization server, and the redirect to the sign-in
 * page.
 */
export async function oauthRoutes(scope: FastifyInstance, options: RouteOptions): Promise<void> {
  const { baseUrl, now } = options
  // The provider parses request bodies itself.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  scope.setErrorHandler((error: FastifyError, request, reply) => {
    const { statusCode = 500 } = error
    if (statusCode < 500) return refuse(options, request, reply.code(statusCode), 'invalid_request')
    request.log.error({ err: error }, 'the authorization server failed')
    return refuse(options, request, reply.code(503).header('retry-after', '2'), 'temporarily_unavailable')
  })
  scope.addHook('onRequest', async (_request, reply) => void reply.headers(PAGE_HEADERS))
  refuseForeignHosts(scope, options.allowedHosts)

  const providerHandler = createProviderHandler(options)
  for (const document of [AS, OPENID]) {
    for (const url of pathsOf(document))
      shareRoute(scope, 'GET', url, (request, reply) => {
        request.raw.url = document
        return providerHandler.call(scope, request, reply)
      })
  }
  for (const url of pathsOf(RESOURCE_METADATA)) {
    shareRoute(scope, 'GET', url, (request, reply) =>
      reply.header('cache-control', 'public, max-age=300').send({
        resource: resourceOf(resolveBaseUrl(baseUrl(), request)),
        authorization_servers: [baseUrl()],
        scopes_supported: SCOPES,
        bearer_methods_supported: ['header'],
        resource_name: 'tasuki',
      }),
    )
  }
  shareRoute(scope, 'GET', ROUTES.jwks, providerHandler)
  // Behind a proxy that hides client addresses, all clients share these limits.
  const limited = (name: string, perMinute: number) => ({
    preHandler: limitRequests(options, createLimiter(name, perMinute, 60, now)),
  })
  const tokenLimit = limited('token', 300)
  shareRoute(scope, 'POST', ROUTES.token, providerHandler, tokenLimit)
  shareRoute(scope, 'POST', ROUTES.revocation, providerHandler, tokenLimit)
  shareRoute(scope, 'POST', ROUTES.registration, providerHandler, limited('register', 120))
  const { preHandler } = limited('authorize', 300)
  scope.get(ROUTES.authorization, { preHandler: [preHandler, limitParameters(options)] }, providerHandler)
  scope.get(`${ROUTES.authorization}/:id`, providerHandler)
  scope.get<{ Params: { id: string } }>(`${ROUTES.signIn}/:id`, async (request, reply) =>
    signInStep(options, request, reply),
  )
}

/** Registers a route that pages of any origin may call, because its response does not depend on cookies. */
function shareRoute(
  scope: FastifyInstance,
  method: 'GET' | 'POST',
  url: string,
  handle: RouteHandlerMethod,
  limits?: { readonly preHandler: preHandlerAsyncHookHandler },
): void {
  const config = allowOrigins('*', [method])
  scope.route({ method: [method, 'OPTIONS'], url, config, ...limits, handler: handle })
  const error = { error: 'invalid_request', error_description: `Send this request by ${method}` }
  scope.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(each => each !== method),
    url,
    config,
    handler: (_request, reply) => reply.code(405).header('allow', `${method}, OPTIONS`).send(error),
  })
}

function limitRequests(options: RouteOptions, limiter: Limiter): preHandlerAsyncHookHandler {
  return async (request, reply) => {
    const allowance = limiter.take(networkOf(request.ip))
    reply.headers(limiter.headers(allowance))
    return allowance.allowed ? undefined : refuse(options, request, reply.code(429), 'slow_down')
  }
}

/** Refuses long parameters that are stored until the user decides, because strangers could fill the disk, and what cannot be stored. */
function limitParameters(options: RouteOptions): preHandlerAsyncHookHandler {
  return async (request, reply) => {
    const { state = '', resource = '' } = request.query as Readonly<Record<string, unknown>>
    const isAllowed = [state, resource].map(String).every(text => text.length <= MAX_LENGTH && isStorable(text))
    return isAllowed ? undefined : refuse(options, request, reply.code(400), 'invalid_request')
  }
}

/** Sends an error code to programs, and a page to users at the authorization endpoint. */
async function refuse(
  { signIn }: RouteOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  error: string,
): Promise<FastifyReply> {
  const isForPeople = [ROUTES.authorization, ROUTES.signIn].some(path => request.url.startsWith(path))
  if (!isForPeople || !acceptsHtml(request)) return reply.send({ error })
  return sendProblem(signIn, request, reply, toAuthorizationProblem(error, undefined))
}

async function sendProblem(
  signIn: SignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: AuthorizationProblem,
): Promise<FastifyReply> {
  const { headers, body } = await renderProblemPage(signIn, request, problem)
  return reply.headers(headers).send(body)
}

/** Passes a request to the provider. The configured base URL replaces Host and forwarding headers. */
function createProviderHandler({ server, baseUrl, signIn, visitors }: RouteOptions): RouteHandlerMethod {
  return async (request, reply) => {
    const { raw } = request
    // The routes ignore a slash at the end; the provider and what adapts its requests compare the path.
    raw.url = raw.url!.replace(/^([^?]+)\/(?=\?|$)/, '$1')
    const { callback } = await server()
    const session = request.url.startsWith(ROUTES.authorization) ? await signIn.session(request) : null
    visitors.set(raw, { request, userId: session?.userId })
    const { host, protocol } = new URL(baseUrl())
    Object.assign(raw.headers, {
      host,
      'x-forwarded-host': host,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-for': request.ip,
    })
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    reply.hijack()
    await callback(raw, reply.raw)
  }
}

/** Answers the provider's login prompt with the signed-in user, after sign-in if necessary. */
async function signInStep(
  { server, signIn }: RouteOptions,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { provider } = await server()
  const { id } = request.params
  const interaction = await interactionOf(provider, request, reply, id)
  if (interaction?.prompt.name !== 'login') {
    const description = 'this request has expired, or it was made in another browser'
    return sendProblem(signIn, request, reply.code(400), { reason: 'expired', error: 'invalid_request', description })
  }
  const session = await signIn.session(request)
  reply.header('cache-control', 'no-store')
  if (!session) return reply.redirect(signIn.signInPath(`${ROUTES.signIn}/${id}`), 303)
  const login = { login: { accountId: session.userId } }
  const redirectUrl = await provider.interactionResult(request.raw, reply.raw, login, {
    mergeWithLastSubmission: false,
  })
  return reply.redirect(new URL(redirectUrl).pathname, 303)
}
