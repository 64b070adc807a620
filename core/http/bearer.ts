/** Where the endpoint's protected-resource metadata is (RFC 9728 §3.1); null where no authorization server could be named in it. */
type MetadataUrl = string | null

/** `WWW-Authenticate` of a 401 (RFC 6750, RFC 9728); it says `invalid_token` only when a token was sent. */
export function unauthorized(metadataUrl: MetadataUrl, tokenSent: boolean): Readonly<Record<string, string>> {
  return bearer([
    ...metadata(metadataUrl),
    'scope="read write"',
    ...(tokenSent ? ['error="invalid_token"', 'error_description="The token is unknown, expired or revoked"'] : []),
  ])
}

/** `WWW-Authenticate` of a 403: the scope that this operation needs. */
export function insufficientScope(metadataUrl: MetadataUrl): Readonly<Record<string, string>> {
  return bearer([
    'error="insufficient_scope"',
    'scope="write"',
    ...metadata(metadataUrl),
    'error_description="This tool needs a credential with the scope write"',
  ])
}

function bearer(parameters: readonly string[]): Readonly<Record<string, string>> {
  return { 'www-authenticate': `Bearer ${parameters.join(', ')}` }
}

/** A client that is sent to an address that is not there would report that instead of the missing token. */
function metadata(url: MetadataUrl): readonly string[] {
  return url === null ? [] : [`resource_metadata="${url}"`]
}

/** The token of an `Authorization: Bearer` header; undefined when there is none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const match = /^bearer +([^\s,]+)\s*$/i.exec(authorization)
  return match?.[1]
}
