import { deleteWhere, type WriteContext } from 'tasuki/plugin'

/** A failure counter. */
export interface Counter {
  readonly failures: number
  /** When the counter resets. */
  readonly expiresAt: Date
}

/** Reads counters and locks them until the transaction ends, creating missing ones, in one statement. */
export async function lockCounters({ db, now }: WriteContext, keys: readonly string[], until: Date) {
  const rows = await db
    .insertInto('portal.attempts')
    // In sorted order, so that two attempts cannot deadlock.
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

/** Resets one counter, and removes one failure from others. */
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
