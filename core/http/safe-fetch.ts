import ipaddr from 'ipaddr.js'
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import type { PublicRequest, PublicResponse } from '../plugin/public-request.ts'

/**
 * Fetches a URL from an untrusted source, without access to the operator's network (SSRF): only https on the default port, public names, no
 * redirects, and no connection until all resolved addresses are known to be public.
 * @throws Error with the reason
 */
export async function safeFetch(
  address: string,
  { method = 'GET', headers: sent, body, mostBytes, timeoutMs }: PublicRequest,
): Promise<PublicResponse> {
  const url = parseAllowedUrl(address)
  const signal = AbortSignal.timeout(timeoutMs)
  const addresses = await resolvePublic(url.hostname, signal)
  const [first] = addresses
  const request = https.request({
    method,
    host: url.hostname,
    path: `${url.pathname}${url.search}`,
    headers: { accept: 'application/json', 'user-agent': 'tasuki', ...sent },
    agent: false,
    lookup: (_name, { all }, done) => (all ? done(null, addresses) : done(null, first.address, first.family)),
    maxHeaderSize: 8192,
    signal,
  })
  // Errors reject the promise or destroy the response stream.
  request.on('error', () => undefined)
  request.end(body)
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
const isIsatap = ({ parts }: ipaddr.IPv6): boolean => parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200)

/**
 * Resolves a name by DNS alone. `dns.lookup` would occupy one of the few threads of the process that look up all names, also that of the
 * database, for as long as a stranger's name server does not answer.
 * @throws Error if any address is not public, because a mix is a sign of an attack
 */
async function resolvePublic(hostname: string, signal: AbortSignal): Promise<[LookupAddress, ...LookupAddress[]]> {
  const resolver = new Resolver()
  signal.addEventListener('abort', () => resolver.cancel())
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const [first, ...others] = [ipv4, ipv6].flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
  if (first === undefined)
    throw new Error(`${hostname} cannot be resolved`, ipv4.status === 'rejected' ? { cause: ipv4.reason } : {})
  if (![first, ...others].every(isPublicAddress)) throw new Error(`${hostname} does not lead to the public internet`)
  const toLookup = (address: string): LookupAddress => ({ address, family: isIP(address) })
  return [toLookup(first), ...others.map(toLookup)]
}
