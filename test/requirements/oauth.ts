import { requirements } from './define.ts'

const ISSUE = 'issue: signing in'

export const oauth = [
  requirements('1-service.md Authentication', 4, {
    'oauth.same_endpoint': 'the same endpoint accepts OAuth access tokens and personal access tokens',
    'oauth.refresh': 'a client refreshes its token without user interaction',
  }),
  requirements(`${ISSUE}, metadata`, 4, {
    'oauth.well_known':
      'metadata of the resource and of the authorization server is served at every path where clients look for it',
    'oauth.issuer': 'the issuer is the origin, is identical everywhere, and is returned as iss in every response',
    'oauth.pinned_host':
      'no Host header, forwarding header, absolute-form target or second Host header changes the metadata',
    'oauth.cors': 'browser clients may call the metadata, registration, token and revocation endpoints without cookies',
    'oauth.without_pages': 'without sign-in pages there is no authorization server',
    'oauth.challenges_without':
      'without sign-in pages there is no authorization server, and challenges contain no metadata URL',
    'oauth.challenges':
      '401 and 403 challenges contain the metadata URL and the scopes, exactly as each revision requires',
  }),
  requirements(`${ISSUE}, clients`, 4, {
    'oauth.official_clients': 'the official clients get from a bare 401 to tools/list',
    'oauth.real_registrations': 'the registration requests of the ten studied clients all lead to tools/list',
    'oauth.hostile_registrations': 'hostile registrations are refused or stripped of their hostile values',
    'oauth.metadata_documents':
      'a client may identify itself by a metadata document on its own site, which verifies its host',
    'oauth.last_document':
      'while the host of a metadata document does not respond, the last approved document stays valid',
    'oauth.safe_fetch': 'fetching a metadata document connects to public addresses only',
    'oauth.registrations_kept': 'an unused registration is deleted after 30 days, and an approved one never',
    'oauth.stale_client': 'an unknown client gets an error that says so, and its user learns how to fix it',
    'oauth.conformance': 'the authorization server passes the conformance suite of every supported revision',
  }),
  requirements(`${ISSUE}, authorization`, 4, {
    'oauth.pkce': 'every client must use PKCE with S256',
    'oauth.redirects': 'redirect URIs must match exactly, except for the port of a loopback address',
    'oauth.open_redirect': 'the server never redirects to an unregistered URI',
    'oauth.resource':
      'every equivalent form of the resource URI leads to a token for it, and any other resource is refused',
    'oauth.scopes_tolerant': 'missing, unknown and OpenID scopes do not cause an error',
    'oauth.narrowed': 'the user can reduce the scopes on the consent page',
    'oauth.projects':
      'the user can limit an app to selected projects on the consent page, and the limit lasts as long as the connection',
    'oauth.denied': 'denied consent returns access_denied to the client',
    'oauth.always_asked': 'each authorization asks for consent and creates a separate connection',
    'oauth.consent_bound':
      'a consent request can be answered once, by the browser and the user that were sent to the page',
    'oauth.consent_facts':
      'the consent page shows the name, the verified host, the redirect URI and whether it stays on this computer',
    'oauth.shared_browser': 'another user of the same browser is not authorized as the first user',
  }),
  requirements(`${ISSUE}, tokens`, 4, {
    'oauth.code_once': 'twenty parallel redemptions of one code on PostgreSQL issue one token',
    'oauth.code_replay': 'a second redemption of a code revokes the tokens that the first one issued',
    'oauth.audience': 'a token for another audience is refused',
    'oauth.rotation':
      'refresh tokens rotate; a reuse within the grace period succeeds, and a later one ends the connection',
    'oauth.refresh_bound': 'a refresh token is bound to its client and cannot extend its scope',
    'oauth.revocation': 'revocation (RFC 7009) takes effect immediately',
    'oauth.disconnect': 'after a disconnect, the next call returns 401, also on a second instance',
    'oauth.connections': 'only the user sees their connections, with client, scope and last use',
    'oauth.disabled_user': 'the connected apps of a disabled user lose access',
    'oauth.dump': 'a database dump contains no usable token, code, cookie or client secret',
    'oauth.keys': 'signing and cookie keys are generated once, stored encrypted, and shared by all instances',
    'oauth.log': 'the log contains no token, code, secret or query string of the authorization server',
    'oauth.brute_force': 'the token, registration and authorization endpoints are rate-limited and say when to retry',
    'oauth.sweep': 'expired records are deleted',
  }),
]
