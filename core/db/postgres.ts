import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { Pool, types } from 'pg'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Tables } from '../plugin/tables.ts'
import type { Database } from './database.ts'
import { postgresDialect } from './dialect.ts'
import { lazyOrm } from './orm.ts'
import { logRepeated } from './repeated-log.ts'
import { Deadline } from './postgres/deadline.ts'
import { PoolDriver } from './postgres/driver.ts'
import { KEEP_ALIVE } from './postgres/keep-alive.ts'
import { listen } from './postgres/listener.ts'
import { setForTransaction } from './settings.ts'
import { parserOf } from './values.ts'

const CLOSE_MS = 3000
/** How much later than the server cancels a statement its connection is given up. */
const GRACE_MS = 1000

export interface PostgresOptions {
  readonly url: string
  /** Read replicas; reads go to the primary when there are none. */
  readonly replicaUrl: string | null
  readonly poolSize: number
  /** Milliseconds after which the server cancels a statement; a second later its connection is given up. */
  readonly queryTimeout: number
  readonly plugins: readonly PluginSpec[]
  readonly log: Log
}

/**
 * Opens PostgreSQL with two pools, one that reads and whose connections refuse writes, one that writes, and a single connection for
 * statements that commit outside a transaction.
 *
 * A generic plan may cost hundreds of times a custom one when owners differ in size, hence `plan_cache_mode`;
 * compiling a query costs more than running any of ours, hence `jit=off`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, replicaUrl, poolSize, queryTimeout, plugins, log } = options
  const settings = settingsOf({
    statement_timeout: queryTimeout,
    // An instance that stands still holds its locks no longer than others wait for them.
    idle_in_transaction_session_timeout: Math.ceil(queryTimeout / 2),
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    plan_cache_mode: 'force_custom_plan',
    jit: 'off',
    timezone: 'UTC',
  })
  const pools: [string, Pool][] = []
  let losses = 0
  const deadline = new Deadline(queryTimeout + GRACE_MS)
  const open = (name: string, address: string, own: string, max = poolSize): Kysely<Tables> => {
    const pool = new Pool({
      ...target(address, own),
      ...KEEP_ALIVE,
      application_name: 'tasuki',
      max,
      // Also for a free connection of the pool: whoever holds one and waits for another must not wait for ever.
      connectionTimeoutMillis: queryTimeout,
      types: {
        getTypeParser: (oid, format) => (format === 'binary' ? types.getTypeParser(oid, format) : parserOf(oid)),
      },
    })
    // What is under way fails by itself; without somebody who hears of it, a connection that is lost ends the process.
    const lost = (error: Error): void => {
      losses++
      logRepeated(log, { error: error.message }, 'lost a connection to the database')
    }
    pools.push([name, pool])
    pool.on('error', lost)
    pool.on('connect', client => client.on('error', lost))
    return new Kysely<Tables>({ dialect: postgresDialect(() => new PoolDriver(pool, deadline)) })
  }
  const write = open('write', url, settings)
  const read = open('read', replicaUrl ?? url, `${settings} -c default_transaction_read_only=on`)
  // Whoever asks it holds a connection of the other pool. Its commits do not wait for the disk: a later commit that relies on one of them
  // writes it too, since the log is written in order.
  const autonomous = open('autonomous', url, `${settings} -c synchronous_commit=off`, 1)
  const orm = lazyOrm('postgres', write, plugins, log)
  const listener = listen(url, log)
  return {
    engine: 'postgres',
    orm: orm.get,
    read,
    write,
    autonomous,
    listener,
    embedded: null,
    withoutLimit: work => deadline.lift(work),
    load: () => ({
      pools: pools.map(([pool, { totalCount, idleCount, waitingCount }]) => ({
        pool,
        busy: totalCount - idleCount,
        idle: idleCount,
        waiting: waitingCount,
      })),
      losses,
    }),
    // The primary, where no replay of changes cancels a long read.
    snapshot: work =>
      write
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async db => {
          // Whoever takes the rows away may be slow.
          await setForTransaction(db, 'idle_in_transaction_session_timeout', '0')
          return work(db)
        }),
    url,
    async close() {
      const late = new AbortController()
      const closed = Promise.all([listener.close(), orm.close(), read.destroy(), write.destroy(), autonomous.destroy()])
      // A connection that is being made meanwhile would keep a pool waiting for ever.
      await Promise.race([closed, sleep(CLOSE_MS, undefined, { signal: late.signal }).catch(() => undefined)])
      late.abort()
    },
  }
}

function settingsOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** Settings that the address gives for itself stay, but for ours; node-postgres would take its own alone. */
function target(address: string, own: string): { connectionString: string; options: string } {
  const url = new URL(address)
  const given = url.searchParams.get('options')
  url.searchParams.delete('options')
  return { connectionString: url.href, options: given === null ? own : `${given} ${own}` }
}
