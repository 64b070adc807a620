import type { AuditAction } from 'tasuki/plugin'
import type { UserVisit } from '../visit.ts'
import { readPasswordHash } from './account.repository.ts'
import { countAttempt, forgetAttempts } from './attempts.ts'
import { checkSecond, type SecondInput } from './check-second.ts'
import { verifyPassword } from './password.ts'
import { PERSON } from './sessions.ts'

export interface CheckedPassword {
  /** Seconds to wait after too many attempts; null = the password was checked. */
  readonly wait: number | null
  /** The first incorrect factor; null = all correct. */
  readonly wrong: 'password' | 'code' | null
}

/**
 * Checks the password of the signed-in user, and a second factor if given; both count as one attempt. A passkey with user verification
 * replaces both.
 * @param action the audit action to record as refused after a failure
 */
export async function checkPassword(
  visit: UserVisit,
  { password, second }: { readonly password: string; readonly second?: SecondInput | null },
  action: AuditAction,
): Promise<CheckedPassword> {
  const { services, session, request, asSystem } = visit
  const attempted = { account: session.email, userId: session.userId, isCode: second ? second.passkey === '' : false }
  const { wait, hash } = await asSystem(async ctx => {
    const wait = await countAttempt(ctx, visit, attempted)
    return { wait, hash: await readPasswordHash(ctx, session.userId) }
  })
  // Someone with access to an open browser must not be able to guess the password there either.
  if (wait !== null) return { wait, wrong: null }
  const wrong = await findWrongFactor(visit, { password, hash, second: second ?? null })
  if (wrong === null) await asSystem(ctx => forgetAttempts(ctx, visit, attempted))
  else services.audit.record({ action, outcome: 'refused', actor: { ...PERSON, userId: session.userId }, request })
  return { wait, wrong }
}

async function findWrongFactor(
  visit: UserVisit,
  input: { readonly password: string; readonly hash: string | null; readonly second: SecondInput | null },
): Promise<CheckedPassword['wrong']> {
  const { password, hash, second } = input
  const { userId } = visit.session
  const passkey = second && second.passkey !== '' ? await checkSecond(visit, userId, second) : null
  if (passkey?.isBoth) return null
  if (!(await verifyPassword(password, hash))) return 'password'
  // Checking a code consumes it, so the password is checked first.
  return second === null || passkey !== null || (await checkSecond(visit, userId, second)) !== null ? null : 'code'
}
