import { requirements } from './define.ts'

const ISSUE = 'issue: signing in'

export const oauth = [
  requirements('1-service.md Authentication', 4, {
    'oauth.same_endpoint': 'an OAuth access token and a personal access token work on the same endpoint',
    'oauth.refresh': 'the client refreshes its token without asking the user again',
  }),
  requirements(`${ISSUE}, metadata`, 4, {
    'oauth.well_known': 'metadata of resource and server is at every place where clients look',
    'oauth.issuer': 'the issuer is the origin, the same string everywhere, and iss comes with every answer',
    'oauth.pinned_host': 'no Host, forwarding header, absolute-form target or second Host changes the metadata',
    'oauth.cors': 'browser clients may read metadata and use registration, token and revocation without cookies',
    'oauth.without_pages': 'without sign-in pages there is no authorization server',
    'oauth.challenges_without':
      'without sign-in pages there is no authorization server, and challenges name no metadata',
    'oauth.challenges': '401 and 403 challenges name metadata and scopes, exact per revision',
  }),
  requirements(`${ISSUE}, clients`, 4, {
    'oauth.official_clients': 'the official clients go from a bare 401 to tools/list',
    'oauth.real_registrations': 'the registration bodies of the ten clients in the study all reach tools/list',
    'oauth.hostile_registrations': 'hostile registrations are refused, or lose what is hostile in them',
    'oauth.metadata_documents': 'a client may be known by a document on its own site, whose host is then verified',
    'oauth.last_document': 'while the host of a document does not answer, the approved one still holds',
    'oauth.safe_fetch': 'fetching a document reaches no address that is not public',
    'oauth.registrations_kept': 'an unused registration goes after 30 days, one that was approved never does',
    'oauth.stale_client': 'an unknown client is told so, and the person how to mend it',
    'oauth.conformance': 'the authorization server passes the conformance suite of every revision it knows',
  }),
  requirements(`${ISSUE}, authorization`, 4, {
    'oauth.pkce': 'PKCE S256 for every client',
    'oauth.redirects': 'redirects match exactly, but for the port of a loopback address',
    'oauth.open_redirect': 'an unregistered redirect is never followed',
    'oauth.resource': 'every spelling of the resource gives a token for it, another resource is refused',
    'oauth.scopes_tolerant': 'missing, unknown and OpenID scopes are no reason to refuse a client',
    'oauth.narrowed': 'the user narrows the scopes on the consent page',
    'oauth.projects':
      'the user limits an app to some projects on the consent page, which holds for as long as the connection',
    'oauth.denied': 'denying answers access_denied to the client',
    'oauth.always_asked': 'each authorization is asked about, and is a connection of its own',
    'oauth.consent_bound': 'only the browser and the person that were sent to the consent page can answer it, once',
    'oauth.consent_facts': 'the consent page knows name, verified host, redirect and whether it stays on this computer',
    'oauth.shared_browser': 'another person at the same browser is not authorized as the first',
  }),
  requirements(`${ISSUE}, tokens`, 4, {
    'oauth.code_once': 'twenty parallel redemptions of one code on PostgreSQL give one token',
    'oauth.code_replay': 'a code that comes a second time ends the tokens that the first gave',
    'oauth.audience': 'a token for another audience is refused',
    'oauth.rotation': 'refresh tokens rotate; reuse within the grace works, after it the connection ends',
    'oauth.refresh_bound': 'a refresh token is bound to its client and cannot widen its scope',
    'oauth.revocation': 'revocation (RFC 7009) ends a token at once',
    'oauth.disconnect': 'ending a connection makes the next call 401, also on a second instance',
    'oauth.connections': 'a user sees the connections with client, scope and last use, and nobody else does',
    'oauth.disabled_user': 'a disabled user is shut out of connected apps too',
    'oauth.dump': 'a database dump contains no usable token, code, cookie or client secret',
    'oauth.keys': 'signing and cookie keys are made once, kept encrypted, and shared by all instances',
    'oauth.log': 'no token, code, secret or query string of the authorization server is in the log',
    'oauth.brute_force':
      'token, registration and authorization endpoints are limited in rate and say when to come again',
    'oauth.sweep': 'what has expired is swept',
  }),
]
