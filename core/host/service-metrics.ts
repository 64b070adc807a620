import type * as PromClient from 'prom-client'
import type { Registry } from 'prom-client'
import { logRepeated } from '../db/repeated-log.ts'
import { databaseBytes } from '../runtime/queue.repository.ts'
import type { Database } from '../db/database.ts'
import type { Authenticator } from '../identity/authenticator.ts'
import type { Queue } from '../runtime/job-queue.ts'
import type { Log } from '../plugin/context.ts'

/** Parts of the host that are measured on each scrape. */
export interface MeasuredParts {
  readonly database: Pick<Database, 'load' | 'read'>
  readonly queue: Pick<Queue, 'counts'>
  readonly authenticator: Pick<Authenticator, 'cacheUse'>
  /** Number of open requests. */
  readonly open: () => number
}

type Client = typeof PromClient

/** Registers metrics of pools, queues, the engine and the cache. @returns a function that updates them */
export function registerMeasures({ Gauge, Counter }: Client, registers: Registry[]) {
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name: `tasuki_${name}`, help, labelNames, registers })
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name: `tasuki_${name}`, help, labelNames, registers })
  const up = gauge('database_up', '1 while the database answers.')
  const bytes = gauge('database_bytes', 'Size of the database on its disk.')
  const lost = counter('database_losses_total', 'Connections lost, or restarts of the embedded engine.')
  const connections = gauge('pool_connections', 'Connections by pool and state.', 'pool', 'state')
  const waiting = gauge('pool_waiting', 'Callers that wait for a connection.', 'pool')
  const jobs = gauge('queue_jobs', 'Jobs by queue and state; failed = retries exhausted.', 'queue', 'state')
  const oldest = gauge('queue_oldest_seconds', 'How long the oldest job that is ready has waited.', 'queue')
  const lookups = counter('credential_cache_total', 'Checks of credentials by result.', 'result')
  const entries = gauge('credential_cache_entries', 'Credentials in the cache.')
  const requests = gauge('requests_open', 'Requests under way, streams included.')
  return async ({ database, queue, authenticator, open }: MeasuredParts, log: Log): Promise<void> => {
    const load = database.load()
    for (const { pool, busy, idle, waiting: callers } of load.pools) {
      connections.set({ pool, state: 'busy' }, busy)
      connections.set({ pool, state: 'idle' }, idle)
      waiting.set({ pool }, callers)
    }
    lost.reset()
    lost.inc(load.losses)
    const { hits, misses, kept } = authenticator.cacheUse()
    lookups.reset()
    lookups.inc({ result: 'hit' }, hits)
    lookups.inc({ result: 'miss' }, misses)
    entries.set(kept)
    requests.set(open())
    try {
      bytes.set(await databaseBytes(database.read))
      const counts = await queue.counts()
      jobs.reset()
      oldest.reset()
      for (const { name, oldest: seconds, ...states } of counts) {
        for (const [state, count] of Object.entries(states)) jobs.set({ queue: name, state }, count)
        oldest.set({ queue: name }, seconds)
      }
      up.set(1)
    } catch (error) {
      // The other metrics matter most in this case.
      up.set(0)
      logRepeated(log, { err: error }, 'the database did not answer for the metrics')
    }
  }
}
