import { deleteWhere, iso, type ReadContext, type WriteContext } from 'tasuki/plugin'

/** What a user has set up beside the password. */
export interface SecondFactors {
  /** Since when there is an authenticator app, ISO 8601 UTC; null = there is none. */
  readonly appSince: string | null
  readonly passkeys: readonly Passkey[]
  /** Recovery codes that are left. */
  readonly codes: number
}

export interface Passkey {
  readonly id: string
  readonly credentialId: string
  /** COSE key, base64url. */
  readonly publicKey: string
  readonly counter: number
  readonly transports: string
  readonly name: string
  /** ISO 8601 UTC. */
  readonly createdAt: string
  readonly usedAt: string | null
}

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

export async function readFactors({ db }: ReadContext, userId: string): Promise<SecondFactors> {
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
    appSince: app?.since ?? null,
    passkeys: passkeys.map(key => ({ ...key, counter: Number(key.counter) })),
    codes: Number(codes),
  }
}

/** The person has more to prove than a password. */
export const hasSecondFactor = ({ appSince, passkeys }: SecondFactors): boolean =>
  appSince !== null || passkeys.length > 0

/** Sealed secret of a user's authenticator app; null = there is none. */
export async function readSecret({ db }: ReadContext, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('portal.authenticators')
    .select('secret')
    .where('owner_id', '=', userId)
    .executeTakeFirst()
  return row?.secret ?? null
}

/** Uses the code of a half minute. @returns false when it, or a later one, was used before */
export async function takeStep({ db }: WriteContext, userId: string, step: number): Promise<boolean> {
  const row = await db
    .updateTable('portal.authenticators')
    .set({ last_step: step })
    .where('owner_id', '=', userId)
    .where('last_step', '<', step)
    .returning('owner_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Sets or replaces the authenticator app. @param step of the code that proved it, which counts no second time */
export async function keepAuthenticator(
  { db, now }: WriteContext,
  userId: string,
  secret: string,
  step: number,
): Promise<void> {
  const values = { secret, last_step: step, created_at: now }
  await db
    .insertInto('portal.authenticators')
    .values({ owner_id: userId, ...values })
    .onConflict(on => on.column('owner_id').doUpdateSet(values))
    .execute()
}

/** @returns false when there is none */
export async function deleteAuthenticator({ db }: WriteContext, userId: string): Promise<boolean> {
  const query = db.deleteFrom('portal.authenticators').where('owner_id', '=', userId)
  return (await query.returning('owner_id').executeTakeFirst()) !== undefined
}

/** @returns false when the user has this passkey already */
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
 * Uses a passkey for a challenge. Of those given before the one that it answered last none counts, so that none counts twice.
 * @param given when the challenge was
 */
export async function takePasskey(
  { db, now }: WriteContext,
  userId: string,
  { id, counter, given }: { readonly id: string; readonly counter: number; readonly given: Date },
): Promise<boolean> {
  const row = await db
    .updateTable('portal.passkeys')
    .set({ counter: String(counter), challenged_at: given, used_at: now })
    .where('owner_id', '=', userId)
    .where('id', '=', id)
    .where('challenged_at', '<', given.toISOString())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false when there is none with this id */
export async function renamePasskey({ db }: WriteContext, userId: string, id: string, name: string): Promise<boolean> {
  const query = db.updateTable('portal.passkeys').set({ name }).where('owner_id', '=', userId).where('id', '=', id)
  return (await query.returning('id').executeTakeFirst()) !== undefined
}

/** @param id left out = all of the user. @returns names of those that are gone */
export async function deletePasskeys({ db }: WriteContext, userId: string, id?: string): Promise<readonly string[]> {
  const rows = await db
    .deleteFrom('portal.passkeys')
    .where('owner_id', '=', userId)
    .$if(id !== undefined, query => query.where('id', '=', id!))
    .returning('name')
    .execute()
  return rows.map(({ name }) => name)
}

/** Replaces all recovery codes of a user. @param hashes empty = there are none any more */
export async function keepRecoveryCodes(
  { db }: WriteContext,
  userId: string,
  hashes: readonly string[],
): Promise<void> {
  await deleteWhere(db, 'portal.recovery_codes', { owner_id: userId })
  if (hashes.length === 0) return
  await db
    .insertInto('portal.recovery_codes')
    .values(hashes.map(hash => ({ owner_id: userId, hash })))
    .execute()
}

/** Uses a recovery code up. @returns false when it is unknown or used */
export async function takeRecoveryCode({ db }: WriteContext, userId: string, hash: string): Promise<boolean> {
  const query = db.deleteFrom('portal.recovery_codes').where('owner_id', '=', userId).where('hash', '=', hash)
  return (await query.returning('hash').executeTakeFirst()) !== undefined
}
