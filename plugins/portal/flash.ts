import { clearCookie, readCookie, setCookie } from './auth/cookies.ts'
import { proofFor, verifyToken } from './auth/csrf.ts'
import type { Visit } from './visit.ts'

/** Signed for whoever comes: the session in which it was left may have ended with it. */
const HOLDER = 'notice'

/** Keeps a line for the next page that this browser shows. */
export function setFlash({ services, reply }: Visit, text: string): void {
  setCookie(
    services,
    reply,
    'notice',
    `${Buffer.from(text).toString('base64url')}.${proofFor(services, HOLDER, text)}`,
    60,
  )
}

/** The line that the last answer left, once. */
export function consumeFlash({ services, request, reply }: Visit): string | null {
  const [kept = '', proof = ''] = (readCookie(services, request, 'notice') ?? '').split('.')
  if (kept === '') return null
  clearCookie(services, reply, 'notice')
  const text = Buffer.from(kept, 'base64url').toString()
  return verifyToken(services, HOLDER, text, proof) ? text : null
}
