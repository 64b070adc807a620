import { deleteWhere, type WriteContext } from 'tasuki/plugin'

/** Failures that are counted together. */
export interface Counter {
  readonly failures: number
  /** When they are forgotten. */
  readonly expiresAt: Date
}

/** Reads counters, new ones with no failure, and keeps them as they are for others until the transaction ends; in one statement. */
export async function lockCounters(
  { db, now }: WriteContext,
  keys: readonly string[],
  until: Date,
): Promise<ReadonlyMap<string, Counter>> {
  const rows = await db
    .insertInto('portal.attempts')
    // In one order, so that two attempts never wait for each other.
    .values(keys.toSorted().map(key => ({ key, failures: 0, expires_at: until })))
    .onConflict(conflict =>
      conflict.column('key').doUpdateSet(({ eb, ref }) => ({
        failures: eb
          .case()
          .when('portal.attempts.expires_at', '<=', now.toISOString())
          .then(0)
          .else(ref('portal.attempts.failures'))
          .end(),
      })),
    )
    .returning(['key', 'failures', 'expires_at'])
    .execute()
  return new Map(rows.map(({ key, failures, expires_at: at }) => [key, { failures, expiresAt: new Date(at) }] as const))
}

export async function addFailure({ db }: WriteContext, keys: readonly string[], until: Date): Promise<void> {
  await db
    .updateTable('portal.attempts')
    .set(({ eb }) => ({ failures: eb('failures', '+', 1), expires_at: until }))
    .where('key', 'in', keys)
    .execute()
}

/** Takes back all failures of one counter, and one of others. */
export async function forgetFailures(
  { db }: WriteContext,
  { all, one }: { readonly all: string; readonly one: readonly string[] },
): Promise<void> {
  await deleteWhere(db, 'portal.attempts', { key: all })
  if (one.length === 0) return
  await db
    .updateTable('portal.attempts')
    .set(({ eb }) => ({ failures: eb('failures', '-', 1) }))
    .where('key', 'in', one)
    .where('failures', '>', 0)
    .execute()
}

export async function deleteOldAttempts({ db, now }: WriteContext): Promise<void> {
  await db.deleteFrom('portal.attempts').where('expires_at', '<=', now.toISOString()).execute()
}
