import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomBytes } from 'node:crypto'
import type { HostServices } from 'tasuki/plugin'
import { readCookie, setCookie } from './cookies.ts'
import { proofFor, verifyToken } from './csrf.ts'

const SECONDS = 365 * 24 * 3600

const purpose = (userId: string): string => `device of ${userId}`

/** Records in the browser that this user has signed in there. */
export function rememberDevice(services: HostServices, reply: FastifyReply, userId: string): void {
  const id = randomBytes(18).toString('base64url')
  setCookie(services, reply, 'device', `${id}.${proofFor(services, id, purpose(userId))}`, SECONDS)
}

/** @returns the id of the browser if this user has signed in there before, else null */
export function readKnownDevice(services: HostServices, request: FastifyRequest, userId: string): string | null {
  const [id = '', proof = ''] = (readCookie(services, request, 'device') ?? '').split('.')
  return verifyToken(services, id, purpose(userId), proof) ? id : null
}
