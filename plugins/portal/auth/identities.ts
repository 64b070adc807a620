import { iso, sql, type Db, type WriteContext } from 'tasuki/plugin'

/** An account at an OpenID provider that signs somebody in. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  /** ISO 8601 UTC. */
  readonly createdAt: string
}

export async function identitiesOf({ db }: { readonly db: Db }, userId: string): Promise<readonly Identity[]> {
  const { rows } = await sql<Identity>`
    select issuer, subject, email, ${iso('created_at')} as "createdAt" from portal.identities
    where user_id = ${userId} order by created_at, subject
  `.execute(db)
  return rows
}

/** Lets an account sign a user in. @returns false when it signs in somebody else */
export async function linkIdentity(
  ctx: WriteContext,
  userId: string,
  { issuer, subject, email }: Omit<Identity, 'createdAt'>,
): Promise<boolean> {
  const { rows } = await sql<{ user_id: string }>`
    insert into portal.identities as i (issuer, subject, user_id, email, created_at)
    values (${issuer}, ${subject}, ${userId}, ${email}, ${ctx.now})
    on conflict (issuer, subject) do update set email = excluded.email where i.user_id = excluded.user_id
    returning user_id
  `.execute(ctx.db)
  return rows.length > 0
}

export async function unlinkIdentity(
  ctx: WriteContext,
  userId: string,
  issuer: string,
  subject: string,
): Promise<void> {
  await sql`
    delete from portal.identities where issuer = ${issuer} and subject = ${subject} and user_id = ${userId}
  `.execute(ctx.db)
}

/** Whom an account signs in; by its address only when that is vouched for. Null = nobody. */
export async function userOfIdentity(
  ctx: WriteContext,
  identity: Omit<Identity, 'createdAt'>,
  { byEmail }: { readonly byEmail: boolean },
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select u.id from portal.identities i join core.users u on u.id = i.user_id
    where i.issuer = ${identity.issuer} and i.subject = ${identity.subject} and u.disabled_at is null
  `.execute(ctx.db)
  if (rows[0]) return rows[0].id
  if (!byEmail || identity.email === null) return null
  const found = await sql<{ id: string }>`
    select id from core.users where email = ${identity.email.toLowerCase()} and disabled_at is null
  `.execute(ctx.db)
  const user = found.rows[0]
  return user && (await linkIdentity(ctx, user.id, identity)) ? user.id : null
}
