import { sql } from 'kysely'
import type { FailedJob, JobCounts } from '../plugin/administration.ts'
import type { Db, ReadContext } from '../plugin/context.ts'
import { iso } from '../plugin/sql.ts'

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

const SHOWN = 50

/** Counts jobs by name and state. */
export async function countJobsByName({ db }: ReadContext): Promise<readonly JobCounts[]> {
  const { rows } = await sql<JobCounts>`
    select c.name, c.waiting, c.active, c.failed, ${iso('c.done')} as "lastDone" from (
      select q.name, count(j.id) filter (where j.state in ('created', 'retry'))::int as waiting,
        count(j.id) filter (where j.state = 'active')::int as active,
        count(j.id) filter (where j.state = 'failed')::int as failed,
        max(j.completed_on) filter (where j.state = 'completed') as done
      from core_jobs.queue q left join core_jobs.job j on j.name = q.name
      where q.name not like '\\_\\_pgboss%' group by q.name) c
    order by c.name`.execute(db)
  return rows
}

/** Lists the most recently failed jobs, newest first, with the first line of each error. */
export async function findFailedJobs({ db }: ReadContext): Promise<readonly FailedJob[]> {
  const { rows } = await sql<FailedJob>`
    select j.id, j.name, ${iso('j.completed_on')} as at,
      left(split_part(coalesce(j.output ->> 'message', j.output::text, ''), chr(10), 1), 300) as error
    from core_jobs.job j where j.state = 'failed' order by j.completed_on desc nulls last, j.id limit ${SHOWN}`.execute(
    db,
  )
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
