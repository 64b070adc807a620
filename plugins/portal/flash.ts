import { clearCookie, readCookie, setCookie } from './auth/cookies.ts'
import { createCsrfToken, verifyCsrfToken } from './auth/csrf.ts'
import type { Visit } from './visit.ts'

/** Signed without a session: the session in which it was left may have ended with it. */
const HOLDER = 'notice'

/** Stores a notice for the next page in this browser. */
export function setFlash(visit: Visit, text: string): void {
  const proof = createCsrfToken(visit.services, HOLDER, text)
  setCookie(visit, 'notice', `${Buffer.from(text).toString('base64url')}.${proof}`, 60)
}

/** Returns and deletes the notice of the last response. */
export function consumeFlash(visit: Visit): string | null {
  const [encoded = '', proof = ''] = (readCookie(visit, 'notice') ?? '').split('.')
  if (encoded === '') return null
  clearCookie(visit, 'notice')
  const text = Buffer.from(encoded, 'base64url').toString()
  return verifyCsrfToken(visit.services, HOLDER, text, proof) ? text : null
}
