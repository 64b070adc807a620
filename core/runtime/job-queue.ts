import { Value } from '@sinclair/typebox/value'
import { fromKysely, type PgBoss } from 'pg-boss'
import { randomUUID } from 'node:crypto'
import { createBoss, createWorkers, type QueueOptions } from './job-workers.ts'
import { jobData } from './observed-job.ts'
import { attempt } from './plugin-lifecycle.ts'
import { countJobsByQueue, type QueueCount } from './queue.repository.ts'
import type { Runner } from './runner.ts'
import type { Db, Job } from '../plugin/context.ts'

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
export function createQueue(options: QueueOptions): Queue {
  const { database, jobs } = options
  const names = new Set(jobs.map(job => job.name))
  // For sending only, because a process that runs a single command must not start workers.
  const sender = createBoss(options, { max: 1, supervise: false, schedule: false })
  const workers = createWorkers(options)
  let prepared: Promise<void> | undefined
  let started: Promise<void> | undefined

  const prepare = (): Promise<void> => (prepared ??= makeQueues(sender, options))
  const start = async (runner: Runner): Promise<void> => {
    await prepare()
    await workers.start(runner)
    for (const { name, atStart } of jobs)
      if (atStart) await sender.send(name, jobData(atStart), { singletonKey: `${name} at start` })
  }
  return {
    async enqueue(trx, job, payload, { at, key }) {
      if (!names.has(job.name) || !prepared)
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
    start: runner => (started ??= start(runner)),
    async counts() {
      if (!prepared) return []
      const found = new Map((await countJobsByQueue(database.read)).map(count => [count.name, count]))
      return jobs.map(({ name }) => found.get(name) ?? { name, ready: 0, deferred: 0, active: 0, failed: 0, oldest: 0 })
    },
    async stop() {
      await started?.catch(() => undefined)
      await workers.stop()
      await prepared?.catch(() => undefined)
      if (prepared) await sender.stop({ graceful: false })
    },
  }
}

async function makeQueues(sender: PgBoss, { database, jobs }: QueueOptions): Promise<void> {
  // The migrations of pg-boss may exceed the statement timeout.
  await database.withoutLimit(() => sender.start())
  // Read at once, because one statement per job would take most of the startup time.
  const knownQueues = new Set((await sender.getQueues()).map(queue => queue.name))
  const schedules = new Map((await sender.getSchedules()).map(({ name, cron }) => [name, cron]))
  for (const { name, schedule } of jobs) {
    if (!knownQueues.has(name)) {
      await sender.createQueue(name, QUEUE)
      // Fills the sender's cache of queues: it cannot look one up in a transaction of the embedded database, which has one session.
      await sender.findJobs(name, { id: randomUUID() })
    }
    if (schedule !== undefined && schedules.get(name) !== schedule)
      await attempt(`the schedule "${schedule}" of job ${name} is refused`, () => sender.schedule(name, schedule, {}))
  }
  const scheduled = new Set(jobs.filter(({ schedule }) => schedule !== undefined).map(job => job.name))
  for (const name of schedules.keys()) if (!scheduled.has(name)) await sender.unschedule(name)
}
