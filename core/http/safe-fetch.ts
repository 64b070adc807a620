import dns, { type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'

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
  // What goes wrong is told by the promise, or by the stream of the answer.
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

/** Addresses that are not of the public internet (IANA special-purpose registries). */
const NOT_PUBLIC = {
  ipv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '192.175.48.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  // Not ::ffff:0:0/96: the list maps those to IPv4 itself, and would then block every IPv4 address.
  ipv6: [
    '::/128',
    '::1/128',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ],
} as const

const blocked = new BlockList()
for (const family of ['ipv4', 'ipv6'] as const) {
  for (const range of NOT_PUBLIC[family]) {
    const [network, bits] = range.split('/')
    blocked.addSubnet(network!, Number(bits), family)
  }
}

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && !blocked.check(address, family === 6 ? 'ipv6' : 'ipv4')
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
