import { fastifyCookie } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { HostServices } from 'tasuki/plugin'

type Origin = Pick<HostServices, 'baseUrl'>
/**
 * What the portal keeps in a browser: who is signed in, who is not yet, a notice for the next page, a sign-in under way elsewhere,
 * the language that was chosen before anybody signed in, that a user has signed in there, and a sign-in that waits for its second step.
 */
export type CookieName = 'session' | 'visitor' | 'notice' | 'provider' | 'language' | 'device' | 'second_step'

/** With the prefix a browser takes the cookie from this very host over TLS alone (RFC 6265bis §4.1.3.2). */
function fullName(services: Origin, name: CookieName): string {
  return `${isSecure(services) ? '__Host-' : ''}tasuki-${name}`
}

export function isSecure(services: Origin): boolean {
  return services.baseUrl().startsWith('https:')
}

export function readCookie(services: Origin, request: FastifyRequest, name: CookieName): string | undefined {
  // Not the plugin's request.cookies: the authorization server asks too, from routes that have no cookies plugin.
  return fastifyCookie.parse(request.headers.cookie ?? '')[fullName(services, name)]
}

/** @param seconds how long it lasts; null = until the browser is closed */
export function setCookie(
  services: Origin,
  reply: FastifyReply,
  name: CookieName,
  value: string,
  seconds: number | null,
): void {
  const options = {
    path: '/',
    httpOnly: true,
    secure: isSecure(services),
    // Not strict: people come here from the page of an application that asks for access.
    sameSite: 'lax' as const,
    ...(seconds !== null && { maxAge: seconds }),
  }
  // Added, not set: a reply may carry several.
  reply.header('set-cookie', fastifyCookie.serialize(fullName(services, name), value, options))
}

export function clearCookie(services: Origin, reply: FastifyReply, name: CookieName): void {
  setCookie(services, reply, name, '', 0)
}

const visitors = new WeakMap<FastifyRequest, string>()

/** What the forms of somebody who is not signed in are bound to; made on the first page that has one. */
export function visitorId(services: Origin, request: FastifyRequest, reply: FastifyReply): string {
  const known = visitors.get(request) ?? readCookie(services, request, 'visitor')
  if (known !== undefined && known.length > 20) return known
  const made = randomBytes(24).toString('base64url')
  visitors.set(request, made)
  setCookie(services, reply, 'visitor', made, null)
  return made
}
