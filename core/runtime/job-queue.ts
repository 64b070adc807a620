import { Value } from '@sinclair/typebox/value'
import { fromKysely, fromPglite, PgBoss, type ConstructorOptions } from 'pg-boss'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemPrincipals } from './principal.ts'
import type { Database } from '../db/database.ts'
import { KEEP_ALIVE } from '../db/postgres/keep-alive.ts'
import { logRepeated } from '../db/repeated-log.ts'
import { jobData, observeJob, type ObservedJob } from './observed-job.ts'
import { countJobs, JOBS_SCHEMA, readDueQueues, type QueueCount } from './queue.repository.ts'
import type { Runner } from './runner.ts'
import type { Db, Log } from '../plugin/context.ts'
import type { Job } from '../plugin/context.ts'
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
  options: '-c idle_in_transaction_session_timeout=10000',
  notifyHeartbeatIntervalMs: 5000,
}
/** At most one waiting job per key. A failed job is retried with backoff for about two minutes. */
const QUEUE = { policy: 'short', notify: true, retryLimit: 6, retryDelay: 2, retryBackoff: true } as const

export interface Queue {
  enqueue(trx: Db, job: Job, payload: unknown, options: { at?: Date; key?: string }): Promise<void>
  /** Retries a failed job. */
  retry(trx: Db, name: string, id: string): Promise<void>
  /** Creates queues and schedules at boot, because `enqueue` runs inside a transaction, where they cannot be created. */
  prepare(): Promise<void>
  /** Starts the workers; resolves when they fetch jobs. */
  start(runner: Runner): Promise<void>
  /** Counts waiting, running and failed jobs per queue; empty before the queues exist. */
  counts(): Promise<readonly QueueCount[]>
  /** Stops fetching jobs and waits for running ones. */
  stop(): Promise<void>
}

/** Creates the job queue in the same database, so that a job exists exactly if the transaction that enqueued it was committed. */
export function createQueue(
  database: Database,
  jobs: readonly Job[],
  principals: SystemPrincipals,
  log: Log,
  onEnded?: (job: ObservedJob) => void,
): Queue {
  const byName = new Map(jobs.map(job => [job.name, job]))
  const makeBoss = (options: Partial<ConstructorOptions>): PgBoss => {
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
  // For sending only, because a process that runs a single command must not start workers.
  const sender = makeBoss({ max: 1, supervise: false, schedule: false })
  // The timeout is for the worker only: the sender runs the migrations of pg-boss, which may take long.
  const workerTimeout = { query_timeout: 30_000 }
  const worker = makeBoss({ ...workerTimeout, max: 2, useListenNotify: true, ...CRON })
  /** Ids of the workers by the names of their queues. */
  const workerIds = new Map<string, string>()
  const stopping = new AbortController()
  let polling: Promise<void> | undefined
  let prepared: Promise<void> | undefined
  let started: Promise<void> | undefined

  const prepare = (): Promise<void> => (prepared ??= makeQueues())
  const makeQueues = async (): Promise<void> => {
    // The migrations of pg-boss may exceed the statement timeout.
    await database.withoutLimit(() => sender.start())
    // Read at once, because one statement per job would take most of the startup time.
    const knownQueues = new Set((await sender.getQueues()).map(queue => queue.name))
    const schedules = new Map((await sender.getSchedules()).map(({ name, cron }) => [name, cron]))
    for (const { name, schedule } of jobs) {
      if (!knownQueues.has(name)) {
        await sender.createQueue(name, QUEUE)
        // Fills the sender's cache of queues. It would otherwise look the queue up on another connection, which the embedded database lacks
        // during a transaction.
        await sender.findJobs(name, { id: randomUUID() })
      }
      if (schedule !== undefined && schedules.get(name) !== schedule) await sender.schedule(name, schedule, {})
    }
    for (const name of schedules.keys()) {
      if (byName.get(name)?.schedule === undefined) await sender.unschedule(name)
    }
  }
  const run = async (job: Job, payload: unknown, runner: Runner, signal: AbortSignal): Promise<void> => {
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
  const workOn = async (job: Job, runner: Runner): Promise<void> => {
    const id = await worker.work(job.name, FALLBACK, async ([fetched]) => {
      // Fetches the next job at once instead of after the polling interval.
      wake(job.name)
      const { data, signal } = fetched!
      await observeJob(job.name, data as Record<string, unknown>, payload => run(job, payload, runner, signal), onEnded)
    })
    workerIds.set(job.name, id)
  }
  const wake = (name: string): void => {
    const id = workerIds.get(name)
    if (id !== undefined) worker.notifyWorker(id)
  }
  // One statement for all queues: with a statement per queue, an idle embedded database used 4 % of a processor.
  const pollQueues = async (): Promise<void> => {
    const { signal } = stopping
    while (!signal.aborted) {
      try {
        for (const name of await readDueQueues(database.write, [...workerIds.keys()])) wake(name)
      } catch (error) {
        logRepeated(log, { err: error }, 'the job queue could not ask the database')
      }
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    async enqueue(trx, job, payload, { at, key }) {
      if (!byName.has(job.name) || !prepared)
        throw new Error(`job ${job.name} cannot be queued: it is not among the jobs of an enabled plugin`)
      const problem = Value.Errors(job.payload, payload).First()
      if (problem)
        throw new Error(`job ${job.name} cannot be queued: payload${problem.path}: ${problem.message.toLowerCase()}`)
      await sender.send(job.name, jobData(payload as object), {
        ...(at && { startAfter: at }),
        // The queue keeps the first of waiting jobs with the same key.
        singletonKey: key ?? randomUUID(),
        db: fromKysely(trx),
      })
    },
    async retry(trx, name, id) {
      await sender.retry(name, id, { db: fromKysely(trx) })
    },
    prepare,
    start(runner) {
      started ??= (async () => {
        await prepare()
        await worker.start()
        await Promise.all(jobs.map(job => workOn(job, runner)))
        polling = pollQueues()
        for (const { name, atStart } of jobs)
          if (atStart) await sender.send(name, jobData(atStart), { singletonKey: `${name} at start` })
      })()
      return started
    },
    async counts() {
      if (!prepared) return []
      const found = new Map((await countJobs(database.read)).map(count => [count.name, count]))
      return jobs.map(({ name }) => found.get(name) ?? { name, ready: 0, deferred: 0, active: 0, failed: 0, oldest: 0 })
    },
    async stop() {
      stopping.abort()
      await started?.then(
        () => worker.stop({ graceful: true, timeout: STOP_MS }),
        () => worker.stop({ graceful: false }),
      )
      await polling
      await prepared?.catch(() => undefined)
      if (prepared) await sender.stop({ graceful: false })
    },
  }
}
