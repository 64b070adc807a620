import { compare, iso, sql, type ReadContext, type User } from 'tasuki/plugin'

/** A user as shown to administrators. Times are ISO 8601 UTC. */
export interface UserSummary extends User {
  readonly isAdministrator: boolean
  readonly isDisabled: boolean
  /** The user has no password, linked identity or passkey yet. */
  readonly isInvited: boolean
  readonly hasSecondFactor: boolean
  readonly createdAt: string
  /** Last use by a browser or a credential; null = never. */
  readonly seenAt: string | null
}

/** Reads users by email. @param id default: all */
export async function readUsers(
  { db }: ReadContext,
  { id, limit, offset }: { readonly id?: string; readonly limit: number; readonly offset: number },
): Promise<readonly UserSummary[]> {
  const one = id === undefined ? sql.lit(true) : compare('u.id', '=', id)
  const { rows } = await sql<UserSummary>`
    select f.id, f.email, f.name, f.time_zone as "timeZone", f.is_administrator as "isAdministrator",
      f.disabled_at is not null as "isDisabled", ${iso('f.created_at')} as "createdAt", ${iso('f.seen_at')} as "seenAt",
      f.passkeys or exists (select from portal.authenticators a where a.owner_id = f.id) as "hasSecondFactor",
      not (f.passkeys or exists (select from portal.passwords p where p.owner_id = f.id)
        or exists (select from portal.identities i where i.user_id = f.id)) as "isInvited"
    from (
      select u.*, exists (select from portal.passkeys k where k.owner_id = u.id) as passkeys,
        greatest((select max(s.seen_at) from portal.sessions s where s.owner_id = u.id),
          (select max(t.last_used_at) from core.tokens t where t.user_id = u.id)) as seen_at
      from core.users u where ${one} order by u.email limit ${limit} offset ${offset}
    ) f order by f.email`.execute(db)
  return rows
}
