import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import assert from 'node:assert/strict'
import { Browser } from '../core/identity/oauth/browser.ts'
import { proofs } from '../plugins/portal/portal-host.ts'
import type { Serving } from '../processes.ts'

export const EMAIL = 'owner@localhost'
export const PASSWORD = 'a long sentence of no consequence'

/** The owner in a signed-in browser without scripts. */
export interface Person {
  /** Approves the request of an application at this address. @returns the redirect of the browser, with the code */
  approve(address: string | URL): Promise<URL>
}

/** Chooses a password through the link that a first start prints. */
export async function setUp(server: Serving): Promise<Person> {
  const code = /\/setup#(\S+)/.exec(server.output.stdout)?.[1]
  assert.ok(code !== undefined, server.output.stdout)
  const browser = new Browser(server.origin.replace('127.0.0.1', 'localhost'))
  const done = await send(browser, '/setup', await get(browser, '/setup'), {
    code,
    password: PASSWORD,
    again: PASSWORD,
  })
  assert.equal(done.status, 303, await done.text())
  return { approve: address => approve(browser, new URL(address)) }
}

async function get(browser: Browser, address: string | URL): Promise<string> {
  const response = await browser.fetch(address)
  assert.equal(response.status, 200, `${address.toString()}: ${response.status}`)
  return response.text()
}

/** Submits the form of a page. */
function send(
  browser: Browser,
  action: string,
  page: string,
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  const proof = proofs(page).get(action)
  assert.ok(proof !== undefined, `the page has no form that goes to ${action}:\n${page}`)
  const headers = { 'sec-fetch-site': 'same-origin' }
  return browser.fetch(action, { method: 'POST', headers, body: new URLSearchParams({ proof, ...fields }) })
}

async function approve(browser: Browser, asked: URL): Promise<URL> {
  let address = asked
  for (let step = 0; step < 12; step++) {
    if (address.origin !== browser.origin) return address
    const response = await browser.fetch(address)
    const location = response.headers.get('location')
    if (location !== null) {
      address = new URL(location, address)
      continue
    }
    const page = await response.text()
    const form = /action="(\/consent\/[^"]+)"/.exec(page)?.[1]
    assert.ok(form !== undefined, `${address.href} has no question:\n${page}`)
    const answered = await (await send(browser, form, page, { decision: 'allow', scope: 'write', reach: 'all' })).text()
    const redirect = /http-equiv="refresh"\s+content="0;url=([^"]+)"/.exec(answered)?.[1]
    assert.ok(redirect !== undefined, answered)
    address = new URL(redirect.replaceAll('&amp;', '&'), address)
  }
  throw new Error(`redirects in a circle: ${asked.href}`)
}

/** Redirect URI of applications with a local listener. No server listens here, because the person passes the code on. */
const CALLBACK = 'http://127.0.0.1:5123/callback'

/** Sign-in parameters of a library; the provider keeps its state in memory. */
export interface Login {
  readonly provider: OAuthClientProvider
  /** Lets the person approve. @returns the parameters of the redirect. @throws if the library sent nobody to the browser */
  approved(): Promise<URLSearchParams>
}

export function newLogin(person: Person): Login {
  let information: ReturnType<OAuthClientProvider['clientInformation']>
  let tokens: ReturnType<OAuthClientProvider['tokens']>
  let verifier = ''
  let discovery: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0] | undefined
  let address: URL | undefined
  return {
    provider: {
      redirectUrl: CALLBACK,
      clientMetadata: { client_name: 'tasuki test', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
      clientInformation: () => information,
      saveClientInformation: given => void (information = given),
      tokens: () => tokens,
      saveTokens: given => void (tokens = given),
      redirectToAuthorization: asked => void (address = asked),
      saveCodeVerifier: given => void (verifier = given),
      codeVerifier: () => verifier,
      saveDiscoveryState: given => void (discovery = given),
      discoveryState: () => discovery,
    },
    async approved() {
      assert.ok(address, 'it sent nobody to a browser')
      const { searchParams } = await person.approve(address)
      assert.ok(searchParams.has('code'), searchParams.toString())
      return searchParams
    },
  }
}
