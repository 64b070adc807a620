import { sql, type ReadContext, type WriteContext } from 'tasuki/plugin'

export interface Account {
  readonly id: string
  /** PHC string of the password; null = none. */
  readonly hash: string | null
  /** When all access was last revoked, as read from the database; null = never. */
  readonly accessEndedAt: string | null
}

/** Finds the account that signs in with an email address. @param email lower case */
export function findAccount({ db }: ReadContext, email: string): Promise<Account | undefined> {
  return db
    .selectFrom('core.users as u')
    .leftJoin('portal.passwords as p', 'p.owner_id', 'u.id')
    .select(['u.id', 'p.hash', 'u.access_ended_at as accessEndedAt'])
    .where('u.email', '=', email)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Reads and locks an account until the transaction ends, so that a concurrent password change or revocation either is seen or sees the new
 * session. Undefined for deleted or disabled users.
 */
export async function lockAccount(ctx: WriteContext, userId: string): Promise<Account | undefined> {
  const user = await ctx.db
    .selectFrom('core.users as u')
    .select(['u.id', 'u.access_ended_at as accessEndedAt'])
    .where('u.id', '=', userId)
    .where('u.disabled_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  if (!user) return undefined
  const password = await ctx.db
    .selectFrom('portal.passwords')
    .select('hash')
    .where('owner_id', '=', userId)
    .forShare()
    .executeTakeFirst()
  return { ...user, hash: password?.hash ?? null }
}

/** Reads the PHC string of a user's password; null = none. */
export async function readPasswordHash({ db }: ReadContext, userId: string): Promise<string | null> {
  const row = await db.selectFrom('portal.passwords').select('hash').where('owner_id', '=', userId).executeTakeFirst()
  return row?.hash ?? null
}

/** Sets or replaces the password of a user. @param phc from `hashPassword`, called before the transaction because it is slow */
export async function setPassword({ db, now }: WriteContext, userId: string, phc: string): Promise<void> {
  await db
    .insertInto('portal.passwords')
    .values({ owner_id: userId, hash: phc, updated_at: now })
    .onConflict(on => on.column('owner_id').doUpdateSet(({ ref }) => ({ hash: ref('excluded.hash'), updated_at: now })))
    .execute()
}

/** Returns whether the service has any users. */
export async function hasUsers({ db }: ReadContext): Promise<boolean> {
  return (await db.selectFrom('core.users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Blocks the creation of users until the transaction ends. */
export async function lockUsers({ db }: WriteContext): Promise<void> {
  await sql`lock table core.users in exclusive mode`.execute(db)
}

/** Stores a user's preferences for the portal; null = the browser's setting. */
export async function savePreferences(
  { db }: WriteContext,
  userId: string,
  chosen: { readonly language: string | null; readonly theme: 'light' | 'dark' | null },
): Promise<void> {
  await db
    .insertInto('portal.preferences')
    .values({ owner_id: userId, ...chosen })
    .onConflict(on => on.column('owner_id').doUpdateSet(chosen))
    .execute()
}
