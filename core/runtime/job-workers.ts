import { fromPglite, PgBoss, type ConstructorOptions } from 'pg-boss'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemPrincipals } from './principal.ts'
import type { Database } from '../db/database.ts'
import { KEEP_ALIVE } from '../db/postgres/keep-alive.ts'
import { logRepeated } from '../db/repeated-log.ts'
import { observeJob, type ObservedJob } from './observed-job.ts'
import { JOBS_SCHEMA, readDueQueues } from './queue.repository.ts'
import type { Runner } from './runner.ts'
import type { Job, Log } from '../plugin/context.ts'
import { systemScope } from './system-scope.ts'

/** Interval at which one statement looks for due jobs of all queues. Immediate jobs start at once, by notification. */
const POLL_MS = 2000
/** Interval at which every worker looks for jobs of its own queue, in case a wake-up was lost. */
const FALLBACK = { pollingIntervalSeconds: 60, notifyPollingIntervalSeconds: 60 }
/** Each pass over the schedules is a write; by default a job would be up to 30 s late. */
const CRON = { cronMonitorIntervalSeconds: 5, cronWorkerIntervalSeconds: 2 }
const STOP_MS = 10_000
/** Options for connections to PostgreSQL; the types of pg-boss omit some options of node-postgres. */
const LIMITS = {
  ...KEEP_ALIVE,
  connectionTimeoutMillis: 10_000,
  options: '-c idle_in_transaction_session_timeout=10000 -c standard_conforming_strings=on',
  notifyHeartbeatIntervalMs: 5000,
}

export interface QueueOptions {
  readonly database: Database
  readonly jobs: readonly Job[]
  readonly principals: SystemPrincipals
  readonly log: Log
  readonly onEnded?: (job: ObservedJob) => void
}

export function createBoss(
  { database, log }: Pick<QueueOptions, 'database' | 'log'>,
  options: Partial<ConstructorOptions>,
): PgBoss {
  const boss = new PgBoss({
    ...(database.embedded
      ? { db: fromPglite(database.embedded), backend: 'pglite' as const }
      : { connectionString: database.url!, ...LIMITS }),
    schema: JOBS_SCHEMA,
    application_name: 'tasuki jobs',
    ...options,
  })
  boss.on('error', error => logRepeated(log, { err: error }, 'the job queue could not ask the database'))
  return boss
}

/** Creates the workers of this process, one per queue. */
export function createWorkers(options: QueueOptions) {
  const { database, jobs, log, onEnded } = options
  // The timeout is for the workers only: the sender runs the migrations of pg-boss, which may take long.
  const workerTimeout = { query_timeout: 30_000 }
  const boss = createBoss(options, { ...workerTimeout, max: 2, useListenNotify: true, ...CRON })
  /** Ids of the workers by the names of their queues. */
  const ids = new Map<string, string>()
  const stopping = new AbortController()
  let polling: Promise<void> | undefined
  let started: Promise<void> | undefined

  const wake = (name: string): void => {
    const id = ids.get(name)
    if (id !== undefined) boss.notifyWorker(id)
  }
  const workOn = async (job: Job, runner: Runner): Promise<void> => {
    const id = await boss.work(job.name, FALLBACK, async ([fetched]) => {
      // Fetches the next job at once instead of after the polling interval.
      wake(job.name)
      const { data, signal } = fetched!
      const run = (payload: unknown) => runJob(options, runner, job, payload, signal)
      await observeJob(job.name, data as Record<string, unknown>, run, onEnded)
    })
    ids.set(job.name, id)
  }
  // One statement for all queues: with a statement per queue, an idle embedded database used 4 % of a processor.
  const pollQueues = async (): Promise<void> => {
    const { signal } = stopping
    while (!signal.aborted) {
      try {
        for (const name of await readDueQueues(database.write, [...ids.keys()])) wake(name)
      } catch (error) {
        logRepeated(log, { err: error }, 'the job queue could not ask the database')
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  const start = async (runner: Runner): Promise<void> => {
    await boss.start()
    await Promise.all(jobs.map(job => workOn(job, runner)))
    polling = pollQueues()
  }
  return {
    /** Resolves when the workers fetch jobs. */
    start: (runner: Runner): Promise<void> => (started ??= start(runner)),
    /** Stops fetching jobs and waits for running ones. */
    async stop(): Promise<void> {
      stopping.abort()
      await started?.then(
        () => boss.stop({ graceful: true, timeout: STOP_MS }),
        () => boss.stop({ graceful: false }),
      )
      await polling
    },
  }
}

async function runJob(
  { database, principals, log }: QueueOptions,
  runner: Runner,
  job: Job,
  payload: unknown,
  signal: AbortSignal,
): Promise<void> {
  const system = systemScope(principals, job.name, log, signal)
  try {
    const userId = job.forUser?.(payload)
    const principal = userId === undefined ? system.principal : await principals.principalOf(database.write, userId)
    if (!principal) return log.info({ job: job.name, user: userId }, 'skipped a job of a deleted or disabled user')
    const scope = { ...system, principal }
    if (job.transaction === false) await runner.writeWithoutTransaction(scope, ctx => job.run(ctx, payload))
    else await runner.write(scope, ctx => job.run(ctx, payload))
  } catch (error) {
    log.error({ err: error, job: job.name }, 'a job failed')
    throw error
  }
}
