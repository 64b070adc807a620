import { clearCookie, readCookie, setCookie } from './auth/cookies.ts'
import { proves } from './auth/proof.ts'
import type { Visit } from './visit.ts'

const PURPOSE = 'notice'

/** Keeps a line for the next page that this browser shows. */
export function leaveNotice({ services, reply, proof }: Visit, text: string): void {
  // Signed, so that nobody else makes the portal say something.
  setCookie(services, reply, 'notice', `${Buffer.from(text).toString('base64url')}.${proof(PURPOSE + text)}`, 60)
}

/** The line that the last answer left, once. */
export function takeNotice({ services, request, reply, session }: Visit): string | null {
  const [kept = '', proof = ''] = (readCookie(services, request, 'notice') ?? '').split('.')
  if (kept === '') return null
  clearCookie(services, reply, 'notice')
  const text = Buffer.from(kept, 'base64url').toString()
  const holder = session?.id ?? readCookie(services, request, 'visitor') ?? ''
  return proves(services, holder, PURPOSE + text, proof) ? text : null
}
