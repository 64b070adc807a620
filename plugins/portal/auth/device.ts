import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { HostServices } from 'tasuki/plugin'
import { readCookie, setCookie } from './cookies.ts'
import { createCsrfToken, verifyCsrfToken } from './csrf.ts'

const SECONDS = 365 * 24 * 3600

const purposeFor = (userId: string): string => `device of ${userId}`

/** Records in the browser that this user has signed in there. */
export function rememberDevice(services: HostServices, reply: FastifyReply, userId: string): void {
  const id = randomBytes(18).toString('base64url')
  setCookie(services, reply, 'device', `${id}.${createCsrfToken(services, id, purposeFor(userId))}`, SECONDS)
}

/** @returns the id of the browser if this user has signed in there before, else null */
export function readKnownDevice(services: HostServices, request: FastifyRequest, userId: string): string | null {
  const [id = '', proof = ''] = (readCookie(services, request, 'device') ?? '').split('.')
  return verifyCsrfToken(services, id, purposeFor(userId), proof) ? id : null
}
