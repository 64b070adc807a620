import type { AuditAction } from 'tasuki/plugin'
import type { UserVisit } from '../visit.ts'
import { readPasswordHash } from './account.repository.ts'
import { countAttempt, forgetAttempts } from './attempts.ts'
import { verifyPassword } from './password.ts'
import { PERSON } from './sessions.ts'

/**
 * Checks the password of whoever is signed in.
 * @param action what the audit trail tells to have been refused where it is wrong
 * @returns seconds to wait after too many attempts, else whether it is right
 */
export async function checkPassword(
  { services, session, request, asSystem }: UserVisit,
  password: string,
  action: AuditAction,
): Promise<{ readonly wait: number } | { readonly wait: null; readonly isRight: boolean }> {
  const attempted = { account: session.email, userId: session.userId }
  const { wait, hash } = await asSystem(async ctx => {
    const wait = await countAttempt(ctx, services, request, attempted)
    return { wait, hash: await readPasswordHash(ctx, session.userId) }
  })
  // Whoever finds a browser open shall not try out passwords there either.
  if (wait !== null) return { wait }
  const isRight = await verifyPassword(password, hash)
  if (isRight) await asSystem(ctx => forgetAttempts(ctx, services, request, attempted))
  else services.audit.record({ action, outcome: 'refused', actor: { ...PERSON, userId: session.userId }, request })
  return { wait, isRight }
}
