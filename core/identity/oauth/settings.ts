import { Type, type Static } from '@sinclair/typebox'
import { EXPECTED } from '../../plugin/fields.ts'

/** Browsers handle the excluded schemes themselves, and the authorization server refuses them, whatever the config says. */
const AppScheme = Type.String({
  pattern: '^(?!(?:about|blob|data|file|https?|javascript|vbscript)$)[a-z][a-z0-9+-]*$',
  [EXPECTED]: 'a scheme of apps in small letters, such as cursor, and none that browsers handle themselves',
})

/** Schema of the `oauth` section of the config. */
export const OAuthSettingsSchema = Type.Object(
  {
    access_token_minutes: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 1440,
      description: 'Minutes until an app has to refresh its access token.',
    }),
    refresh_token_days: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 365,
      description: 'Days without use until an app has to be approved again.',
    }),
    refresh_reuse_grace_seconds: Type.Integer({
      default: 30,
      minimum: 0,
      maximum: 3600,
      description:
        'Seconds for which a used refresh token is answered with the same new tokens again, because several processes of an app may share it; using it later ends the connection.',
    }),
    registration: Type.Boolean({
      default: true,
      description: 'Lets apps register themselves (RFC 7591); most need it.',
    }),
    redirect_schemes: Type.Array(AppScheme, {
      // Cursor; VS Code and its extensions; Windsurf; Warp; Raycast; Claude.
      default: ['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'warp', 'raycast', 'claude'],
      description:
        'Schemes without a dot by which apps on the own computer may be called back. Allowed anyway: https, http on the own computer, and schemes with a dot such as com.example.app.',
    }),
    client_metadata_documents: Type.Boolean({
      default: true,
      description:
        'Lets apps identify themselves by a document on their own site, which the service fetches by https; set false if it has no access to the internet.',
    }),
  },
  { default: {}, additionalProperties: false, description: 'Apps that people connect by signing in.' },
)
export type OAuthSettings = Static<typeof OAuthSettingsSchema>

/** Scopes of the only resource, `/mcp`; write implies read. */
export const SCOPES = ['read', 'write'] as const

/** Seconds after which an unused registration expires. */
export const UNUSED_CLIENT_SECONDS = 30 * 24 * 3600

/** Paths of the authorization server. */
export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
  /** Redirects a browser to the sign-in page. */
  signIn: '/oauth/sign-in',
} as const

/** Returns the resource of access tokens, which is also their audience. */
export function resourceOf(baseUrl: string): string {
  return `${baseUrl}/mcp`
}

/** Well-known path of the protected resource metadata (RFC 9728 §3). */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
