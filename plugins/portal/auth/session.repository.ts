import { deleteWhere, HOUR_MS, iso, sql, updateWhere, type NewRow, type WriteContext } from 'tasuki/plugin'

/** A session of a user in a browser. */
export interface Session {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly timeZone: string
  readonly language: string | null
  readonly theme: 'light' | 'dark' | null
  readonly isAdministrator: boolean
  /** When the user last confirmed their identity, in milliseconds since 1970; null = not in this session. */
  readonly confirmedAt: number | null
}

/** The content of a session cookie. */
export interface SessionProof {
  readonly userId: string
  readonly id: string
  /** SHA-256 of the cookie's secret, base64url. */
  readonly hash: string
}

/** Finds the active session of a cookie, and updates when it was last seen, at most once a minute. */
export async function readSession(ctx: WriteContext, { userId, id, hash }: SessionProof, idleHours: number) {
  const { rows } = await sql<Session>`
    with found as (
      select s.owner_id, s.id, s.seen_at, s.confirmed_at from portal.sessions s
      where s.owner_id = ${userId} and s.id = ${id} and s.hash = ${hash} and s.expires_at > ${ctx.now}
        and s.seen_at > ${idleSince(ctx, idleHours)}::timestamptz
    ), seen as (
      update portal.sessions s set seen_at = ${ctx.now} from found f
      where s.owner_id = f.owner_id and s.id = f.id and f.seen_at < ${ctx.now}::timestamptz - interval '1 minute'
    )
    select f.id, u.id as "userId", u.email, u.name, u.time_zone as "timeZone", p.language, p.theme,
      u.is_administrator as "isAdministrator", (extract(epoch from f.confirmed_at) * 1000)::float8 as "confirmedAt"
    from found f join core.users u on u.id = f.owner_id left join portal.preferences p on p.owner_id = f.owner_id
    where u.disabled_at is null
  `.execute(ctx.db)
  return rows[0] ?? null
}

/** Most sessions of a user; the list shows all of them, so that none is hidden among others. */
const MOST_SESSIONS = 200

/** Adds a session; ends those that were last seen longest ago, if there are too many. */
export async function insertSession({ db }: WriteContext, session: NewRow<'portal.sessions'>): Promise<void> {
  await db.insertInto('portal.sessions').values(session).execute()
  const kept = db.selectFrom('portal.sessions').select('id').where('owner_id', '=', session.owner_id)
  await db
    .deleteFrom('portal.sessions')
    .where('owner_id', '=', session.owner_id)
    .where('id', 'not in', kept.orderBy('seen_at', 'desc').orderBy('id', 'desc').limit(MOST_SESSIONS))
    .execute()
}

export type SessionRow = Awaited<ReturnType<typeof readSessions>>[number]

/** Reads the active sessions of a user, last seen first. */
export function readSessions(ctx: WriteContext, userId: string, idleHours: number) {
  return ctx.db
    .selectFrom('portal.sessions')
    .select(['id', 'ip', 'user_agent as userAgent', iso('created_at').as('createdAt'), iso('seen_at').as('seenAt')])
    .where('owner_id', '=', userId)
    .where('expires_at', '>', ctx.now.toISOString())
    .where('seen_at', '>', idleSince(ctx, idleHours))
    .orderBy('portal.sessions.seen_at', 'desc')
    .orderBy('id')
    .execute()
}

/** @param hash if given, the session ends only if its secret matches */
export async function endSession({ db }: WriteContext, userId: string, id: string, hash?: string): Promise<void> {
  await deleteWhere(db, 'portal.sessions', { owner_id: userId, id, ...(hash !== undefined && { hash }) })
}

/** Records that the user of a session has just confirmed their identity. */
export async function confirmSession({ db, now }: WriteContext, { userId, id }: Session): Promise<void> {
  await updateWhere(db, 'portal.sessions', { owner_id: userId, id }, { confirmed_at: now })
}

/** Ends all sessions of a user, except an optional one. @returns the number of ended sessions */
export async function endSessions({ db }: WriteContext, userId: string, except?: string): Promise<number> {
  const ended = await db
    .deleteFrom('portal.sessions')
    .where('owner_id', '=', userId)
    .$if(except !== undefined, query => query.where('id', '<>', except!))
    .returning('id')
    .execute()
  return ended.length
}

/** Deletes expired sessions of all users. */
export async function deleteEndedSessions(ctx: WriteContext, idleHours: number): Promise<void> {
  await ctx.db
    .deleteFrom('portal.sessions')
    .where(({ eb, or }) =>
      or([eb('expires_at', '<=', ctx.now.toISOString()), eb('seen_at', '<=', idleSince(ctx, idleHours))]),
    )
    .execute()
}

const idleSince = ({ now }: WriteContext, hours: number): string =>
  new Date(now.getTime() - hours * HOUR_MS).toISOString()
