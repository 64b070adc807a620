import type { EventEmitter } from 'node:events'
import type * as Oidc from 'oidc-provider'
import type { Configuration, Interaction, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../plugin/context.ts'
import { isAddress } from '../../http/host-validation.ts'
import type { AuthorizationProblem, SignIn } from '../../plugin/sign-in.ts'
import { isEnabledUser } from '../user.repository.ts'
import { holdRedirect } from './hold-redirect.ts'
import type { ProviderKeys } from './keys.ts'
import { deriveSuccessors } from './successors.ts'
import { toAuthorizationProblem, renderProblemPage } from './problem-page.ts'
import { EXTRA_MEMBERS, normalizeMetadata, type OnRegistration } from './registration.ts'
import { resourceOf, ROUTES, SCOPES, type OAuthSettings } from './settings.ts'
import { recordAppEvents } from './audit.ts'
import type { AuditTrail } from '../../runtime/audit/trail.ts'
import type { Presentations, Visitors } from './visitors.ts'

export interface ProviderOptions {
  readonly oidc: typeof Oidc
  readonly baseUrl: string
  readonly settings: OAuthSettings
  readonly keys: ProviderKeys
  /** Key that derives the successors of refresh tokens; the same on all instances. */
  readonly successorKey: Buffer
  readonly database: Pick<Database, 'write'>
  readonly adapter: NonNullable<Configuration['adapter']>
  readonly signIn: SignIn
  readonly visitors: Visitors
  readonly fetchDocument: NonNullable<Configuration['fetch']>
  readonly onRegistration: OnRegistration
  readonly trail: AuditTrail
  readonly presentations: Presentations
  readonly log: Log
}

const DAY = 24 * 3600
const INTERACTION_SECONDS = 1800
/** Maximum lifetime of a connection. In practice it ends with its last token or when the user revokes it. */
const CONNECTION_SECONDS = 3650 * DAY
const DOCUMENT_BYTES = 64 * 1024

/** Creates the authorization server: OAuth 2.1 for MCP clients, as tolerant of their requests as is safe. */
export function createProvider(options: ProviderOptions): Provider {
  const { oidc, baseUrl, settings, keys, adapter, log } = options
  const { authorization, token, registration, revocation, jwks } = ROUTES
  const provider = new oidc.Provider(baseUrl, {
    adapter,
    jwks: { keys: [keys.signing] as NonNullable<Configuration['jwks']>['keys'] },
    cookies: cookieSettings(baseUrl, keys),
    routes: { authorization, token, registration, revocation, jwks },
    ...clientSettings(options),
    features: featureSettings(options),
    ...grantSettings(settings),
    // No response of these endpoints depends on a cookie.
    clientBasedCORS: () => true,
    // Each approval creates a separate connection, which can be revoked alone; nothing is granted silently.
    loadExistingGrant: async ({ oidc: { result } }) =>
      result?.consent?.grantId === undefined ? undefined : provider.Grant.find(result.consent.grantId),
    findAccount: async (_ctx, sub) =>
      (await isEnabledUser(options.database.write, sub))
        ? { accountId: sub, claims: async () => ({ sub }) }
        : undefined,
    interactions: {
      policy: createInteractionPolicy(options),
      url: (_ctx, interaction) => pagePath(options.signIn, interaction),
    },
    async renderError(ctx, out) {
      const app = ctx.oidc?.params?.['client_id']
      const isDocument = settings.client_metadata_documents && typeof app === 'string' && isDocumentAddress(app)
      await showProblem(options, ctx, toAuthorizationProblem(out.error, out.error_description, isDocument))
    },
    fetch: options.fetchDocument,
    fetchResponseBodyLimits: { 'client_id metadata document': DOCUMENT_BYTES },
  })
  // Safe, because the routes overwrite the forwarding headers, so callers cannot set another host.
  provider.proxy = true
  deriveSuccessors(oidc, provider, options.successorKey)
  provider.use((context, next) => adaptToClients(options, provider, context as unknown as KoaContextWithOIDC, next))
  logFailures(provider, log)
  recordAppEvents(provider, options)
  return provider
}

function cookieSettings(baseUrl: string, keys: ProviderKeys): Configuration['cookies'] {
  const secure = baseUrl.startsWith('https:')
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax' } as const
  return {
    keys: [...keys.cookies],
    names: {
      session: secure ? '__Host-oauth_session' : 'oauth_session',
      interaction: secure ? '__Secure-oauth_interaction' : 'oauth_interaction',
      resume: secure ? '__Secure-oauth_resume' : 'oauth_resume',
    },
    long: cookie,
    short: cookie,
  }
}

/** What clients may be and request. */
function clientSettings({ oidc, settings, onRegistration }: ProviderOptions): Configuration {
  return {
    // No `openid`: clients that see it request ID tokens, which MCP does not need.
    scopes: ['offline_access'],
    claims: { sub: null },
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    },
    extraClientMetadata: {
      properties: EXTRA_MEMBERS,
      validator: normalizeMetadata(oidc.errors, settings.redirect_schemes, onRegistration),
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: true,
  }
}

function featureSettings({ oidc, baseUrl, settings }: ProviderOptions): Configuration['features'] {
  const resource = resourceOf(baseUrl)
  return {
    devInteractions: { enabled: false },
    registration: { enabled: settings.registration, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: {
      enabled: settings.client_metadata_documents,
      ack: 'draft-02',
      cacheDuration: { min: 60, max: DAY },
      allowFetch: (_ctx, clientId) => isDocumentAddress(clientId),
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    introspection: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => (oneOf ? oneOf[0]! : resource),
      // Some clients send the resource in only one of the two requests.
      useGrantedResource: () => true,
      getResourceServerInfo(_ctx, indicator) {
        if (!isResourceUrl(indicator, baseUrl)) throw new oidc.errors.InvalidTarget('this resource is not served here')
        return {
          scope: SCOPES.join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: settings.access_token_minutes * 60,
        }
      },
    },
  }
}

/** How long tokens and connections last, and what ends them. */
function grantSettings(settings: OAuthSettings): Configuration {
  return {
    expiresWithSession: () => false,
    // Revoking a token also revokes its connection, which would otherwise remain only as a name in a list.
    revokeGrantPolicy: () => true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    ttl: {
      AccessToken: settings.access_token_minutes * 60,
      AuthorizationCode: 60,
      RefreshToken: settings.refresh_token_days * DAY,
      Grant: CONNECTION_SECONDS,
      Interaction: INTERACTION_SECONDS,
      Session: DAY / 2,
      IdToken: 60,
    },
  }
}

/** Corrects requests of real clients, and responses that would mislead them or that a page has to hold back. */
async function adaptToClients(
  options: ProviderOptions,
  provider: Provider,
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  if (ctx.path === ROUTES.authorization && ctx.method === 'GET') {
    const { scope, response_mode: mode } = ctx.query
    ctx.query = {
      ...ctx.query,
      scope: filterScopes(scope),
      ...(mode === FORM_POST && { response_mode: 'none' }),
    }
    await destroyOtherSession(provider, options.visitors, ctx)
  }
  await next()
  // `oidc` is missing if no route matched.
  const { oidc: found } = ctx as Partial<Pick<KoaContextWithOIDC, 'oidc'>>
  if (found?.route === 'discovery') describeServer(ctx)
  if (found?.route !== 'authorization' && found?.route !== 'resume') return
  const problem = await holdRedirect(options, ctx)
  if (problem) await showProblem(options, ctx, problem)
}

/** `form_post` needs a script on the page, so it is mapped to a mode that the library rejects. */
const FORM_POST = 'form_post'

async function showProblem(
  { signIn, visitors }: ProviderOptions,
  ctx: KoaContextWithOIDC,
  problem: AuthorizationProblem,
): Promise<void> {
  const { headers, body } = await renderProblemPage(signIn, visitors.get(ctx.req)?.request, problem)
  ctx.set(headers)
  ctx.body = body
}

/** Logs what an operator needs to diagnose why an app does not connect, without data that the app sent. */
function logFailures(provider: Provider, log: Log): void {
  const refused = (ctx: KoaContextWithOIDC, error: Error & { readonly error?: string }): void =>
    log.info({ path: ctx.path, client: ctx.oidc.client?.clientName, error: error.error }, 'an app was refused')
  provider.on('authorization.error', refused)
  provider.on('grant.error', refused)
  provider.on('registration_create.error', refused)
  // Without a listener, the library prints aborted connections to stderr.
  const requests: EventEmitter = provider
  requests.on('error', error => log.info({ err: error as unknown }, 'a request of an app broke off'))
  provider.on('server_error', (ctx, error) => log.error({ path: ctx.path, err: error }, 'an app could not be answered'))
}

/** Builds the interaction policy: the sign-in pages decide who is signed in, and every authorization needs consent. */
function createInteractionPolicy({ oidc: { interactionPolicy }, visitors }: ProviderOptions) {
  const { Check } = interactionPolicy
  const policy = interactionPolicy.base()
  policy.get('login')!.checks.add(
    new Check('signed_in', 'the person is not signed in', 'login_required', ctx => {
      const userId = visitors.get(ctx.req)?.userId
      return userId !== undefined && userId === ctx.oidc.session?.accountId
        ? Check.NO_NEED_TO_PROMPT
        : Check.REQUEST_PROMPT
    }),
  )
  policy
    .get('consent')!
    .checks.add(
      new Check('asked_each_time', 'consent is asked each time', 'consent_required', ctx =>
        ctx.oidc.result?.consent ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
      ),
    )
  return policy
}

function pagePath(signIn: SignIn, { uid, prompt }: Interaction): string {
  return prompt.name === 'login' ? `${ROUTES.signIn}/${uid}` : signIn.consentPath(uid)
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

/** Returns whether a resource indicator is one of the spellings of this server's URL. */
function isResourceUrl(indicator: string, baseUrl: string): boolean {
  const url = URL.parse(indicator)
  return url !== null && isAddress(url, baseUrl) && /^\/(?:mcp\/?)?$/.test(url.pathname)
}

function isDocumentAddress(clientId: string): boolean {
  const url = URL.parse(clientId)
  return url?.protocol === 'https:' && url.port === '' && url.pathname !== '/' && clientId.length <= 500
}
