import ipaddr from 'ipaddr.js'
import dns, { type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

export interface SafeFetchOptions {
  /** Most bytes of the answer. */
  readonly mostBytes: number
  /** Milliseconds for all of it. */
  readonly timeoutMs: number
}

export interface Fetched {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/**
 * Gets an address that a stranger has named, which must not lead into the operator's network: https on its own port, a public name,
 * no redirects, and no connection before all its addresses are known to be public.
 * @throws Error saying what is not allowed, or why it failed.
 */
export async function safeFetch(address: string, { mostBytes, timeoutMs }: SafeFetchOptions): Promise<Fetched> {
  const url = allowedUrl(address)
  const signal = AbortSignal.timeout(timeoutMs)
  const request = https.get({
    host: url.hostname,
    path: `${url.pathname}${url.search}`,
    headers: { accept: 'application/json', 'user-agent': 'tasuki' },
    agent: false,
    lookup: publicLookup,
    maxHeaderSize: 8192,
    signal,
  })
  // Errors reject the promise, or destroy the stream of the answer.
  request.on('error', () => undefined)
  const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
  try {
    const { statusCode: status = 0, headers } = response
    if (status >= 300 && status < 400) throw new Error('redirects are not followed')
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`)
      chunks.push(chunk)
    }
    return { status, headers, body: Buffer.concat(chunks) }
  } finally {
    request.destroy()
  }
}

/** Names that are answered by the machine or the network itself. */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test|invalid|onion|home\.arpa)\.?$/i

function allowedUrl(address: string): URL {
  const url = new URL(address)
  const { protocol, username, password, port, hostname, hash } = url
  if (protocol !== 'https:' || port !== '') throw new Error('only https on its own port is allowed')
  if (username !== '' || password !== '' || hash !== '') throw new Error('the address may not carry more than a path')
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) throw new Error('addresses must have a name')
  if (!hostname.includes('.') || PRIVATE_NAME.test(hostname)) throw new Error('the name is not a public one')
  return url
}

/** What IANA gives to networks; IPv4 addresses written as IPv6 ones in the old way (`::10.0.0.1`) are outside of it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address belongs to the public internet; an IPv4 address mapped to IPv6 (`::ffff:…`) is taken for itself. Other ways of
 * putting an IPv4 address into an IPv6 one (IPv4-compatible, NAT64, 6to4, Teredo, ISATAP) lead to a machine that translates: never public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || (parsed.match(GLOBAL_UNICAST) && !isIsatap(parsed))
}

/** RFC 5214 §6.1: the interface is 0:5efe or 200:5efe and an IPv4 address, in any network. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}

/** One address that is not public is enough to refuse all: answers that mix them are made to get in. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, '')
    const [first] = addresses
    if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new Error(`${hostname} does not lead to the public internet`), '')
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
