import type { EventEmitter } from 'node:events'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Log } from '../../plugin/context.ts'
import { resolveBaseUrl } from '../../http/host-validation.ts'
import { derivedKey } from '../signing-key.ts'
import { isEnabledUser } from '../user.repository.ts'
import { adaptToClients } from './adapt-to-clients.ts'
import { createArtifactAdapter } from './artifacts.ts'
import { recordAppEvents } from './audit.ts'
import type { OAuthContext } from './context.ts'
import { createDocumentFetcher, DOCUMENT_LIMITS } from './documents.ts'
import type { ProviderKeys } from './keys.ts'
import { showProblem, toAuthorizationProblem } from './problem-page.ts'
import { EXTRA_MEMBERS, normalizeMetadata } from './registration.ts'
import { resourceOf, ROUTES, SCOPES, type OAuthSettings } from './settings.ts'
import { deriveSuccessors } from './successors.ts'

const DAY = 24 * 3600
const INTERACTION_SECONDS = 1800
/** Maximum lifetime of a connection. In practice it ends with its last token or when the user revokes it. */
const CONNECTION_SECONDS = 3650 * DAY

/** Creates the authorization server: OAuth 2.1 for MCP clients, as tolerant of their requests as is safe. */
export function createProvider(context: OAuthContext, keys: ProviderKeys): Provider {
  const { oidc, baseUrl, settings, database, log } = context
  const { authorization, token, registration, revocation, jwks } = ROUTES
  const provider = new oidc.Provider(baseUrl, {
    adapter: createArtifactAdapter(context),
    jwks: { keys: [keys.signing] as NonNullable<Configuration['jwks']>['keys'] },
    cookies: cookieSettings(baseUrl, keys),
    routes: { authorization, token, registration, revocation, jwks },
    ...clientSettings(context),
    features: featureSettings(context),
    ...grantSettings(settings),
    // No response of these endpoints depends on a cookie.
    clientBasedCORS: () => true,
    // Each approval creates a separate connection, which can be revoked alone; nothing is granted silently.
    loadExistingGrant: async ({ oidc: { result } }) =>
      result?.consent?.grantId === undefined ? undefined : provider.Grant.find(result.consent.grantId),
    async findAccount({ oidc: { route, params = {} } }, sub) {
      // Clients spell the resource differently, and the library would compare texts. Without it the granted resource applies.
      if (route === 'token' && isResourceUrl(String(params['resource']), baseUrl)) delete params['resource']
      return (await isEnabledUser(database.write, sub)) ? { accountId: sub, claims: async () => ({ sub }) } : undefined
    },
    interactions: {
      policy: createInteractionPolicy(context),
      url: (_ctx, { uid, prompt }) =>
        prompt.name === 'login' ? `${ROUTES.signIn}/${uid}` : context.signIn.consentPath(uid),
    },
    async renderError(ctx, out) {
      const app = ctx.oidc?.params?.['client_id']
      const isDocument = settings.client_metadata_documents && typeof app === 'string' && isDocumentAddress(app)
      const problem = toAuthorizationProblem(out.error, out.error_description, isDocument)
      // A person came back to a request that is answered or has expired; the app is not at fault.
      const isOver = ctx.oidc?.route === 'resume' && problem.reason === 'refused'
      await showProblem(context, ctx, isOver ? { ...problem, reason: 'expired' } : problem)
    },
    fetch: createDocumentFetcher(database, log),
    fetchResponseBodyLimits: { 'client_id metadata document': DOCUMENT_LIMITS.mostBytes },
  })
  // Safe, because the routes overwrite the forwarding headers, so callers cannot set another host.
  provider.proxy = true
  deriveSuccessors(oidc, provider, derivedKey(context.key, 'successors of refresh tokens'))
  provider.use((ctx, next) => adaptToClients(context, provider, ctx as unknown as KoaContextWithOIDC, next))
  logFailures(provider, log)
  recordAppEvents(provider, context)
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
function clientSettings({ oidc, settings, now }: OAuthContext): Configuration {
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
      validator: normalizeMetadata(oidc.errors, settings.redirect_schemes, now),
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: true,
  }
}

function featureSettings({ oidc, baseUrl, settings }: OAuthContext): Configuration['features'] {
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
function createInteractionPolicy({ oidc: { interactionPolicy }, visitors }: OAuthContext) {
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

/** Returns whether a resource indicator is one of the spellings of this server's URL. */
function isResourceUrl(indicator: string, baseUrl: string): boolean {
  const url = URL.parse(indicator)
  if (url === null || url.origin !== new URL(resolveBaseUrl(baseUrl, url)).origin) return false
  return /^\/(?:mcp\/?)?$/.test(url.pathname)
}

function isDocumentAddress(clientId: string): boolean {
  const url = URL.parse(clientId)
  return url?.protocol === 'https:' && url.port === '' && url.pathname !== '/' && clientId.length <= 500
}
