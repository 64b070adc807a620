import { Client } from 'pg'
import type { Log } from '../../plugin/context.ts'
import type { Listener } from '../database.ts'
import { KEEP_ALIVE } from './keep-alive.ts'

const RETRY_MS = 1000
/** How often the connection is tried, and how long an answer may take: a server that fell silent sends no messages either. */
const BEAT_MS = 5000

/** A connection of its own for LISTEN: it may not go through a pool, and it tells when it is down, because then messages are lost. */
export function listen(url: string, log: Log): Listener {
  let client: Client | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined
  let beat: NodeJS.Timeout | undefined
  const channels = new Map<string, (payload: string) => void>()
  const states = new Set<(up: boolean) => void>()
  const setUp = (up: boolean): void => states.forEach(notify => notify(up))

  const again = (): void => {
    // A failure is tried again by connect itself.
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
        'lost the connection that hears of changes; every request asks the database until it is back',
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
