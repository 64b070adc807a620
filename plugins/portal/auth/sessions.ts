import type { FastifyRequest } from 'fastify'
import { hash, randomBytes } from 'node:crypto'
import { notifyAccessMade, uuid, uuidBytes, uuidText, type AccessOrigin, type WriteContext } from 'tasuki/plugin'
import { signedIn } from '../audit.ts'
import type { HttpContext, HttpRequest } from '../http-context.ts'
import { settings } from '../settings.ts'
import { browserName } from './browser-name.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'
import { isTrustedDevice, rememberDevice } from './device.ts'
import { endSession, insertSession, readSession, type Session, type SessionProof } from './session.repository.ts'

const SECRET_BYTES = 32
/** The actor of portal actions, for the audit trail. */
export const PERSON = { kind: 'human', client: 'portal' } as const
const HOUR = 3600

/** Finds the session of a request; null for none, and for expired ones. */
export async function findSession(http: HttpRequest): Promise<Session | null> {
  const { services, request } = http
  const cookie = readToken(readCookie(http, 'session'))
  if (!cookie) return null
  const { idle_hours: idleHours } = services.config(settings)
  // In a write context: a replica may lag behind a sign-in or sign-out.
  return services.write({ userId: null, name: 'portal.session', requestId: request.id }, ctx =>
    readSession(ctx, cookie, idleHours),
  )
}

/** A successful sign-in. */
export interface SignedIn {
  readonly userId: string
  readonly method: 'password' | 'provider' | 'setup_link' | 'passkey'
  /** The second factor used, if any. */
  readonly second?: 'app' | 'recovery_code' | 'passkey' | 'provider' | undefined
  /** The user has never signed in before, so a new browser needs no warning. */
  readonly isFirst?: boolean
}

/**
 * Starts a session with a new secret, which prevents session fixation, and ends the browser's former session. Notifies the user of an
 * unknown browser. The cookie is set once the transaction is committed.
 */
export async function beginSession(
  ctx: WriteContext,
  http: HttpContext,
  { userId, method, second, isFirst = false }: SignedIn,
): Promise<void> {
  const { services, request } = http
  const { session_days: days } = services.config(settings)
  const id = uuid()
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, 400)
  const secret = randomBytes(SECRET_BYTES)
  const expiresAt = new Date(ctx.now.getTime() + days * 24 * HOUR * 1000)
  const former = readToken(readCookie(http, 'session'))
  if (former) await endSession(ctx, former.userId, former.id, former.hash)
  await insertSession(ctx, {
    owner_id: userId,
    id,
    hash: hashOf(secret),
    ip: request.ip,
    user_agent: userAgent,
    created_at: ctx.now,
    seen_at: ctx.now,
    expires_at: expiresAt,
    // A provider may sign users in without asking for credentials.
    confirmed_at: method === 'provider' && (second ?? 'provider') === 'provider' ? null : ctx.now,
  })
  ctx.audit({
    action: signedIn,
    actor: { ...PERSON, userId },
    details: { method, ...(second && { second }), browser: userAgent },
  })
  if (!isFirst && !(await isTrustedDevice(ctx, http, userId)))
    await notifyAccessMade(ctx, { kind: 'device', userId, name: null, ...originOf(request) })
  ctx.afterCommit(() => {
    const token = Buffer.concat([uuidBytes(userId), uuidBytes(id), secret]).toString('base64url')
    setCookie(http, 'session', token, days * 24 * HOUR)
    clearCookie(http, 'visitor')
    rememberDevice(http, userId, ctx.now)
  })
}

/** Returns the origin of a request as shown to users. */
export function originOf({ ip, headers }: FastifyRequest): AccessOrigin {
  return { address: ip, browser: browserName(headers['user-agent'] ?? '') }
}

/** The cookie contains the row's primary key, and the secret that proves it. */
function readToken(text: string | undefined): SessionProof | null {
  const bytes = Buffer.from(text ?? '', 'base64url')
  if (bytes.length !== 32 + SECRET_BYTES) return null
  return {
    userId: uuidText(bytes.subarray(0, 16)),
    id: uuidText(bytes.subarray(16, 32)),
    hash: hashOf(bytes.subarray(32)),
  }
}

function hashOf(secret: Buffer): string {
  return hash('sha256', secret, 'base64url')
}
