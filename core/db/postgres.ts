import { MikroORM } from '@mikro-orm/postgresql'
import type { PluginSpec } from '../plugin/plugin.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type Pool } from 'pg'
import type { Log } from '../plugin/context.ts'
import type { Database, Listener } from './database.ts'
import { ormOptions } from './orm-options.ts'
import { prepareStatements } from './prepared.ts'

const CLOSE_MS = 3000

export interface PostgresOptions {
  readonly url: string
  /** Read replicas; reads go to the primary when there are none. */
  readonly replicaUrl: string | null
  readonly poolSize: number
  /** Milliseconds after which the server cancels a statement. */
  readonly queryTimeout: number
  readonly plugins: readonly PluginSpec[]
  readonly log: Log
}

/**
 * Opens PostgreSQL with two pools: one that reads and whose connections refuse writes, one that writes.
 *
 * A generic plan may cost hundreds of times a custom one when owners differ in size, hence `plan_cache_mode`;
 * compiling a query costs more than running any of ours, hence `jit=off`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, replicaUrl, poolSize, queryTimeout, plugins, log } = options
  const settings = `-c statement_timeout=${queryTimeout} -c plan_cache_mode=force_custom_plan -c jit=off -c timezone=UTC`
  const connection = (readOnly: boolean) => ({
    options: readOnly ? `${settings} -c default_transaction_read_only=on` : settings,
    application_name: 'tasuki',
    // Also for a free connection of the pool: whoever holds one and waits for another must not wait for ever.
    connectionTimeoutMillis: queryTimeout,
    onPoolCreated: (pool: Pool) => pool.on('connect', prepareStatements),
  })
  const orm = await MikroORM.init({
    ...(await ormOptions(plugins, log)),
    clientUrl: url,
    pool: { max: poolSize },
    driverOptions: connection(false),
    replicas: [{ clientUrl: replicaUrl ?? url, driverOptions: connection(true) }],
  })
  const listener = listen(url, log)
  return {
    engine: 'postgres',
    orm: () => Promise.resolve(orm),
    read: orm.em.getKysely({ type: 'read' }) as Database['read'],
    write: orm.em.getKysely({ type: 'write' }) as Database['write'],
    listener,
    embedded: null,
    url,
    async close() {
      await listener.close()
      const late = new AbortController()
      // A connection that is being made meanwhile would keep the pool waiting for ever.
      await Promise.race([orm.close(true), sleep(CLOSE_MS, undefined, { signal: late.signal }).catch(() => undefined)])
      late.abort()
    },
  }
}

/** A connection of its own for LISTEN: it may not go through a pool, and it tells when it is down, because then messages are lost. */
function listen(url: string, log: Log): Listener {
  let client: Client | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined
  const channels = new Map<string, (payload: string) => void>()
  const states = new Set<(up: boolean) => void>()
  const setUp = (up: boolean): void => states.forEach(tell => tell(up))

  const again = (): void => {
    // A failure is tried again by connect itself.
    retry = setTimeout(() => void connect().then(undefined, () => undefined), 1000)
  }
  const connect = async (): Promise<void> => {
    const next = new Client({ connectionString: url, application_name: 'tasuki listener', keepAlive: true })
    const lost = (error?: Error): void => {
      if (client !== next || closed) return
      client = null
      setUp(false)
      log.warn(
        { error: error?.message },
        'lost the connection that hears of changes; every request asks the database until it is back',
      )
      again()
    }
    next.on('error', lost)
    next.on('end', () => lost())
    next.on('notification', message => channels.get(message.channel)?.(message.payload ?? ''))
    try {
      await next.connect()
      for (const channel of channels.keys()) await next.query(`listen "${channel}"`)
    } catch (error) {
      await next.end().catch(() => undefined)
      if (!closed) again()
      throw error
    }
    if (closed) return next.end()
    client = next
    setUp(true)
  }
  return {
    async subscribe(channel, onMessage) {
      channels.set(channel, onMessage)
      if (client) await client.query(`listen "${channel}"`)
      else await connect()
    },
    onState(tell) {
      states.add(tell)
      tell(client !== null)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
