import ipaddr from 'ipaddr.js'
import dns, { type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

export interface SafeFetchOptions {
  /** Maximum size of the response body. */
  readonly mostBytes: number
  /** Timeout of the whole request in milliseconds. */
  readonly timeoutMs: number
}

export interface Fetched {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/**
 * Fetches a URL from an untrusted source, without access to the operator's network (SSRF): only https on the default port, public names, no
 * redirects, and no connection until all resolved addresses are known to be public.
 * @throws Error with the reason
 */
export async function safeFetch(address: string, { mostBytes, timeoutMs }: SafeFetchOptions): Promise<Fetched> {
  const url = parseAllowedUrl(address)
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
  // Errors reject the promise or destroy the response stream.
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

/** Names that resolve to the machine or the local network. */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test|invalid|onion|home\.arpa)\.?$/i

function parseAllowedUrl(address: string): URL {
  const url = new URL(address)
  const { protocol, username, password, port, hostname, hash } = url
  if (protocol !== 'https:' || port !== '') throw new Error('only https on its own port is allowed')
  if (username !== '' || password !== '' || hash !== '') throw new Error('the address may not carry more than a path')
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) throw new Error('addresses must have a name')
  if (!hostname.includes('.') || PRIVATE_NAME.test(hostname)) throw new Error('the name is not a public one')
  return url
}

/** Global unicast addresses assigned by IANA. Excludes IPv4-compatible addresses (`::10.0.0.1`). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns whether an IP address is on the public internet. An IPv4-mapped address (`::ffff:…`) is checked as IPv4. Other embeddings of IPv4
 * in IPv6 (IPv4-compatible, NAT64, 6to4, Teredo, ISATAP) are never public, because they lead to a translator.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || (parsed.match(GLOBAL_UNICAST) && !isIsatap(parsed))
}

/** RFC 5214 §6.1: the interface identifier is 0:5efe or 200:5efe and an IPv4 address, in any network. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)
}

/** Rejects a name if any of its addresses is not public, because a mix is a sign of an attack. */
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
