import { deleteWhere, iso, type ReadContext, type WriteContext } from 'tasuki/plugin'

/** The second factors of a user. */
export type SecondFactors = Awaited<ReturnType<typeof readFactors>>
export type Passkey = SecondFactors['passkeys'][number]

const passkeyColumns = [
  'id',
  'credential_id as credentialId',
  'public_key as publicKey',
  'counter',
  'transports',
  'name',
  iso('created_at').as('createdAt'),
  iso('used_at').as('usedAt'),
] as const

/** Reads the second factors of a user; times are ISO 8601 UTC. */
export async function readFactors({ db }: ReadContext, userId: string) {
  const app = await db
    .selectFrom('portal.authenticators')
    .select(iso('created_at').as('since'))
    .where('owner_id', '=', userId)
    .executeTakeFirst()
  const passkeys = await db
    .selectFrom('portal.passkeys')
    .select(passkeyColumns)
    .where('owner_id', '=', userId)
    .orderBy('portal.passkeys.created_at')
    .orderBy('id')
    .execute()
  const { codes } = await db
    .selectFrom('portal.recovery_codes')
    .select(({ fn }) => fn.countAll<string>().as('codes'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return {
    /** When the authenticator app was set up; null = not set up. */
    appSince: app?.since ?? null,
    passkeys: passkeys.map(key => ({ ...key, counter: Number(key.counter) })),
    /** Number of unused recovery codes. */
    codes: Number(codes),
  }
}

/** Returns whether the user needs more than a password. */
export const hasSecondFactor = ({ appSince, passkeys }: SecondFactors): boolean =>
  appSince !== null || passkeys.length > 0

/** Reads the sealed secret of a user's authenticator app; null = none. */
export async function readSecret({ db }: ReadContext, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('portal.authenticators')
    .select('secret')
    .where('owner_id', '=', userId)
    .executeTakeFirst()
  return row?.secret ?? null
}

/** Consumes the code of a 30-second period. @returns false if it or a later one was used before */
export async function consumeStep({ db }: WriteContext, userId: string, step: number): Promise<boolean> {
  const row = await db
    .updateTable('portal.authenticators')
    .set({ last_step: step })
    .where('owner_id', '=', userId)
    .where('last_step', '<', step)
    .returning('owner_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Sets or replaces the authenticator app. @param step period of the code that proved it, which cannot be used again */
export async function saveAuthenticator({ db, now }: WriteContext, userId: string, secret: string, step: number) {
  const values = { secret, last_step: step, created_at: now }
  await db
    .insertInto('portal.authenticators')
    .values({ owner_id: userId, ...values })
    .onConflict(on => on.column('owner_id').doUpdateSet(values))
    .execute()
}

/** @returns false if there is none */
export async function deleteAuthenticator({ db }: WriteContext, userId: string): Promise<boolean> {
  const query = db.deleteFrom('portal.authenticators').where('owner_id', '=', userId)
  return (await query.returning('owner_id').executeTakeFirst()) !== undefined
}

/** @returns false if the user already has this passkey */
export async function insertPasskey(
  { db, now }: WriteContext,
  userId: string,
  { id, credentialId, publicKey, counter, transports, name }: Omit<Passkey, 'createdAt' | 'usedAt'>,
): Promise<boolean> {
  const row = await db
    .insertInto('portal.passkeys')
    .values({
      owner_id: userId,
      id,
      credential_id: credentialId,
      public_key: publicKey,
      counter: String(counter),
      transports,
      name,
      created_at: now,
      challenged_at: now,
      used_at: null,
    })
    .onConflict(on => on.columns(['owner_id', 'credential_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Consumes a challenge of a passkey. Challenges issued before the last consumed one are rejected, so that none is used twice.
 * @param given when the challenge was issued
 */
export async function consumePasskeyChallenge(
  { db, now }: WriteContext,
  userId: string,
  { id, counter, given }: { readonly id: string; readonly counter: number; readonly given: Date },
): Promise<boolean> {
  const row = await db
    .updateTable('portal.passkeys')
    .set({ counter: String(counter), challenged_at: given, used_at: now })
    .where(({ and }) => and({ owner_id: userId, id }))
    .where('challenged_at', '<', given.toISOString())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false for an unknown id */
export async function renamePasskey({ db }: WriteContext, userId: string, id: string, name: string): Promise<boolean> {
  const query = db.updateTable('portal.passkeys').set({ name }).where('owner_id', '=', userId).where('id', '=', id)
  return (await query.returning('id').executeTakeFirst()) !== undefined
}

/** @param id default: all of the user @returns the names of the deleted passkeys */
export async function deletePasskeys({ db }: WriteContext, userId: string, id?: string): Promise<readonly string[]> {
  const rows = await db
    .deleteFrom('portal.passkeys')
    .where('owner_id', '=', userId)
    .$if(id !== undefined, query => query.where('id', '=', id!))
    .returning('name')
    .execute()
  return rows.map(({ name }) => name)
}

/** Replaces all recovery codes of a user. @param hashes empty = deletes them */
export async function replaceRecoveryCodes({ db }: WriteContext, userId: string, hashes: readonly string[]) {
  await deleteWhere(db, 'portal.recovery_codes', { owner_id: userId })
  if (hashes.length === 0) return
  await db
    .insertInto('portal.recovery_codes')
    .values(hashes.map(hash => ({ owner_id: userId, hash })))
    .execute()
}

/** Consumes a recovery code. @returns false if it is unknown or used */
export async function consumeRecoveryCode({ db }: WriteContext, userId: string, hash: string): Promise<boolean> {
  const query = db.deleteFrom('portal.recovery_codes').where('owner_id', '=', userId).where('hash', '=', hash)
  return (await query.returning('hash').executeTakeFirst()) !== undefined
}
