import { sql, type ReadContext, type WriteContext } from 'tasuki/plugin'

export interface Account {
  readonly id: string
  /** PHC string of the password; null = there is none. */
  readonly hash: string | null
  /** When all access of before was ended, as the database tells it; null = never. */
  readonly accessEndedAt: string | null
}

/** Finds who signs in with an address. @param email in lower case */
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
 * What a sign-in began with, as it is now; it stays until the transaction ends, so that a change of the password and a revocation
 * either are seen or find the session that is begun. Undefined for users who are gone or disabled.
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

/** PHC string of a user's password; null = there is none. */
export async function readPasswordHash({ db }: ReadContext, userId: string): Promise<string | null> {
  const row = await db.selectFrom('portal.passwords').select('hash').where('owner_id', '=', userId).executeTakeFirst()
  return row?.hash ?? null
}

/** Sets or replaces the password of a user. @param phc made by `hashPassword`, before the transaction: it takes a while */
export async function setPassword({ db, now }: WriteContext, userId: string, phc: string): Promise<void> {
  await db
    .insertInto('portal.passwords')
    .values({ owner_id: userId, hash: phc, updated_at: now })
    .onConflict(on => on.column('owner_id').doUpdateSet(({ ref }) => ({ hash: ref('excluded.hash'), updated_at: now })))
    .execute()
}

/** Tells whether the service has any user. */
export async function hasUsers({ db }: ReadContext): Promise<boolean> {
  return (await db.selectFrom('core.users').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Keeps others from adding users until the transaction ends. */
export async function lockUsers({ db }: WriteContext): Promise<void> {
  await sql`lock table core.users in exclusive mode`.execute(db)
}

/** Keeps what a user chose for the portal; null = as the browser says. */
export async function keepPreferences(
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
