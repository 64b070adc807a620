import type { FastifyRequest } from 'fastify'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { HostServices } from 'tasuki/plugin'

/** Signs a purpose for one browser. @param holder session or visitor */
export function createCsrfToken(services: Pick<HostServices, 'key'>, holder: string, purpose: string): string {
  return createHmac('sha256', services.key('portal csrf')).update(`${holder}\0${purpose}`).digest('base64url')
}

export function verifyCsrfToken(
  services: Pick<HostServices, 'key'>,
  holder: string,
  purpose: string,
  input: string,
): boolean {
  const wanted = Buffer.from(createCsrfToken(services, holder, purpose))
  const got = Buffer.from(input)
  return wanted.length === got.length && timingSafeEqual(wanted, got)
}

/**
 * Returns whether a post comes from a page of this origin: by Sec-Fetch-Site, which pages cannot forge, else by Origin. Browsers send the
 * former only to trustworthy origins; under another of its names, the service compares the host of the request, which was checked.
 */
export function isSameOrigin({ headers, host }: FastifyRequest, services: Pick<HostServices, 'baseUrl'>): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const base = new URL(services.baseUrl())
  return headers.origin === base.origin || (host !== base.host && URL.parse(headers.origin ?? '')?.host === host)
}

/** Returns a safe path of this origin from an untrusted value, such as a parameter of a query; anything else becomes `/`. */
export function safePath(services: Pick<HostServices, 'baseUrl'>, input: unknown): string {
  if (typeof input !== 'string' || !input.startsWith('/')) return '/'
  const base = new URL(services.baseUrl()).origin
  // Browsers follow the URL standard: backslashes, tabs, dots and all.
  const url = URL.parse(input, base)
  if (url?.origin !== base) return '/'
  const path = url.pathname + url.search
  return path.startsWith('//') ? '/' : path
}
