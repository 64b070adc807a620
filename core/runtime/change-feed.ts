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

export async function startChangeFeed(
  { engine, listener, write }: Pick<Database, 'engine' | 'listener' | 'write'>,
  log: Log,
): Promise<ChangeFeed> {
  const self = randomUUID()
  const listeners = new Set<(keys: ChangedKeys) => void>()
  // The embedded database is used by one instance only.
  const isSingleInstance = engine === 'pglite'
  let wantedUntil = 0
  let connected = isSingleInstance
  let pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let renewal: NodeJS.Timeout | undefined

  const deliver = (keys: ChangedKeys): void => listeners.forEach(hear => hear(keys))
  const send = async (messages: readonly Message[]): Promise<void> => {
    const texts = JSON.stringify(messages.map(message => JSON.stringify(message)))
    await sql`select pg_notify(${CHANNEL}, value) from jsonb_array_elements_text(${texts}::jsonb)`.execute(write)
  }
  const trySend = (messages: readonly Message[]): void => {
    send(messages).catch((error: unknown) => log.warn({ err: error }, 'could not tell other instances of changes'))
  }
  const want: Message = { from: self, kind: 'want' }
  // While disconnected, an instance does not receive requests for changes, so it assumes that others listen.
  const mayOthersListen = (): boolean => !isSingleInstance && (!connected || Date.now() < wantedUntil)

  const flush = (): void => {
    timer = undefined
    const keys = pending
    pending = new Set()
    const tooMany = keys.size > MAX_KEYS
    deliver(tooMany ? null : keys)
    if (!mayOthersListen()) return
    if (tooMany) return trySend([{ from: self, kind: 'changed', keys: null }])
    const all = [...keys]
    const parts = Array.from({ length: Math.ceil(all.length / KEYS_PER_MESSAGE) }, (_, n) =>
      all.slice(n * KEYS_PER_MESSAGE, (n + 1) * KEYS_PER_MESSAGE),
    )
    trySend(parts.map(part => ({ from: self, kind: 'changed', keys: part })))
  }
  const receive = (message: Message): void => {
    if (message.from === self) return
    if (message.kind === 'changed') return deliver(message.keys && new Set(message.keys))
    if (message.kind === 'want') wantedUntil = Date.now() + LEASE_MS
    else if (listeners.size > 0) trySend([want])
  }

  if (!isSingleInstance) {
    await listener.subscribe(CHANNEL, payload => receive(JSON.parse(payload) as Message))
    listener.onState(up => {
      if (up && !connected) {
        // Messages may have been lost, or this instance is new: it asks which instances listen, and makes its own listeners check.
        trySend([{ from: self, kind: 'hello' }, ...(listeners.size > 0 ? [want] : [])])
        deliver(null)
      }
      connected = up
    })
  }
  return {
    publish(keys) {
      // Whether other instances listen is checked when the batch is sent, so that it includes an instance that subscribes until then.
      if (isSingleInstance && listeners.size === 0) return
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
      if (isSingleInstance) return unsubscribe
      renewal ??= setInterval(() => trySend([want]), RENEW_MS).unref()
      try {
        await send([want])
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
