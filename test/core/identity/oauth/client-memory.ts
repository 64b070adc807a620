import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { randomBytes } from 'node:crypto'
import type { Tokens } from './server.ts'

/** State of an official client, including the address to which it sends the browser. */
export interface ClientMemory {
  readonly provider: OAuthClientProvider
  authorizationUrl(): URL
  tokens(): Tokens | undefined
  clientId(): string | undefined
}

export function clientMemory(
  metadata: object = {},
  documentUrl?: string,
  redirectUrl = 'http://127.0.0.1:53123/callback',
): ClientMemory {
  const kept: Record<string, unknown> = {}
  const forget = (scope: string): void => {
    if (scope === 'all' || scope === 'client') delete kept['client']
    if (scope === 'all' || scope === 'tokens') delete kept['tokens']
  }
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Test client',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...metadata,
    },
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    state: () => (kept['state'] ??= randomBytes(16).toString('hex')),
    clientInformation: () => kept['client'],
    saveClientInformation: (client: unknown) => void (kept['client'] = client),
    tokens: () => kept['tokens'],
    saveTokens: (tokens: unknown) => void (kept['tokens'] = tokens),
    redirectToAuthorization: (url: URL) => void (kept['url'] = url),
    saveCodeVerifier: (verifier: string) => void (kept['verifier'] = verifier),
    codeVerifier: () => kept['verifier'],
    saveDiscoveryState: (state: unknown) => void (kept['discovery'] = state),
    discoveryState: () => kept['discovery'],
    invalidateCredentials: forget,
  }
  return {
    provider: provider as unknown as OAuthClientProvider,
    authorizationUrl: () => kept['url'] as URL,
    tokens: () => kept['tokens'] as Tokens | undefined,
    clientId: () => (kept['client'] as { client_id: string } | undefined)?.client_id,
  }
}
