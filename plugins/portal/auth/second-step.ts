import { MINUTE_MS, type WriteContext } from 'tasuki/plugin'
import { hash } from 'node:crypto'
import { lockAccount, type Account } from './account.repository.ts'
import type { Visit } from '../visit.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'
import { hasSecondFactor, readFactors } from './second-factor.repository.ts'
import { beginSession, type SignedIn } from './sessions.ts'

/** The page for the second factor, after the first step. */
export const SECOND_STEP = '/sign-in/second-step'
const MINUTES = 10

/** A sign-in whose first step was correct. */
export interface FirstStep extends Omit<SignedIn, 'second'> {
  /** Stamp of the account when it was checked; omitted if that was in this transaction. */
  readonly stamp?: string
  /** Path of this origin. */
  readonly returnTo: string
  /** The text entered as the account, whose failed attempts are reset at the end. */
  readonly account: string
  /** The session of a user who confirms their identity at the provider, instead of a new session. */
  readonly confirms?: string
}

type KeptStep = FirstStep & { readonly stamp: string }

/** Returns a stamp that changes with the password and when all access is revoked, without revealing either. */
export function stampOf({ hash: phc, accessEndedAt }: Account): string {
  return hash('sha256', JSON.stringify([phc, accessEndedAt]), 'base64url')
}

/** Returns the current stamp; null if the sign-in became invalid: by another password, a revocation, or a disabled user. */
export async function currentStamp(ctx: WriteContext, { userId, stamp }: FirstStep): Promise<string | null> {
  const account = await lockAccount(ctx, userId)
  const now = account && stampOf(account)
  return now === undefined || (stamp !== undefined && stamp !== now) ? null : now
}

/**
 * Completes a sign-in after its first step, or redirects to the second one if one is set up.
 * @returns the next path, and whether the sign-in is complete
 */
export async function finishFirstStep(
  ctx: WriteContext,
  visit: Visit,
  step: FirstStep,
): Promise<{ readonly to: string; readonly isDone: boolean }> {
  const stamp = await currentStamp(ctx, step)
  if (stamp === null) return { to: '/sign-in', isDone: false }
  if (hasSecondFactor(await readFactors(ctx, step.userId))) {
    storeFirstStep(ctx, visit, { ...step, stamp })
    return { to: SECOND_STEP, isDone: false }
  }
  await beginSession(ctx, visit, step)
  return { to: step.returnTo, isDone: true }
}

/** Stores the completed first step in the browser, once the transaction is committed. */
export function storeFirstStep(ctx: WriteContext, visit: Visit, step: KeptStep): void {
  const payload = { ...step, until: ctx.now.getTime() + MINUTES * MINUTE_MS }
  const sealed = visit.services.sealer('portal second step').seal(JSON.stringify(payload), SECOND_STEP)
  ctx.afterCommit(() => setCookie(visit, 'second_step', sealed, MINUTES * 60))
}

/** Reads the completed first step of this browser; null = none, or expired. */
export function readFirstStep(visit: Visit): KeptStep | null {
  const text = visit.services.sealer('portal second step').open(readCookie(visit, 'second_step') ?? '', SECOND_STEP)
  if (text === null) return null
  const { until, ...step } = JSON.parse(text) as KeptStep & { readonly until: number }
  return until > visit.now.getTime() ? step : null
}

export function clearFirstStep(visit: Visit): void {
  clearCookie(visit, 'second_step')
}
