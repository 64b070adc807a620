import { Client } from 'pg'
import type { Log } from '../../plugin/context.ts'
import type { Listener } from '../database.ts'
import { KEEP_ALIVE } from './keep-alive.ts'

const RETRY_MS = 1000
/** Interval of the health check, and its timeout. A server that stopped answering sends no notifications either. */
const BEAT_MS = 5000

/**
 * Opens a dedicated connection for LISTEN, which does not work through a pool. Reports when the connection is down, because notifications
 * are lost then.
 */
export function listen(url: string, log: Log): Listener {
  let client: Client | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let beat: NodeJS.Timeout | undefined
  const channels = new Map<string, (payload: string) => void>()
  const states = new Set<(up: boolean) => void>()
  const setUp = (up: boolean): void => states.forEach(notify => notify(up))

  const again = (): void => {
    // `connect` schedules another retry on failure.
    retry = setTimeout(() => void connect().then(undefined, () => undefined), RETRY_MS)
  }
  const connect = async (): Promise<void> => {
    const next = new Client({
      connectionString: url,
      application_name: 'tasuki listener',
      connectionTimeoutMillis: BEAT_MS,
      query_timeout: BEAT_MS,
      ...KEEP_ALIVE,
    })
    const lost = (error?: Error): void => {
      if (client !== next || closed) return
      client = null
      clearTimeout(beat)
      setUp(false)
      log.warn(
        { error: error?.message },
        'lost the connection that listens for changes; every request reads from the database until it is back',
      )
      next.end(() => undefined)
      again()
    }
    next.on('error', lost)
    next.on('end', () => lost())
    next.on('notification', message => channels.get(message.channel)?.(message.payload ?? ''))
    try {
      await next.connect()
      for (const channel of channels.keys()) await next.query(`listen "${channel}"`)
    } catch (error) {
      next.end().catch(() => undefined)
      if (!closed) again()
      throw error
    }
    if (closed) return next.end()
    client = next
    const scheduleBeat = (): void => {
      beat = setTimeout(() => void next.query('select 1').then(scheduleBeat, lost), BEAT_MS).unref()
    }
    scheduleBeat()
    setUp(true)
  }
  return {
    async subscribe(channel, onMessage) {
      channels.set(channel, onMessage)
      if (client) await client.query(`listen "${channel}"`)
      else await connect()
    },
    onState(notify) {
      states.add(notify)
      notify(client !== null)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      clearTimeout(beat)
      await client?.end().catch(() => undefined)
    },
  }
}
