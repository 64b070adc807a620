import { updateWhere } from '../plugin/rows-where.ts'
import type { ReadContext, WriteContext } from '../plugin/context.ts'
import { json } from '../plugin/tables.ts'

/** A write with an idempotency key: sending it twice executes it once. */
export interface KeyedCall {
  readonly credential: string
  readonly key: string
  /** Digest of tool and arguments. */
  readonly digest: string
}

/** Inserts the key of a call, or takes over one older than `oldest`. @returns false if the key is in use */
export async function insertKey(
  { db, now }: WriteContext,
  { credential, key, digest }: KeyedCall,
  oldest: Date,
): Promise<boolean> {
  const row = await db
    .insertInto('core.idempotency_keys')
    .values({ credential_id: credential, key, digest, created_at: now })
    .onConflict(on =>
      on
        .columns(['credential_id', 'key'])
        .doUpdateSet({ digest, result: null, created_at: now })
        .where('core.idempotency_keys.created_at', '<=', oldest.toISOString()),
    )
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** Finds the entry of a key that was created after `oldest`. */
export function findKey({ db }: ReadContext, { credential, key }: KeyedCall, oldest: Date) {
  return db
    .selectFrom('core.idempotency_keys')
    .select(['digest', 'result'])
    .where(({ and }) => and({ credential_id: credential, key }))
    .where('created_at', '>', oldest.toISOString())
    .executeTakeFirst()
}

export async function setResult({ db }: WriteContext, { credential, key }: KeyedCall, result: string): Promise<void> {
  await updateWhere(db, 'core.idempotency_keys', { credential_id: credential, key }, { result: json(result) })
}

export async function deleteOldKeys({ db }: WriteContext, oldest: Date): Promise<void> {
  await db.deleteFrom('core.idempotency_keys').where('created_at', '<', oldest.toISOString()).execute()
}
