import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash, randomBytes } from 'node:crypto'
import { iso, sql, uuid, type Db, type HostServices, type WriteContext } from 'tasuki/plugin'
import { settings } from '../settings.ts'
import { clearCookie, readCookie, setCookie } from './cookies.ts'

/** Somebody signed in at a browser. */
export interface Session {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly timeZone: string
  readonly language: string | null
  readonly theme: 'light' | 'dark' | null
}

const SECRET_BYTES = 32
const HOUR = 3600

/** Who the browser is signed in as; null for nobody, and for sessions that have ended. */
export async function findSession(services: HostServices, request: FastifyRequest): Promise<Session | null> {
  const cookie = readToken(readCookie(services, request, 'session'))
  if (!cookie) return null
  const { idle_hours: idleHours } = services.config(settings)
  // In a write context: a replica may not have heard of the sign-in, or of its end.
  return services.write({ userId: null, name: 'portal.session', requestId: request.id }, async ctx => {
    const { rows } = await sql<Session>`
      with found as (
        select s.owner_id, s.id, s.seen_at from portal.sessions s
        where s.owner_id = ${cookie.userId} and s.id = ${cookie.id} and s.hash = ${cookie.hash} and s.expires_at > ${ctx.now}
          and s.seen_at > ${ctx.now}::timestamptz - ${idleHours} * interval '1 hour'
      ), seen as (
        update portal.sessions s set seen_at = ${ctx.now} from found f
        where s.owner_id = f.owner_id and s.id = f.id and f.seen_at < ${ctx.now}::timestamptz - interval '1 minute'
      )
      select f.id, u.id as "userId", u.email, u.name, u.time_zone as "timeZone", p.language, p.theme
      from found f join core.users u on u.id = f.owner_id left join portal.preferences p on p.owner_id = f.owner_id
      where u.disabled_at is null
    `.execute(ctx.db)
    return rows[0] ?? null
  })
}

/**
 * Begins a session with a new secret, whatever the browser brought, and ends the one that it had.
 * The cookie is set once the transaction is committed.
 */
export async function beginSession(
  ctx: WriteContext,
  services: HostServices,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: string,
): Promise<void> {
  const { session_days: days } = services.config(settings)
  const id = uuid()
  const secret = randomBytes(SECRET_BYTES)
  const expiresAt = new Date(ctx.now.getTime() + days * 24 * HOUR * 1000)
  const former = readToken(readCookie(services, request, 'session'))
  if (former) await endSession(ctx.db, former.userId, former.id, former.hash)
  await ctx.db
    .insertInto('portal.sessions')
    .values({
      owner_id: userId,
      id,
      hash: hashOf(secret),
      ip: request.ip,
      user_agent: clean(request.headers['user-agent'] ?? ''),
      created_at: ctx.now,
      seen_at: ctx.now,
      expires_at: expiresAt,
    })
    .execute()
  ctx.afterCommit(() => {
    const token = Buffer.concat([bytesOf(userId), bytesOf(id), secret]).toString('base64url')
    setCookie(services, reply, 'session', token, days * 24 * HOUR)
    clearCookie(services, reply, 'visitor')
  })
}

export interface SessionRow {
  readonly id: string
  readonly ip: string
  readonly userAgent: string
  /** ISO 8601 UTC. */
  readonly createdAt: string
  readonly seenAt: string
}

/** Live sessions of a user, last seen first. */
export async function sessionsOf(db: Db, userId: string, now: Date, idleHours: number): Promise<readonly SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select s.id, s.ip, s.user_agent as "userAgent", ${iso('s.created_at')} as "createdAt", ${iso('s.seen_at')} as "seenAt"
    from portal.sessions s
    where s.owner_id = ${userId} and s.expires_at > ${now} and s.seen_at > ${now}::timestamptz - ${idleHours} * interval '1 hour'
    order by s.seen_at desc, s.id limit 200
  `.execute(db)
  return rows
}

/** @param hash given, the session ends only for who has its secret */
export async function endSession(db: Db, userId: string, id: string, secretHash?: string): Promise<void> {
  await sql`
    delete from portal.sessions where owner_id = ${userId} and id = ${id}
      and ${secretHash === undefined ? sql`true` : sql`hash = ${secretHash}`}
  `.execute(db)
}

/** Ends all sessions of a user, but for one that may be kept. */
export async function endSessions(db: Db, userId: string, except: string | null = null): Promise<void> {
  await sql`
    delete from portal.sessions where owner_id = ${userId} and ${except === null ? sql`true` : sql`id <> ${except}`}
  `.execute(db)
}

/** The cookie names the row, so that it is found by its primary key, and proves itself by the secret. */
function readToken(text: string | undefined): { userId: string; id: string; hash: string } | null {
  const bytes = Buffer.from(text ?? '', 'base64url')
  if (bytes.length !== 32 + SECRET_BYTES) return null
  return {
    userId: uuidOf(bytes.subarray(0, 16)),
    id: uuidOf(bytes.subarray(16, 32)),
    hash: hashOf(bytes.subarray(32)),
  }
}

function hashOf(secret: Buffer): string {
  return hash('sha256', secret, 'base64url')
}
function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}
function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
function clean(userAgent: string): string {
  return userAgent.replaceAll('\0', '').slice(0, 400)
}
