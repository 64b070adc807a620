import { clearCookie, readCookie, setCookie } from './auth/cookies.ts'
import { createCsrfToken, verifyCsrfToken } from './auth/csrf.ts'
import type { Visit } from './visit.ts'

/** Signed without a session: the session in which it was left may have ended with it. */
const HOLDER = 'notice'

/** Stores a notice for the next page in this browser. */
export function setFlash({ services, reply }: Visit, text: string): void {
  setCookie(
    services,
    reply,
    'notice',
    `${Buffer.from(text).toString('base64url')}.${createCsrfToken(services, HOLDER, text)}`,
    60,
  )
}

/** Returns and deletes the notice of the last response. */
export function consumeFlash({ services, request, reply }: Visit): string | null {
  const [encoded = '', proof = ''] = (readCookie(services, request, 'notice') ?? '').split('.')
  if (encoded === '') return null
  clearCookie(services, reply, 'notice')
  const text = Buffer.from(encoded, 'base64url').toString()
  return verifyCsrfToken(services, HOLDER, text, proof) ? text : null
}
