import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Log } from '../plugin/context.ts'

const CHANNEL = 'tasuki_changes'
/** Interval after which changes are sent together. */
const BATCH_MS = 150
/** Duration for which an instance gets changes after each request for them. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** A message is limited to 8000 bytes; a key takes at most 60. */
const KEYS_PER_MESSAGE = 120
/** Above this number of keys, listeners are notified that anything may have changed. */
const MAX_KEYS = 3000

/** Keys of changed records; null = any record may have changed. */
export type ChangedKeys = ReadonlySet<string> | null

type Message =
  | { readonly from: string; readonly kind: 'hello' | 'want' }
  | { readonly from: string; readonly kind: 'changed'; readonly keys: readonly string[] | null }

/**
 * Notifies listeners on all instances of changed records. Without listeners a change costs nothing: an instance with listeners requests
 * messages from the others, which send them only then, batched after the commit.
 */
export interface ChangeFeed {
  /** Publishes the changes of a committed transaction. */
  publish(keys: Iterable<string>): void
  /** Calls `onChange` for all changes after the promise resolves. @returns a function that unsubscribes */
  listen(onChange: (keys: ChangedKeys) => void): Promise<() => void>
  stop(): void
}

export async function startChangeFeed(database: ListeningDatabase, log: Log): Promise<ChangeFeed> {
  const listeners = new Set<(keys: ChangedKeys) => void>()
  const deliver = (keys: ChangedKeys): void => listeners.forEach(hear => hear(keys))
  const local: LocalListeners = { deliver, exist: () => listeners.size > 0 }
  // The embedded database is used by one instance only.
  const others = database.engine === 'pglite' ? null : await connectInstances(database, local, log)
  let pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let renewal: NodeJS.Timeout | undefined

  const flush = (): void => {
    timer = undefined
    const keys = pending.size > MAX_KEYS ? null : pending
    pending = new Set()
    deliver(keys)
    others?.publish(keys)
  }
  return {
    publish(keys) {
      // Whether other instances listen is checked when the batch is sent, so that it includes an instance that subscribes until then.
      if (!others && listeners.size === 0) return
      for (const key of keys) pending.add(key)
      timer ??= setTimeout(flush, BATCH_MS).unref()
    },
    async listen(onChange) {
      listeners.add(onChange)
      const unsubscribe = (): void => {
        listeners.delete(onChange)
        if (listeners.size > 0) return
        clearInterval(renewal)
        renewal = undefined
      }
      if (!others) return unsubscribe
      renewal ??= setInterval(others.renew, RENEW_MS).unref()
      try {
        await others.request()
      } catch (error) {
        // The caller has no function to unsubscribe with.
        unsubscribe()
        throw error
      }
      return unsubscribe
    },
    stop() {
      clearTimeout(timer)
      clearInterval(renewal)
    },
  }
}

type ListeningDatabase = Pick<Database, 'engine' | 'listener' | 'write'>
/** The listeners of this instance. */
interface LocalListeners {
  deliver(keys: ChangedKeys): void
  exist(): boolean
}

/** Connects this instance with the others: requests their changes, and publishes its own while one of them may listen. */
async function connectInstances({ listener, write }: ListeningDatabase, local: LocalListeners, log: Log) {
  const self = randomUUID()
  const want: Message = { from: self, kind: 'want' }
  let wantedUntil = 0
  let connected = false

  const send = async (messages: readonly Message[]): Promise<void> => {
    const texts = JSON.stringify(messages.map(message => JSON.stringify(message)))
    await sql`select pg_notify(${CHANNEL}, value) from jsonb_array_elements_text(${texts}::jsonb)`.execute(write)
  }
  const trySend = (messages: readonly Message[]): void => {
    send(messages).catch((error: unknown) => log.warn({ err: error }, 'could not tell other instances of changes'))
  }
  const receive = (message: Message): void => {
    if (message.from === self) return
    if (message.kind === 'changed') return local.deliver(message.keys && new Set(message.keys))
    if (message.kind === 'want') wantedUntil = Date.now() + LEASE_MS
    else if (local.exist()) trySend([want])
  }
  await listener.subscribe(CHANNEL, payload => receive(JSON.parse(payload) as Message))
  listener.onState(up => {
    if (up && !connected) {
      // Messages may have been lost, or this instance is new: it asks which instances listen, and makes its own listeners check.
      trySend([{ from: self, kind: 'hello' }, ...(local.exist() ? [want] : [])])
      local.deliver(null)
    }
    connected = up
  })
  return {
    publish(keys: ChangedKeys): void {
      // While disconnected, an instance does not receive requests for changes, so it assumes that others listen.
      if (connected && Date.now() >= wantedUntil) return
      const all = [...(keys ?? [])]
      const parts = Array.from({ length: Math.ceil(all.length / KEYS_PER_MESSAGE) }, (_, n) =>
        all.slice(n * KEYS_PER_MESSAGE, (n + 1) * KEYS_PER_MESSAGE),
      )
      trySend((keys ? parts : [null]).map(part => ({ from: self, kind: 'changed', keys: part })))
    },
    request: () => send([want]),
    renew: () => trySend([want]),
  }
}
