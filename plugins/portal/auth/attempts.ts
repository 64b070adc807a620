import { hash } from 'node:crypto'
import { MINUTE_MS, networkOf, type WriteContext } from 'tasuki/plugin'
import type { HttpRequest } from '../http-context.ts'
import { settings } from '../settings.ts'
import { addFailure, forgetFailures, lockCounters, type Counter } from './attempt.repository.ts'
import { readKnownDevice } from './device.ts'

const WINDOW_MS = 15 * MINUTE_MS
/** Many people may share one address, and many addresses may guess the password of one account. */
const SHARED_FACTOR = 10
/** Minimum interval between attempts on an account that many addresses attack; too slow for guessing. */
const ACCOUNT_PAUSE_MS = 5000

/** A limit: the counter's key, the number of free failures, and the pause after further ones. */
interface Limit {
  readonly key: string
  readonly most: number
  readonly pauseMs: (beyond: number) => number
}

/** Returns an exponential backoff from one second. */
const exponentialPause = (beyond: number): number => Math.min(1000 * 2 ** beyond, WINDOW_MS)

/** The target of an attempt: the text that was entered, and the user with that account, if there is one. */
export interface Attempted {
  readonly account: string
  readonly userId: string | null
  /** The attempt is a six-digit code; then the account backs off as fast as an address does. */
  readonly isCode?: boolean
}

/**
 * Counts an attempt before it is made, so that concurrent attempts count too, in the database, so that all instances share the counters. An
 * attacker slows down only their own address; the account as a whole only gets a fixed pace, and a browser in which the user has signed in
 * before has its own counter.
 * @returns seconds to wait if the attempt is too early, else null
 */
export async function countAttempt(ctx: WriteContext, http: HttpRequest, attempted: Attempted): Promise<number | null> {
  const limits = limitsOf(ctx, http, attempted)
  const until = new Date(ctx.now.getTime() + WINDOW_MS)
  const keys = limits.map(({ key }) => key)
  const counters = await lockCounters(ctx, keys, until)
  const waits = limits.map(limit => remainingPause(limit, counters.get(limit.key), ctx.now.getTime()))
  const wait = Math.max(0, ...waits)
  if (wait > 0) return Math.ceil(wait / 1000)
  await addFailure(ctx, [...counters.keys()], until)
  return null
}

function remainingPause({ most, pauseMs }: Limit, counter: Counter | undefined, now: number): number {
  if (!counter || counter.failures < most) return 0
  const last = counter.expiresAt.getTime() - WINDOW_MS
  return last + pauseMs(counter.failures - most) - now
}

/** Removes the failure that was counted for a successful attempt. */
export async function forgetAttempts(ctx: WriteContext, http: HttpRequest, attempted: Attempted): Promise<void> {
  const keys = limitsOf(ctx, http, attempted).map(({ key }) => key)
  // In the same order as other attempts, which would deadlock with this one otherwise.
  await lockCounters(ctx, keys, new Date(ctx.now.getTime() + WINDOW_MS))
  const [own, ...shared] = keys
  await forgetFailures(ctx, { all: own!, one: shared })
}

/** The first counter belongs to this client and account, the others are shared. */
function limitsOf(
  ctx: WriteContext,
  http: HttpRequest,
  { account, userId, isCode = false }: Attempted,
): readonly Limit[] {
  const most = ctx.config(settings).sign_in_failures
  const device = userId === null ? null : readKnownDevice(http, userId)
  if (device !== null) return [{ key: `device ${hashName(device)}`, most, pauseMs: exponentialPause }]
  const network = networkOf(http.request.ip)
  return [
    { key: `pair ${hashName(account)} ${network}`, most, pauseMs: exponentialPause },
    { key: `account ${hashName(account)}`, most: most * SHARED_FACTOR, pauseMs: () => ACCOUNT_PAUSE_MS },
    { key: `ip ${network}`, most: most * SHARED_FACTOR, pauseMs: exponentialPause },
    ...(isCode ? [{ key: `codes ${hashName(account)}`, most, pauseMs: exponentialPause }] : []),
  ]
}

/** Users may enter anything, including a password in the wrong field. */
function hashName(text: string): string {
  return hash('sha256', text, 'base64url')
}
