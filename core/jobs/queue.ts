import { fromKysely, fromPglite, PgBoss } from 'pg-boss'
import { randomUUID } from 'node:crypto'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Database } from '../db/database.ts'
import type { CallScope, Runner } from '../db/run.ts'
import type { Db, Log } from '../plugin/context.ts'
import type { Job } from '../plugin/job.ts'
import { silentClient } from './silent-client.ts'

export const JOBS_SCHEMA = 'core_jobs'

export interface Queue {
  enqueue(trx: Db, job: Job, payload: unknown, options: { at?: Date; key?: string }): Promise<void>
  /** Starts working; returns once the queue accepts jobs. */
  start(runner: Runner): Promise<void>
  /** Stops taking jobs and waits for those under way. */
  stop(): Promise<void>
}

/** The job queue in the same database, so that a job exists exactly if the write that made it was committed. */
export function createQueue(database: Database, jobs: readonly Job[], authenticator: Authenticator, log: Log): Queue {
  const boss = new PgBoss({
    ...(database.embedded
      ? { db: fromPglite(database.embedded), backend: 'pglite' as const }
      : { connectionString: database.url!, max: 2 }),
    schema: JOBS_SCHEMA,
    application_name: 'tasuki jobs',
  } as never)
  boss.on('error', error => log.error({ err: error }, 'job queue'))
  let started: Promise<void> | undefined

  const work = async (job: Job, payload: unknown, runner: Runner, signal: AbortSignal): Promise<void> => {
    const scope: CallScope = {
      principal: authenticator.systemPrincipal(),
      name: job.name,
      requestId: randomUUID(),
      ifUpdatedAt: null,
      clientName: null,
      signal,
      log,
      client: silentClient,
    }
    if (job.transaction === false) await runner.read(scope, ctx => job.run(ctx as never, payload))
    else await runner.write(scope, ctx => job.run(ctx, payload))
  }

  return {
    async enqueue(trx, job, payload, { at, key }) {
      await started
      const options = { ...(at && { startAfter: at }), ...(key !== undefined && { singletonKey: key }) }
      await boss.send(job.name, payload as object, { ...options, db: fromKysely(trx as never) })
    },
    start(runner) {
      started ??= (async () => {
        // Its own migrations may take longer than any statement of a call.
        await (database.embedded?.withoutLimit(() => boss.start()) ?? boss.start())
        for (const job of jobs) {
          await boss.createQueue(job.name)
          await boss.work(job.name, { pollingIntervalSeconds: 2 }, async ([taken]) =>
            work(job, taken!.data, runner, taken!.signal),
          )
          if (job.schedule !== undefined) await boss.schedule(job.name, job.schedule, {})
        }
      })()
      return started
    },
    async stop() {
      if (!started) return
      await started.catch(() => undefined)
      await boss.stop({ graceful: true, timeout: 10_000 })
    },
  }
}
