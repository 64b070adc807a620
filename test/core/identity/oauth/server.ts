import { createHash, randomBytes } from 'node:crypto'
import { testHost, type TestHost, type TestHostOptions } from 'tasuki/testing'
import { signInPlugin, WITHOUT_PORTAL } from '../../../fixtures/plugins/sign-in.ts'
import { Browser, type Outcome, type Visit } from './browser.ts'

export interface Registered {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uris: readonly string[]
  readonly [member: string]: unknown
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
  readonly token_type: string
}

/** A code with the data to redeem it. */
export interface Code {
  readonly client: Registered
  readonly verifier: string
  readonly code: string
  readonly redirectUri: string
  readonly outcome: Outcome
}

/** A listening host with an authorization server, and the steps of a client. */
export interface OAuthServer {
  readonly host: TestHost
  readonly origin: string
  readonly mcp: string
  browser(): Browser
  register(metadata: object): Promise<{ status: number; body: Registered & { error?: string }; headers: Headers }>
  /** @param query in addition to the parameters of every request; undefined omits a parameter */
  authorizeUrl(clientId: string, query: Readonly<Record<string, string | undefined>>): string
  token(form: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Response>
  /** Registers a client unless the options contain one, and has it approved. */
  code(options?: CodeOptions): Promise<Code>
  redeem(code: Code, form?: Readonly<Record<string, string>>): Promise<Response>
  /** Runs all steps up to the tokens. */
  connect(options?: CodeOptions): Promise<Tokens & { readonly client: Registered }>
  refresh(client: Registered, refreshToken: string): Promise<Response>
  list(accessToken: string, address?: string): Promise<Response>
}

export interface CodeOptions {
  readonly client?: Registered
  readonly metadata?: object
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly visit?: Visit
  readonly browser?: Browser
}

export const LOOPBACK_CLIENT = {
  client_name: 'Test client',
  redirect_uris: ['http://127.0.0.1:53123/callback'],
  token_endpoint_auth_method: 'none',
}

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export async function oauthServer(
  t: Parameters<typeof testHost>[0],
  options: TestHostOptions = {},
): Promise<OAuthServer> {
  const host = await testHost(t, {
    ...options,
    config: { ...WITHOUT_PORTAL, ...options.config },
    plugins: [...(options.plugins ?? []), signInPlugin()],
  })
  const mcp = await host.listen()
  const { origin } = new URL(options.baseUrl ?? mcp)
  const server: OAuthServer = {
    host,
    origin,
    mcp,
    browser: () => new Browser(origin),
    async register(metadata) {
      const response = await fetch(`${origin}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(metadata),
      })
      return { status: response.status, headers: response.headers, body: (await response.json()) as Registered }
    },
    authorizeUrl(clientId, query) {
      const all = { response_type: 'code', client_id: clientId, code_challenge_method: 'S256', state: 'st', ...query }
      const definedEntries = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return `${origin}/oauth/authorize?${new URLSearchParams(definedEntries).toString()}`
    },
    token: (form, headers = {}) =>
      fetch(`${origin}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      }),
    async code({ client, metadata = LOOPBACK_CLIENT, query = {}, visit, browser = server.browser() } = {}) {
      const registered = client ?? (await server.register(metadata)).body
      const { verifier, challenge } = pkce()
      const redirectUri = query['redirect_uri'] ?? registered.redirect_uris[0]!
      const address = server.authorizeUrl(registered.client_id, {
        redirect_uri: redirectUri,
        code_challenge: challenge,
        ...query,
      })
      const outcome = await browser.authorize(address, visit)
      const code = outcome.callback?.searchParams.get('code') ?? ''
      return { client: registered, verifier, redirectUri, code, outcome }
    },
    redeem: ({ client, code, verifier, redirectUri }, form = {}) =>
      server.token({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: client.client_id,
        code_verifier: verifier,
        ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
        ...form,
      }),
    async connect(connectOptions) {
      const code = await server.code(connectOptions)
      const response = await server.redeem(code)
      const tokens = (await response.json()) as Tokens
      if (response.status !== 200)
        throw new Error(`${JSON.stringify(tokens)} ${code.outcome.text} ${code.outcome.callback?.href}`)
      return { ...tokens, client: code.client }
    },
    refresh: (client, refreshToken) =>
      server.token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client.client_id }),
    list: (accessToken, address = mcp) =>
      fetch(address, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      }),
  }
  return server
}
