import { Client } from 'pg'
import type { Log } from '../../plugin/context.ts'
import type { Listener } from '../database.ts'
import { KEEP_ALIVE } from './keep-alive.ts'

const RETRY_MS = 1000
/** Interval of the health check, and its timeout. A server that stopped answering sends no notifications either. */
const HEALTH_CHECK_MS = 5000

/**
 * Opens a dedicated connection for LISTEN, which does not work through a pool. Reports when the connection is down, because notifications
 * are lost then.
 */
export function listen(url: string, log: Log): Listener {
  let client: Client | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let healthCheck: NodeJS.Timeout | undefined
  const channels = new Map<string, (payload: string) => void>()
  const states = new Set<(up: boolean) => void>()
  const notifyStates = (): void => states.forEach(notify => notify(client !== null))

  const scheduleRetry = (): void => {
    // `connect` schedules another retry on failure.
    retry = setTimeout(() => void connect().then(undefined, () => undefined), RETRY_MS)
  }
  const connect = async (): Promise<void> => {
    const next = new Client({
      connectionString: url,
      application_name: 'tasuki listener',
      connectionTimeoutMillis: HEALTH_CHECK_MS,
      query_timeout: HEALTH_CHECK_MS,
      ...KEEP_ALIVE,
    })
    const onLost = (error?: Error): void => {
      if (client !== next || closed) return
      client = null
      clearTimeout(healthCheck)
      notifyStates()
      log.warn(
        { error: error?.message },
        'lost the connection that listens for changes; every request reads from the database until it is back',
      )
      next.end(() => undefined)
      scheduleRetry()
    }
    next.on('error', onLost)
    next.on('end', () => onLost())
    next.on('notification', message => channels.get(message.channel)?.(message.payload ?? ''))
    try {
      await next.connect()
      for (const channel of channels.keys()) await next.query(`listen "${channel}"`)
    } catch (error) {
      next.end().catch(() => undefined)
      if (!closed) scheduleRetry()
      throw error
    }
    if (closed) return next.end()
    client = next
    const scheduleHealthCheck = (): void => {
      healthCheck = setTimeout(
        () => void next.query('select 1').then(scheduleHealthCheck, onLost),
        HEALTH_CHECK_MS,
      ).unref()
    }
    scheduleHealthCheck()
    notifyStates()
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
      clearTimeout(healthCheck)
      await client?.end().catch(() => undefined)
    },
  }
}
