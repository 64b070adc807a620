import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'

export const JOBS_SCHEMA = 'core_jobs'

/** Job counts of one queue. */
export interface QueueCount {
  readonly name: string
  /** Due, and waiting for a worker. */
  readonly ready: number
  /** Scheduled for later. */
  readonly deferred: number
  readonly active: number
  /** Failed after all attempts, within the retention period of the queue. */
  readonly failed: number
  /** Seconds since the oldest ready job was due; 0 if there is none. */
  readonly oldest: number
}

/** Counts jobs by queue; omits empty queues. */
export async function countJobsByQueue(db: Db): Promise<readonly QueueCount[]> {
  const { rows } = await sql<QueueCount>`
    with job as (
      select name, state, start_after, state < 'active' and start_after <= now() as ready
      from ${sql.table(`${JOBS_SCHEMA}.job`)} where state <> 'completed' and state <> 'cancelled'
    )
    select name, (count(*) filter (where ready))::int as ready,
      (count(*) filter (where state < 'active' and not ready))::int as deferred,
      (count(*) filter (where state = 'active'))::int as active,
      (count(*) filter (where state = 'failed'))::int as failed,
      coalesce(extract(epoch from now() - min(start_after) filter (where ready)), 0)::float8 as oldest
    from job group by name`.execute(db)
  return rows
}

/** Returns which of some queues have a job that is due. */
export async function readDueQueues(db: Db, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as queue (name)
    where exists (
      select from ${sql.table(`${JOBS_SCHEMA}.job`)} j
      where j.name = queue.name and j.state < 'active' and j.start_after <= now())`.execute(db)
  return rows.map(({ name }) => name)
}

/** Returns the size of the database in bytes. */
export async function databaseBytes(db: Db): Promise<number> {
  const { bytes } = await db
    .selectNoFrom(({ cast, fn }) =>
      cast<number>(fn('pg_database_size', [fn('current_database')]), 'float8').as('bytes'),
    )
    .executeTakeFirstOrThrow()
  return bytes
}
