import { fastifyCookie } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { HostServices } from 'tasuki/plugin'
import type { HttpContext, HttpRequest } from '../http-context.ts'

type Origin = Pick<HostServices, 'baseUrl'>
/**
 * The portal's cookies: the session, an anonymous visitor, a notice for the next page, a sign-in in progress at the provider, the language
 * chosen before sign-in, a known device, and a sign-in that waits for its second step.
 */
export type CookieName = 'session' | 'visitor' | 'notice' | 'provider' | 'language' | 'device' | 'second_step'

/** With the prefix, a browser accepts the cookie only from this exact host over TLS (RFC 6265bis §4.1.3.2). */
function fullName(services: Origin, name: CookieName): string {
  return `${isSecure(services) ? '__Host-' : ''}tasuki-${name}`
}

export function isSecure(services: Origin): boolean {
  return services.baseUrl().startsWith('https:')
}

export function readCookie({ services, request }: HttpRequest, name: CookieName): string | undefined {
  // Not the plugin's request.cookies: the authorization server calls this from routes without the cookies plugin.
  return fastifyCookie.parse(request.headers.cookie ?? '')[fullName(services, name)]
}

/** @param seconds lifetime; null = until the browser is closed */
export function setCookie(
  { services, reply }: Pick<HttpContext, 'services' | 'reply'>,
  name: CookieName,
  value: string,
  seconds: number | null,
): void {
  const options = {
    path: '/',
    httpOnly: true,
    secure: isSecure(services),
    // Not strict: users arrive from pages of applications that request access.
    sameSite: 'lax' as const,
    ...(seconds !== null && { maxAge: seconds }),
  }
  // Appended, because a reply may set several cookies.
  reply.header('set-cookie', fastifyCookie.serialize(fullName(services, name), value, options))
}

export function clearCookie(http: Pick<HttpContext, 'services' | 'reply'>, name: CookieName): void {
  setCookie(http, name, '', 0)
}

const visitors = new WeakMap<FastifyRequest, string>()

/** Returns the id to which forms of an anonymous visitor are bound, created on the first page with a form. */
export function visitorId(http: HttpContext): string {
  const { request } = http
  const known = visitors.get(request) ?? readCookie(http, 'visitor')
  // Nothing else: it is signed together with a purpose.
  if (known !== undefined && /^[\w-]{32}$/.test(known)) return known
  const id = randomBytes(24).toString('base64url')
  visitors.set(request, id)
  setCookie(http, 'visitor', id, null)
  return id
}
