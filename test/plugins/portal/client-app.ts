import type { FastifyInstance } from 'fastify'
import { createHash, randomBytes } from 'node:crypto'
import type { Browser, Page } from './portal-host.ts'

const HOST = 'localhost:3000'
/** Redirect URI of applications. */
export const CALLBACK = 'http://localhost:5123/callback'

/** The last page of a flow, with its address if it was a redirect. */
export type Ended = Page & { readonly address?: string }

/** Acts as a client: registers, unless it has an id, and sends the browser to the service. @returns the last page of the flow */
export async function authorize(
  app: FastifyInstance,
  browser: Browser,
  {
    name = 'Claude',
    redirect = CALLBACK,
    scope = 'read write',
    client,
  }: { readonly name?: string; readonly redirect?: string; readonly scope?: string; readonly client?: string } = {},
): Promise<{ readonly id: string; readonly verifier: string; readonly page: Ended }> {
  const id = client ?? (await register(app, { client_name: name, redirect_uris: [redirect] }))
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirect,
    scope,
    state: 'xyz',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `http://${HOST}/mcp`,
  })
  return { id, verifier, page: await follow(browser, await browser.get(`/oauth/authorize?${query.toString()}`)) }
}

async function register(app: FastifyInstance, metadata: object): Promise<string> {
  const headers = { host: HOST, 'content-type': 'application/json' }
  const payload = { ...metadata, token_endpoint_auth_method: 'none' }
  const registered = await app.inject({ method: 'POST', url: '/oauth/register', headers, payload })
  return registered.json<{ client_id: string }>().client_id
}

/** Returns the form address of a consent page. */
export const consentForm = ({ text }: Page): string => /action="(\/consent\/[^"]+)"/.exec(text)![1]!

/** Submits a consent page, for all projects unless the fields name some, and follows redirects. */
export async function answer(browser: Browser, page: Page, fields: Record<string, string | string[]>): Promise<Ended> {
  const said = await browser.send(consentForm(page), { reach: 'all', ...fields })
  if (said.status !== 200) throw new Error(`the answer was refused: ${said.text}`)
  const [, redirectAddress] = /http-equiv="refresh"\s+content="0;url=([^"]+)"/.exec(said.text)!
  return follow(browser, await browser.get(redirectAddress!.replaceAll('&amp;', '&')))
}

/** Follows redirects within the service. */
export async function follow(browser: Browser, page: Page): Promise<Ended> {
  let address: string | undefined
  for (let hop = 0; page.location !== undefined && hop < 10; hop++) {
    address = new URL(page.location, `http://${HOST}`).href
    if (!address.startsWith(`http://${HOST}/`)) return { ...page, address }
    page = await browser.get(address.slice(`http://${HOST}`.length))
  }
  return { ...page, ...(address !== undefined && { address }) }
}
