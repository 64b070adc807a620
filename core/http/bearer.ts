/** URL of the endpoint's protected resource metadata (RFC 9728 §3.1); null without an authorization server. */
type MetadataUrl = string | null

/** Returns the `WWW-Authenticate` header of a 401 (RFC 6750, RFC 9728); `invalid_token` is included only if a token was sent. */
export function unauthorized(metadataUrl: MetadataUrl, tokenSent: boolean): Readonly<Record<string, string>> {
  return bearerChallenge([
    ...metadataParameter(metadataUrl),
    'scope="read write"',
    ...(tokenSent ? ['error="invalid_token"', 'error_description="The token is unknown, expired or revoked"'] : []),
  ])
}

/** Returns the `WWW-Authenticate` header of a 403 with the required scope. */
export function insufficientScope(metadataUrl: MetadataUrl): Readonly<Record<string, string>> {
  return bearerChallenge([
    'error="insufficient_scope"',
    'scope="write"',
    ...metadataParameter(metadataUrl),
    'error_description="This tool needs a credential with the scope write"',
  ])
}

function bearerChallenge(parameters: readonly string[]): Readonly<Record<string, string>> {
  return { 'www-authenticate': `Bearer ${parameters.join(', ')}` }
}

/** Without metadata the parameter is omitted, because a client would report the missing document instead of the missing token. */
function metadataParameter(url: MetadataUrl): readonly string[] {
  return url === null ? [] : [`resource_metadata="${url}"`]
}

/** Returns the token of an `Authorization: Bearer` header; undefined if there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([^\s,]+)\s*$/i.exec(authorization ?? '')?.[1]
}
