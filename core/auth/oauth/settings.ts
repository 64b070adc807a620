import type { Config } from '../../config/schema.ts'

/** The `oauth` part of the config. */
export type OAuthSettings = Config['oauth']

/** Scopes of the one resource, `/mcp`; write implies read. */
export const SCOPES = ['read', 'write'] as const

/** Seconds that a registration lasts which nobody has used. */
export const UNUSED_CLIENT_SECONDS = 30 * 24 * 3600

/** Addresses of the authorization server. */
export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  /** Where a browser is sent on to the sign-in page. */
  signIn: '/oauth/sign-in',
} as const

/** The resource that access tokens are for, which is also their audience. */
export function resourceOf(baseUrl: string): string {
  return `${baseUrl}/mcp`
}

/** Well-known path of what describes a protected resource (RFC 9728 §3). */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/** Where the resource is described; the resource's own path stands behind the well-known one (RFC 9728 §3.1). */
export function metadataOf(baseUrl: string): string {
  return `${baseUrl}${RESOURCE_METADATA}/mcp`
}
