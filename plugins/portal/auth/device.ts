import { randomBytes } from 'node:crypto'
import type { WriteContext } from 'tasuki/plugin'
import type { HttpContext, HttpRequest } from '../http-context.ts'
import { lockAccount } from './account.repository.ts'
import { readCookie, setCookie } from './cookies.ts'
import { createCsrfToken, verifyCsrfToken } from './csrf.ts'

const SECONDS = 365 * 24 * 3600

const purposeFor = (userId: string): string => `device of ${userId}`

/** Records in the browser that this user has signed in there. */
export function rememberDevice(http: HttpContext, userId: string, now: Date): void {
  const id = `${randomBytes(18).toString('base64url')}~${now.getTime()}`
  setCookie(http, 'device', `${id}.${createCsrfToken(http.services, id, purposeFor(userId))}`, SECONDS)
}

/** Returns whether this user has signed in with this browser since all access was last revoked: a thief may have done it before. */
export async function isTrustedDevice(ctx: WriteContext, http: HttpRequest, userId: string): Promise<boolean> {
  const id = readKnownDevice(http, userId)
  const { accessEndedAt = null } = (await lockAccount(ctx, userId)) ?? {}
  return id !== null && (accessEndedAt === null || Number(id.split('~')[1] ?? 0) > Date.parse(accessEndedAt))
}

/** @returns the id of the browser if this user has signed in there before, else null */
export function readKnownDevice(http: HttpRequest, userId: string): string | null {
  const [id = '', proof = ''] = (readCookie(http, 'device') ?? '').split('.')
  return verifyCsrfToken(http.services, id, purposeFor(userId), proof) ? id : null
}
