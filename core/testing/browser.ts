import type { FastifyInstance } from 'fastify'

/** Password of the users whose browsers `TestHost.browser` opens. */
export const PASSWORD = 'horse cake violet zinc'

export interface Page {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly text: string
  readonly bytes: Buffer
  readonly location: string | undefined
}

/** A browser of the portal, without scripts: it keeps cookies and submits forms with their current values. */
export interface Browser {
  readonly cookies: Map<string, string>
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Page>
  /** Submits the form of the last page with this address. @throws if there is none */
  send(address: string, fields?: Fields, headers?: Readonly<Record<string, string>>): Promise<Page>
  /** Submits a form with files, with the CSRF proof of the last page or of the fields. */
  upload(address: string, fields: Fields, files: readonly SentFile[]): Promise<Page>
  /** Posts arbitrary fields. */
  post(address: string, fields: Fields, headers?: Readonly<Record<string, string>>): Promise<Page>
  /** Returns the CSRF proof of the last page for an address. */
  proof(address: string): string | undefined
}
type Fields = Readonly<Record<string, string | readonly string[]>>
/** A file of a form. */
export interface SentFile {
  readonly field: string
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer> | string
}

export function newBrowser(app: FastifyInstance, origin = 'http://localhost:3000', ip = '127.0.0.1'): Browser {
  const cookies = new Map<string, string>()
  let last = ''
  const request = async (
    method: 'GET' | 'POST',
    url: string,
    headers: Readonly<Record<string, string>>,
    payload?: string | Buffer,
  ): Promise<Page> => {
    const response = await app.inject({
      method,
      url,
      remoteAddress: ip,
      headers: {
        host: new URL(origin).host,
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(payload !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
        }),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    })
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
    }
    last = response.body
    const { location } = response.headers
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      bytes: response.rawPayload,
      location,
    }
  }
  const proof: Browser['proof'] = address => proofs(last).get(address)
  const post: Browser['post'] = (address, fields, headers = {}) => {
    const body = new URLSearchParams()
    for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) body.append(name, value)
    return request('POST', address, headers, body.toString())
  }
  return {
    cookies,
    proof,
    post,
    get: (url, headers = {}) => request('GET', url, headers),
    async upload(address, fields, files) {
      const form = new FormData()
      const all = { proof: proof(address) ?? '', once: onceIn(last), ...fields }
      for (const [name, values] of Object.entries(all)) for (const value of [values].flat()) form.append(name, value)
      for (const { field, name, bytes } of files) form.append(field, new Blob([bytes]), name)
      const sent = new Response(form)
      const type = { 'content-type': sent.headers.get('content-type')! }
      return request('POST', address, type, Buffer.from(await sent.arrayBuffer()))
    },
    async send(address, fields = {}, headers) {
      const formProof = proof(address)
      const page = last || 'nothing, as a redirect has; get a page first'
      if (formProof === undefined) throw new Error(`the last answer has no form that goes to ${address}:\n${page}`)
      return post(address, { proof: formProof, once: onceIn(last), ...fields }, headers)
    },
  }
}

/** Returns the value that tells the posts of one page from those of another. */
const onceIn = (text: string): string => /name="once"\s+value="([^"]+)"/.exec(text)?.[1] ?? ''

/** Returns the CSRF proofs of a page's forms, by address. */
export function proofs(text: string): ReadonlyMap<string, string> {
  const forms = text.matchAll(
    /<form\s+method="post"\s+action="([^"]+)"[^>]*>\s*<input[^>]*?name="proof"\s+value="([^"]+)"/g,
  )
  return new Map([...forms].map(match => [match[1]!, match[2]!]))
}
