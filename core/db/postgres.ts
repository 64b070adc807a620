import { MikroORM } from '@mikro-orm/postgresql'
import type { PluginSpec } from '../plugin/plugin.ts'
import { createHash } from 'node:crypto'
import { Client, type Pool, type PoolClient } from 'pg'
import type { Log } from '../plugin/context.ts'
import type { Database, Listener } from './database.ts'
import { ormOptions } from './orm-options.ts'
import { statementSent } from './statements.ts'

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
    onPoolCreated: (pool: Pool) => pool.on('connect', nameStatements),
  })
  const orm = await MikroORM.init({
    ...ormOptions(plugins, log),
    clientUrl: url,
    pool: { max: poolSize },
    driverOptions: connection(false),
    replicas: [{ clientUrl: replicaUrl ?? url, driverOptions: connection(true) }],
  })
  const listener = listen(url, log)
  return {
    engine: 'postgres',
    orm,
    read: orm.em.getKysely({ type: 'read' }) as Database['read'],
    write: orm.em.getKysely({ type: 'write' }) as Database['write'],
    listener,
    embedded: null,
    url,
    async close() {
      await listener.close()
      await orm.close(true)
    },
  }
}

/** Statements of constant text are prepared once per connection; text made for one call would only fill the server's memory. */
const PREPARED_KEPT = 500
const names = new Map<string, string>()
const seen = new Map<string, number>()

function preparedName(text: string): string | undefined {
  const name = names.get(text)
  if (name !== undefined) return name
  const times = (seen.get(text) ?? 0) + 1
  if (times < 3 || names.size >= PREPARED_KEPT) {
    if (seen.size > 5 * PREPARED_KEPT) seen.clear()
    seen.set(text, times)
    return undefined
  }
  seen.delete(text)
  const made = `t_${createHash('sha256').update(text).digest('base64url').slice(0, 24)}`
  names.set(text, made)
  return made
}

/** Gives repeated parameterised statements a name, so that the server parses each once per connection. */
function nameStatements(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const named = (...args: unknown[]): unknown => {
    const [text, values] = args
    if (typeof text === 'string') {
      statementSent(text)
      if (Array.isArray(values) && values.length > 0) {
        const name = preparedName(text)
        if (name !== undefined) return query({ text, values, name }, ...args.slice(2))
      }
    }
    return query(...args)
  }
  client.query = named as PoolClient['query']
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
