import { recordset, sql, type WriteContext } from 'tasuki/plugin'

/** A counter of failures, and how many are fine. */
export interface Counter {
  readonly key: string
  readonly most: number
}

/**
 * Adds a failure to each counter. Counting begins anew at an instant that the first failure sets.
 * @returns minutes to wait when one is over its limit, else null
 */
export async function addFailures(
  { db, now }: WriteContext,
  counters: readonly Counter[],
  until: Date,
): Promise<number | null> {
  const given = recordset('k', { key: 'text', most: 'int' }, counters)
  const { rows } = await sql<{ wait: number | null }>`
    with counted as (
      insert into portal.attempts as a (key, failures, expires_at)
      select key, 1, ${until} from ${given} order by key
      on conflict (key) do update set
        failures = case when a.expires_at <= ${now} then 1 else a.failures + 1 end,
        expires_at = case when a.expires_at <= ${now} then excluded.expires_at else a.expires_at end
      returning key, failures, expires_at
    )
    select max(ceil(extract(epoch from c.expires_at - ${now}::timestamptz) / 60))::int as wait
    from counted c join ${given} on k.key = c.key where c.failures > k.most
  `.execute(db)
  return rows[0]?.wait ?? null
}

/** Takes back all failures of one counter, and one of another. */
export async function forgetFailures(
  { db }: WriteContext,
  { all, one }: { readonly all: string; readonly one: string },
): Promise<void> {
  await db.deleteFrom('portal.attempts').where('key', '=', all).execute()
  await db
    .updateTable('portal.attempts')
    .set(({ eb }) => ({ failures: eb('failures', '-', 1) }))
    .where('key', '=', one)
    .execute()
}

export async function deleteOldAttempts({ db, now }: WriteContext): Promise<void> {
  await db.deleteFrom('portal.attempts').where('expires_at', '<=', now.toISOString()).execute()
}
