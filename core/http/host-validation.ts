import type { FastifyRequest } from 'fastify'
import type { HostFault } from '../plugin/services.ts'

/** Tells which host names are the service's own; they compare without case and without the brackets of an IPv6 address. */
function hostList(names: readonly string[]): (hostname: string) => boolean {
  const allowed = new Set(names.map(bareHost))
  return hostname => allowed.has(bareHost(hostname))
}

function bareHost(name: string): string {
  const lower = name.toLowerCase()
  return lower.startsWith('[') ? lower.slice(1, -1) : lower
}

/** Names by which programs on one machine reach another one there. */
export const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'] as const
const isLoopback = hostList(LOOPBACK)

/**
 * The service's address under the name that a request used: on its own machine a service has several, and clients compare what they are
 * told with what they were given. Elsewhere it has one, whatever a request says.
 */
export function addressedAs(baseUrl: string, { host, hostname }: Pick<FastifyRequest, 'host' | 'hostname'>): string {
  const { hostname: own, host: ownHost, protocol } = new URL(baseUrl)
  const samePort = host.slice(hostname.length) === ownHost.slice(own.length)
  return isLoopback(own) && isLoopback(hostname) && samePort ? `${protocol}//${host}` : baseUrl
}

/** Whether an address is one of the service's, see `addressedAs`. */
export function isAddress(url: URL, baseUrl: string): boolean {
  return url.origin === new URL(addressedAs(baseUrl, url)).origin
}

/** Tells which origins of pages are allowed, by their host names. */
export function originList(names: readonly string[]): (origin: string) => boolean {
  const isAllowed = hostList(names)
  return origin => {
    const url = URL.parse(origin)
    return url !== null && isAllowed(url.hostname)
  }
}

/** Guards against requests for other names (DNS rebinding): under such a name a page here would be one of whoever owns the name. */
export function hostGuard(names: readonly string[]): (request: FastifyRequest) => HostFault | null {
  const isOwn = hostList(names)
  return request => (!namesOneHost(request) ? 'ambiguous' : isOwn(request.hostname) ? null : 'foreign')
}

/**
 * Whether a request says in one way only which host it is for. An absolute-form target overrides the Host header in some readers
 * and not in others, and of two Host headers a proxy may believe the other one.
 */
function namesOneHost({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  if (!raw.url?.startsWith('/')) return false
  let hosts = 0
  // Names and values alternate.
  for (let n = 0; n < raw.rawHeaders.length; n += 2) {
    const name = raw.rawHeaders[n]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1
}
