import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { Pool, types } from 'pg'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Tables } from '../plugin/tables.ts'
import type { Database, DatabaseLoad } from './database.ts'
import { postgresDialect } from './dialect.ts'
import { createLazyOrm } from './orm.ts'
import { logRepeated } from './repeated-log.ts'
import { Deadline } from './postgres/deadline.ts'
import { PoolDriver } from './postgres/driver.ts'
import { KEEP_ALIVE } from './postgres/keep-alive.ts'
import { listen } from './postgres/listener.ts'
import { setForTransaction } from './settings.ts'
import { readByCursor } from './snapshot.repository.ts'
import { parserOf } from './values.ts'

const CLOSE_MS = 3000
/** Grace period after the server's statement timeout, before the client closes the connection. */
const GRACE_MS = 1000

export interface PostgresOptions {
  readonly url: string
  /** Variable or option with `url`, for errors; default DATABASE_URL. */
  readonly variable?: string
  /** URL of the read replicas; null = reads go to the primary. */
  readonly replicaUrl: string | null
  readonly poolSize: number
  /** Milliseconds after which the server cancels a statement; a second later the client closes the connection. */
  readonly queryTimeout: number
  readonly plugins: readonly PluginSpec[]
  readonly log: Log
}

/**
 * Opens PostgreSQL with a read-only pool, a write pool, and a single connection for statements that commit outside the caller's
 * transaction.
 *
 * `plan_cache_mode` is custom because a generic plan may cost hundreds of times as much when owners differ in size.
 * `random_page_cost` is for disks without heads, as in the embedded engine: with the default the planner reads all texts to find a word.
 * `jit` is off because compiling a query takes longer than running any of ours.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, replicaUrl, queryTimeout, plugins, log } = options
  const settings = settingsOf({
    statement_timeout: queryTimeout,
    // A stalled instance must release its locks before statements that wait for them time out.
    idle_in_transaction_session_timeout: Math.ceil(queryTimeout / 2),
    tcp_keepalives_idle: 30,
    tcp_keepalives_interval: 10,
    tcp_keepalives_count: 3,
    plan_cache_mode: 'force_custom_plan',
    random_page_cost: 1.1,
    jit: 'off',
    timezone: 'UTC',
    // The server or the role may have another, in which dates would be answered.
    datestyle: 'ISO',
    standard_conforming_strings: 'on',
  })
  const deadline = new Deadline(queryTimeout + GRACE_MS, options.variable ?? 'DATABASE_URL')
  const forReads = replicaUrl === null ? deadline : new Deadline(queryTimeout + GRACE_MS, 'DATABASE_REPLICA_URL')
  const pools = createPools(options)
  const write = pools.open('write', url, settings, deadline)
  const read = pools.open('read', replicaUrl ?? url, `${settings} -c default_transaction_read_only=on`, forReads)
  // Separate pool, because the caller holds a connection of another pool. Its commits do not wait for the disk. The WAL is sequential, so a
  // later synchronous commit that depends on one also flushes it.
  const autonomous = pools.open('autonomous', url, `${settings} -c synchronous_commit=off`, deadline, 1)
  const orm = createLazyOrm('postgres', write, plugins, log)
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
    load: pools.load,
    // On the primary, because on a replica the replay of changes may cancel a long read.
    copyTo: null,
    snapshot: (capture, work) =>
      write
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async db => {
          // The consumer of the rows may be slow.
          await setForTransaction(db, 'idle_in_transaction_session_timeout', '0')
          return work(await capture(db), table => readByCursor(db, table))
        }),
    url,
    async close() {
      const timeout = new AbortController()
      const closed = Promise.all([listener.close(), orm.close(), read.destroy(), write.destroy(), autonomous.destroy()])
      // A connection that is still being opened would block the pool's shutdown forever.
      await Promise.race([closed, sleep(CLOSE_MS, undefined, { signal: timeout.signal }).catch(() => undefined)])
      timeout.abort()
    },
  }
}

/** Creates the function that opens pools, and the one that counts their connections and losses. */
function createPools({ poolSize, queryTimeout, log }: PostgresOptions) {
  const pools: [string, Pool][] = []
  let losses = 0
  // Statements on the connection reject on their own. Without an error listener, a lost connection would end the process.
  const onLost = (error: Error): void => {
    losses++
    logRepeated(log, { error: error.message }, 'lost a connection to the database')
  }
  return {
    open(name: string, address: string, serverSettings: string, deadline: Deadline, max = poolSize): Kysely<Tables> {
      const pool = new Pool({
        ...connectionTarget(address, serverSettings),
        ...KEEP_ALIVE,
        application_name: 'tasuki',
        max,
        // Also limits the wait for a free connection, so that a caller that holds one and waits for another cannot block forever.
        connectionTimeoutMillis: queryTimeout,
        types: {
          getTypeParser: (oid, format) => (format === 'binary' ? types.getTypeParser(oid, format) : parserOf(oid)),
        },
      })
      pools.push([name, pool])
      pool.on('error', onLost)
      pool.on('connect', client => client.on('error', onLost))
      return new Kysely<Tables>({ dialect: postgresDialect(() => new PoolDriver(pool, deadline)) })
    },
    load: (): DatabaseLoad => ({
      pools: pools.map(([pool, { totalCount, idleCount, waitingCount }]) => ({
        pool,
        busy: totalCount - idleCount,
        idle: idleCount,
        waiting: waitingCount,
      })),
      losses,
    }),
  }
}

function settingsOf(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** Merges the `options` of the URL with ours, which take precedence. node-postgres would use only those of the URL. */
function connectionTarget(address: string, serverSettings: string): { connectionString: string; options: string } {
  const url = new URL(address)
  const urlOptions = url.searchParams.get('options')
  url.searchParams.delete('options')
  return {
    connectionString: url.href,
    options: urlOptions === null ? serverSettings : `${urlOptions} ${serverSettings}`,
  }
}
