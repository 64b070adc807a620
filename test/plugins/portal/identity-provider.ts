import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const CALLBACK = '/sign-in/provider/callback'

/** A real OpenID provider that signs people in by a header instead of a page. */
interface Idp {
  readonly issuer: string
  readonly server: Server
  /** The person at the provider. */
  person: { sub: string; email: string; verified: boolean; amr?: readonly string[] }
}

export async function openIdProvider(): Promise<Idp> {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const idp: Idp = { issuer, server, person: { sub: 'a', email: 'a@example.com', verified: true } }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'tasuki',
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [`http://localhost:3000${CALLBACK}`],
      },
    ],
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a test key'] },
    interactions: { url: (_ctx, { uid }) => `/there/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: idp.person.email, email_verified: idp.person.verified }),
    }),
  })
  const callback = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url!.startsWith('/there/')) return void callback(request, response)
    // The person accepts everything without a page.
    void (async () => {
      const { prompt, params, session } = await provider.interactionDetails(request, response)
      if (prompt.name === 'login') {
        return provider.interactionFinished(request, response, {
          login: { accountId: idp.person.sub, ...(idp.person.amr && { amr: [...idp.person.amr] }) },
        })
      }
      const grant = new provider.Grant({ accountId: session!.accountId, clientId: String(params['client_id']) })
      grant.addOIDCScope(String(params['scope']))
      return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } })
    })()
  })
  return idp
}

/** Follows the redirects of the provider like a browser. @returns the path of the portal at the end */
export async function followRedirects(address: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = address
  for (let hop = 0; hop < 12 && !next.startsWith('http://localhost:3000'); hop++) {
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair] = cookie.split(';')
      const at = pair!.indexOf('=')
      cookies.set(pair!.slice(0, at), pair!.slice(at + 1))
    }
    next = new URL(
      response.headers.get('location') ?? assert.fail(`${next} did not redirect: ${await response.text()}`),
      next,
    ).href
  }
  return next.slice('http://localhost:3000'.length)
}
