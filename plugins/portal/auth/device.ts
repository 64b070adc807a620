import { randomBytes } from 'node:crypto'
import type { HttpContext, HttpRequest } from '../http-context.ts'
import { readCookie, setCookie } from './cookies.ts'
import { createCsrfToken, verifyCsrfToken } from './csrf.ts'

const SECONDS = 365 * 24 * 3600

const purposeFor = (userId: string): string => `device of ${userId}`

/** Records in the browser that this user has signed in there. */
export function rememberDevice(http: HttpContext, userId: string): void {
  const id = randomBytes(18).toString('base64url')
  setCookie(http, 'device', `${id}.${createCsrfToken(http.services, id, purposeFor(userId))}`, SECONDS)
}

/** @returns the id of the browser if this user has signed in there before, else null */
export function readKnownDevice(http: HttpRequest, userId: string): string | null {
  const [id = '', proof = ''] = (readCookie(http, 'device') ?? '').split('.')
  return verifyCsrfToken(http.services, id, purposeFor(userId), proof) ? id : null
}
