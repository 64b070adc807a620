import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HostFault } from '../plugin/services.ts'

/** Creates a matcher of host names, which ignores case and the brackets of IPv6 addresses. */
function hostMatcher(names: readonly string[]): (hostname: string) => boolean {
  const allowed = new Set(names.map(bareHost))
  return hostname => allowed.has(bareHost(hostname))
}

function bareHost(name: string): string {
  const lower = name.toLowerCase()
  return lower.startsWith('[') ? lower.slice(1, -1) : lower
}

/** Names of the local machine. */
export const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'] as const
const isLoopback = hostMatcher(LOOPBACK)

/**
 * Returns the base URL with the loopback name that the request used. A local service has several names, and clients compare its metadata
 * with the URL that they were given. A service with a public base URL has only that one.
 */
export function resolveBaseUrl(baseUrl: string, { host, hostname }: Pick<FastifyRequest, 'host' | 'hostname'>): string {
  const { hostname: own, host: ownHost, protocol } = new URL(baseUrl)
  const samePort = host.slice(hostname.length) === ownHost.slice(own.length)
  return isLoopback(own) && isLoopback(hostname) && samePort ? `${protocol}//${host}` : baseUrl
}

/** Creates a matcher of allowed origins, by their host names. */
export function originMatcher(names: readonly string[]): (origin: string) => boolean {
  const isAllowed = hostMatcher(names)
  return origin => {
    const url = URL.parse(origin)
    return url !== null && isAllowed(url.hostname)
  }
}

/** The message for callers, who often are the operator behind a new proxy. */
export const FOREIGN_HOST =
  'This host name is not one of the service. Its operator sets BASE_URL, or adds the name to allowed_hosts of the config.'
export const FOREIGN_ORIGIN =
  'This origin may not use the service. Its operator adds the host to allowed_origins of the config.'

/**
 * Creates the check of the request's host, which prevents DNS rebinding: on a foreign name, a page here would belong to the owner of that
 * name.
 */
export function hostGuard(names: readonly string[]): (request: FastifyRequest) => HostFault | null {
  const isOwn = hostMatcher(names)
  return request => (!hasSingleHost(request) ? 'ambiguous' : isOwn(request.hostname) ? null : 'foreign')
}

/** Rejects requests to foreign hosts, for routes of OAuth and discovery, whose errors are JSON. */
export function refuseForeignHosts(scope: FastifyInstance, names: readonly string[]): void {
  const hostFault = hostGuard(names)
  scope.addHook('onRequest', async (request, reply) => {
    const fault = hostFault(request)
    if (fault === 'ambiguous') return reply.code(400).send({ error: 'invalid_request' })
    if (fault === 'foreign')
      return reply.code(421).send({ error: 'misdirected_request', error_description: FOREIGN_HOST })
    return undefined
  })
}

/**
 * Returns whether a request names exactly one host. Servers disagree on whether an absolute-form target overrides the Host header, and of
 * two Host headers a proxy may use the other one.
 */
function hasSingleHost({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  // Names and values alternate.
  const isHost = (name: string, n: number): boolean => n % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host'
  return raw.url?.startsWith('/') === true && raw.rawHeaders.filter(isHost).length === 1
}
