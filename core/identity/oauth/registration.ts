import type { AllClientMetadata, errors as Errors, KoaContextWithOIDC } from 'oidc-provider'
import { createLimiter } from '../../http/limiter.ts'
import { clip, firstCharacters, isStorable } from '../../plugin/clip.ts'

/** Members of a registration that are stored. Others could make the service fetch URLs, or store and show data from strangers. */
const STORED_MEMBERS = new Set([
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'client_name',
  'client_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'application_type',
  'software_id',
  'software_version',
])
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const MAX_REDIRECTS = 20
const MAX_URL_LENGTH = 2000
const MAX_NAME_LENGTH = 200
/** Also fillers, which are letters without a shape. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Members for which the provider calls `normalizeMetadata`; one call is enough. */
export const EXTRA_MEMBERS = ['software_id', 'software_version']
const CALLING_MEMBER = EXTRA_MEMBERS[0]

/**
 * Normalizes client metadata (RFC 7591, or a metadata document) before validation, because real clients send a wrong `application_type`,
 * unsupported grants or scopes of other servers.
 */
export function normalizeMetadata(errors: typeof Errors, schemes: readonly string[], now: () => Date) {
  const limitRegistrations = createRegistrationLimits(now)
  return (ctx: KoaContextWithOIDC | undefined, member: string, _value: unknown, metadata: AllClientMetadata): void => {
    if (member !== CALLING_MEMBER) return
    const fields = metadata as Record<string, unknown>
    for (const [key, value] of Object.entries(fields)) {
      // Some apps send null or an empty text for a member that they do not have.
      fields[key] = STORED_MEMBERS.has(key) && value !== null ? normalizeMember(errors, key, value) : ''
      if (fields[key] === '') delete fields[key]
    }
    const redirects = Array.isArray(fields['redirect_uris']) ? (fields['redirect_uris'] as unknown[]) : []
    if (redirects.length > MAX_REDIRECTS)
      throw new errors.InvalidClientMetadata(`redirect_uris must not have more than ${MAX_REDIRECTS} members`)
    for (const uri of redirects) {
      const fault = redirectProblem(uri, schemes)
      if (fault !== null) throw new errors.CustomOIDCProviderError('invalid_redirect_uri', fault)
    }
    const addresses = redirects.map(uri => (typeof uri === 'string' ? URL.parse(uri) : null))
    // Native clients may use any port of a loopback redirect and a private URI scheme.
    const remote = addresses.length > 0 && addresses.every(url => url?.protocol === 'https:' && !isLoopback(url))
    fields['application_type'] = remote ? 'web' : 'native'
    if (Array.isArray(fields['grant_types'])) {
      const grants = (fields['grant_types'] as unknown[]).filter(grant => GRANT_TYPES.includes(grant as string))
      fields['grant_types'] = grants.includes('authorization_code') ? grants : ['authorization_code', ...grants]
    }
    if (Array.isArray(fields['response_types'])) fields['response_types'] = ['code']
    if (ctx?.oidc?.route !== 'registration') return
    const refusal = limitRegistrations(distinctOrigins(addresses))
    if (!refusal) return
    ctx.set(refusal)
    throw new errors.OIDCProviderError(429, 'slow_down')
  }
}

function normalizeMember(errors: typeof Errors, key: string, value: unknown): unknown {
  // The provider checks the types of its own members.
  if (typeof value !== 'string' && !EXTRA_MEMBERS.includes(key)) return value
  // The name is shown on the consent page, so control, bidirectional and invisible characters are removed.
  if (key === 'client_name') return firstCharacters(String(value).replace(INVISIBLE, '').trim(), MAX_NAME_LENGTH)
  if (typeof value === 'string' && value.length <= MAX_URL_LENGTH && isStorable(value)) return value
  throw new errors.InvalidClientMetadata(`${key} is no text, too long, or has a character that cannot be stored`)
}

/**
 * Returns why a redirect URI is not allowed, or null if it is. Schemes without a dot have no owner (RFC 8252 §7.1), and browsers handle
 * some of them, so only those of known apps are allowed.
 */
function redirectProblem(uri: unknown, schemes: readonly string[]): string | null {
  if (typeof uri !== 'string' || uri.length > MAX_URL_LENGTH || !isStorable(uri))
    return `redirect_uris must be addresses of an app, of at most ${MAX_URL_LENGTH} characters that can be stored`
  const url = URL.parse(uri)
  if (url === null) return 'redirect_uris has a member that is no address'
  const scheme = url.protocol.slice(0, -1)
  if (scheme === 'http')
    return isLoopback(url) ? null : 'redirect_uris may use http on localhost, 127.0.0.1 and [::1] only; use https'
  if (scheme === 'https' || scheme.includes('.') || schemes.includes(scheme)) return null
  return (
    `redirect_uris may not use the scheme ${clip(scheme, 40)}: use https, http on localhost, or a scheme of a domain of yours with a dot, ` +
    'such as com.example.app:/callback; the operator can allow others by oauth.redirect_schemes'
  )
}

/** Returns the distinct origins without port and path, because varying those costs an attacker nothing. */
function distinctOrigins(addresses: readonly (URL | null)[]): readonly string[] {
  const remote = addresses.filter(url => url !== null).filter(url => !isLoopback(url))
  return [...new Set(remote.map(({ protocol, hostname }) => `${protocol}//${hostname}`))]
}

/** Returns whether a URL points to the user's own computer. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/**
 * Creates the limits of registrations that are not per address, because an attacker may have many addresses: per redirect origin, so that
 * one app cannot use up the total, and in total. Loopback redirects count only towards the total.
 * @returns a function that returns the headers of a refusal, or null
 */
function createRegistrationLimits(
  now: () => Date,
): (origins: readonly string[]) => Readonly<Record<string, string>> | null {
  const perOrigin = createLimiter('registrations', 60, 60, now)
  const total = createLimiter('registrations in all', 300, 60, now)
  return origins => {
    for (const [limiter, key] of [...origins.map(origin => [perOrigin, origin] as const), [total, ''] as const]) {
      const allowance = limiter.take(key)
      if (!allowance.allowed) return limiter.headers(allowance)
    }
    return null
  }
}
