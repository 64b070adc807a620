const metadata = (baseUrl: string): string => `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`

/** `WWW-Authenticate` of a 401 (RFC 6750, RFC 9728); it says `invalid_token` only when a token was sent. */
export function unauthorized(baseUrl: string, tokenSent: boolean): Readonly<Record<string, string>> {
  const error = tokenSent ? ', error="invalid_token", error_description="The token is unknown, expired or revoked"' : ''
  return { 'www-authenticate': `Bearer ${metadata(baseUrl)}, scope="read write"${error}` }
}

/** `WWW-Authenticate` of a 403: the scope that this operation needs. */
export function insufficientScope(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'www-authenticate': `Bearer error="insufficient_scope", scope="write", ${metadata(baseUrl)}, error_description="This tool needs a credential with the scope write"`,
  }
}

/** The token of an `Authorization: Bearer` header; undefined when there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const match = /^bearer +([^\s,]+)\s*$/i.exec(authorization)
  return match?.[1]
}
