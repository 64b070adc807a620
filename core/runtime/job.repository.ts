import { sql } from 'kysely'
import { iso } from '../plugin/sql.ts'
import type { FailedJob, JobCounts } from '../plugin/administration.ts'
import type { ReadContext } from '../plugin/context.ts'

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
