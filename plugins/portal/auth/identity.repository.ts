import { deleteWhere, iso, type ReadContext, type WriteContext } from 'tasuki/plugin'

/** An account at an OpenID provider that is linked to a user. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  /** ISO 8601 UTC. */
  readonly createdAt: string
}
export type NewIdentity = Omit<Identity, 'createdAt'>

export function readIdentities({ db }: ReadContext, userId: string): Promise<readonly Identity[]> {
  return db
    .selectFrom('portal.identities')
    .select(['issuer', 'subject', 'email', iso('created_at').as('createdAt')])
    .where('user_id', '=', userId)
    .orderBy('portal.identities.created_at')
    .orderBy('subject')
    .execute()
}

/** Links an identity to a user. @returns false if it is linked to another user */
export async function linkIdentity(
  { db, now }: WriteContext,
  userId: string,
  { issuer, subject, email }: NewIdentity,
): Promise<boolean> {
  const row = await db
    .insertInto('portal.identities')
    .values({ issuer, subject, user_id: userId, email, created_at: now })
    .onConflict(on =>
      on
        .columns(['issuer', 'subject'])
        .doUpdateSet({ email })
        .whereRef('portal.identities.user_id', '=', 'excluded.user_id'),
    )
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function unlinkIdentity({ db }: WriteContext, userId: string, issuer: string, subject: string) {
  await deleteWhere(db, 'portal.identities', { issuer, subject, user_id: userId })
}

/** Finds the user that an identity is linked to; null = none. */
export async function findLinkedUser({ db }: ReadContext, { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>) {
  const row = await db
    .selectFrom('portal.identities as i')
    .innerJoin('core.users as u', 'u.id', 'i.user_id')
    .select('u.id')
    .where(({ and }) => and({ 'i.issuer': issuer, 'i.subject': subject }))
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst()
  return row?.id ?? null
}
