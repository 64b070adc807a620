import { hash } from 'node:crypto'
import type { WriteContext } from 'tasuki/plugin'
import { lockAccount, type Account } from './account.repository.ts'
import type { Visit } from '../visit.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'
import { hasSecondFactor, readFactors } from './second-factor.repository.ts'
import { beginSession, type SignedIn } from './sessions.ts'

/** Where somebody proves a second factor after the first. */
export const SECOND_STEP = '/sign-in/second-step'
const MINUTES = 10

/** A sign-in whose first step was right. */
export interface FirstStep extends Omit<SignedIn, 'second'> {
  /** Of the account when it was looked at; left out where that is in this transaction. */
  readonly stamp?: string
  /** Path of this origin. */
  readonly returnTo: string
  /** What was typed as the account, whose attempts are forgotten at the end. */
  readonly account: string
  /** The session of somebody who proves who they are by the provider, instead of a new one. */
  readonly confirms?: string
}

type KeptStep = FirstStep & { readonly stamp: string }

/** Changes with the password and when all access is revoked; tells nothing of either. */
export function stampOf({ hash: phc, accessEndedAt }: Account): string {
  return hash('sha256', JSON.stringify([phc, accessEndedAt]), 'base64url')
}

/** The stamp as it is now; null where something ended the sign-in since: another password, a revocation, or that the user is disabled. */
export async function currentStamp(ctx: WriteContext, { userId, stamp }: FirstStep): Promise<string | null> {
  const account = await lockAccount(ctx, userId)
  const now = account && stampOf(account)
  return now === undefined || (stamp !== undefined && stamp !== now) ? null : now
}

/**
 * Signs in somebody whose first step was right, unless a second one is set up: then the browser is to go there.
 * @returns where the browser goes on, and whether that was all
 */
export async function finishFirstStep(
  ctx: WriteContext,
  visit: Visit,
  step: FirstStep,
): Promise<{ readonly to: string; readonly isDone: boolean }> {
  const { services, request, reply } = visit
  const stamp = await currentStamp(ctx, step)
  if (stamp === null) return { to: '/sign-in', isDone: false }
  if (hasSecondFactor(await readFactors(ctx, step.userId))) {
    keepFirstStep(ctx, visit, { ...step, stamp })
    return { to: SECOND_STEP, isDone: false }
  }
  await beginSession(ctx, services, request, reply, step)
  return { to: step.returnTo, isDone: true }
}

/** Keeps in the browser, once the transaction is committed, that the first step was right. */
export function keepFirstStep(ctx: WriteContext, { services, reply }: Visit, step: KeptStep): void {
  const kept = { ...step, until: ctx.now.getTime() + MINUTES * 60_000 }
  const sealed = services.sealer('portal second step').seal(JSON.stringify(kept), SECOND_STEP)
  ctx.afterCommit(() => setCookie(services, reply, 'second_step', sealed, MINUTES * 60))
}

/** The first step that was right in this browser; null = there is none, or it is too old. */
export function readFirstStep({ services, request, now }: Visit): KeptStep | null {
  const sealed = readCookie(services, request, 'second_step')
  const text = services.sealer('portal second step').open(sealed ?? '', SECOND_STEP)
  if (text === null) return null
  const { until, ...step } = JSON.parse(text) as KeptStep & { readonly until: number }
  return until > now.getTime() ? step : null
}

export function forgetFirstStep({ services, reply }: Visit): void {
  clearCookie(services, reply, 'second_step')
}
