import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { AuthorizationProblem } from '../../plugin/sign-in.ts'
import { hasConnection } from './artifact.repository.ts'
import type { OAuthContext, Visitors } from './context.ts'
import { showProblem, toAuthorizationProblem } from './problem-page.ts'
import { ROUTES, SCOPES } from './settings.ts'

/** `form_post` needs a script on the page, so it is mapped to a mode that the library rejects. */
const FORM_POST = 'form_post'

/** Parameters of OpenID Connect, which clients send along. The library would refuse some, and store the others for strangers. */
const OPENID_PARAMETERS = new Set([
  'acr_values',
  'claims_locales',
  'display',
  'id_token_hint',
  'login_hint',
  'max_age',
  'nonce',
  'ui_locales',
])

/** Corrects requests of real clients, and responses that would mislead them or that a page has to hold back. */
export async function adaptToClients(
  context: OAuthContext,
  provider: Provider,
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  if (ctx.path === ROUTES.authorization && ctx.method === 'GET') {
    const { scope, response_mode: mode } = ctx.query
    ctx.query = {
      ...Object.fromEntries(Object.entries(ctx.query).filter(([name]) => !OPENID_PARAMETERS.has(name))),
      scope: filterScopes(scope),
      ...(mode === FORM_POST && { response_mode: 'none' }),
    }
    await destroyOtherSession(provider, context.visitors, ctx)
  }
  await next()
  // `oidc` is missing if no route matched.
  const { oidc: found } = ctx as Partial<Pick<KoaContextWithOIDC, 'oidc'>>
  if (found?.route === 'discovery') describeServer(ctx)
  if (found?.route !== 'authorization' && found?.route !== 'resume') return
  const problem = await holdRedirect(context, ctx)
  if (problem) await showProblem(context, ctx, problem)
}

/**
 * Filters the requested scopes. Unknown scopes are dropped, because the provider would ask for an ungranted `openid` again and again. No
 * scope means all scopes, which the user may restrict; `write` includes `read`, so that the user can restrict it to that.
 */
function filterScopes(requestedScope: string | string[] | undefined): string {
  const requested = new Set(
    (Array.isArray(requestedScope) ? requestedScope.join(' ') : (requestedScope ?? '')).split(/\s+/),
  )
  const scopes = requested.has('read') && !requested.has('write') ? ['read'] : [...SCOPES]
  return [...scopes, ...(requested.has('offline_access') ? ['offline_access'] : [])].join(' ')
}

/** Destroys a session of another user. The provider would respond with a page that our content security policy breaks. */
async function destroyOtherSession(provider: Provider, visitors: Visitors, ctx: KoaContextWithOIDC): Promise<void> {
  const id = ctx.cookies.get(provider.cookieName('session'), { signed: true })
  const session = id === undefined ? undefined : await provider.Session.find(id)
  if (session?.accountId !== undefined && session.accountId !== visitors.get(ctx.req)?.userId) await session.destroy()
}

/** OpenID Connect members of the metadata that this server does not implement. */
const OPENID_ONLY = [
  'claim_types_supported',
  'claims_supported',
  'claims_parameter_supported',
  'request_uri_parameter_supported',
  'id_token_signing_alg_values_supported',
  'subject_types_supported',
]

function describeServer(ctx: KoaContextWithOIDC): void {
  const body = ctx.body as Record<string, unknown>
  body['scopes_supported'] = [...SCOPES, 'offline_access']
  body['response_modes_supported'] = ['query', 'fragment']
  if (ctx.path.includes('oauth-authorization-server')) for (const key of OPENID_ONLY) delete body[key]
  ctx.set('cache-control', 'public, max-age=300')
}

/**
 * Blocks redirects to an app until the user has approved it. Anyone can register an app, so otherwise a link to this service with an
 * invalid request would be an open redirect.
 * @returns the problem to show instead, with the target as an optional link; null if the redirect is allowed
 */
async function holdRedirect(context: OAuthContext, ctx: KoaContextWithOIDC): Promise<AuthorizationProblem | null> {
  const onward = URL.parse(ctx.response.get('location'))
  if (onward === null || onward.origin === new URL(context.baseUrl).origin) return null
  if (await isRedirectAllowed(context, ctx)) return null
  ctx.remove('location')
  ctx.status = 400
  const parameters = new URLSearchParams(onward.hash === '' ? onward.search : onward.hash.slice(1))
  const problem = toAuthorizationProblem(
    parameters.get('error') ?? 'invalid_request',
    parameters.get('error_description') ?? undefined,
  )
  return { ...problem, onward: onward.href }
}

/** Allows the redirect after an answer on the consent page, which shows the target, or after an earlier approval. */
async function isRedirectAllowed(
  { database, visitors }: OAuthContext,
  { req, oidc }: KoaContextWithOIDC,
): Promise<boolean> {
  const { Interaction: interaction, Client: client } = oidc.entities
  if (interaction?.prompt.name === 'consent' && interaction.result !== undefined) return true
  const userId = visitors.get(req)?.userId
  return userId !== undefined && client !== undefined && hasConnection(database.write, userId, client.clientId)
}
