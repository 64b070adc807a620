import type { AuthorizationAnswer, AuthorizationRequest, Scope } from 'tasuki/plugin'

/** Outcome of an authorization request. */
export interface Outcome {
  /** Redirect back to the client; null if there was none. */
  readonly callback: URL | null
  /** Data of the consent page. */
  readonly asked: AuthorizationRequest | null
  /** Last answer of the service, if there was no redirect. */
  readonly status: number
  readonly text: string
  readonly paths: readonly string[]
}

export interface Visit {
  /** User who signs in; null = no sign-in. */
  readonly as?: string | null
  /** Approved scopes; default: all requested scopes, null = denied. */
  readonly grant?: readonly Scope[] | null
  /** Approved projects; default: all. */
  readonly projects?: AuthorizationAnswer['projects']
  /** Leaves the consent page open. */
  readonly stopAtConsent?: boolean
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly path: string
}

/** A browser with cookies that follows redirects and fills in the pages of the fixture plugin. */
export class Browser {
  readonly origin: string
  cookies: Cookie[] = []
  constructor(origin: string) {
    this.origin = origin
  }

  async fetch(address: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, this.origin)
    const sent = this.cookies.filter(({ path }) => url.pathname.startsWith(path))
    const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ')
    const headers = { accept: 'text/html,*/*', ...(cookie !== '' && { cookie }), ...(init.headers as object) }
    const response = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) this.#take(line)
    return response
  }

  post(address: string, body: object): Promise<Response> {
    return this.fetch(address, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  }

  signIn(email: string): Promise<Response> {
    return this.post('/test/sign-in', { email })
  }

  /** Opens an authorization address and follows the pages until they lead back to the client or to an error. */
  async authorize(address: string | URL, visit: Visit = {}): Promise<Outcome> {
    const { as = 'owner@example.com', grant, projects = null, stopAtConsent = false } = visit
    const paths: string[] = []
    let asked: AuthorizationRequest | null = null
    let next = new URL(address)
    for (let step = 0; step < 12; step++) {
      if (next.origin !== this.origin) return { callback: next, asked, status: 0, text: '', paths }
      paths.push(next.pathname)
      const response = await this.fetch(next)
      const location = response.headers.get('location')
      if (location !== null) {
        next = new URL(location, next)
        continue
      }
      const text = await response.text()
      const page = json(text)
      if (page?.['page'] === 'sign in' && as !== null) {
        await this.signIn(as)
        next = new URL(String(page['returnTo']), next)
      } else if (page?.['page'] === 'consent') {
        asked = page['pending'] as AuthorizationRequest
        if (stopAtConsent) return { callback: null, asked, status: response.status, text, paths }
        const granted = grant === undefined ? asked.scopes : grant
        const answer = await this.post(next.pathname, { granted, projects })
        if (answer.status !== 200)
          return { callback: null, asked, status: answer.status, text: await answer.text(), paths }
        next = new URL(((await answer.json()) as { goOn: string }).goOn, next)
      } else return { callback: null, asked, status: response.status, text, paths }
    }
    throw new Error(`goes round in circles: ${paths.join(' ')}`)
  }

  #take(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map(part => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const value = pair.slice(name.length + 1)
    const known = new Map(attributes.map(text => [text.split('=')[0]!.toLowerCase(), text.split('=')[1] ?? '']))
    const path = known.get('path') ?? '/'
    this.cookies = this.cookies.filter(cookie => cookie.name !== name || cookie.path !== path)
    if (value !== '' && !/1970/.test(known.get('expires') ?? '')) this.cookies.push({ name, value, path })
  }
}

function json(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}
