import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Log } from '../plugin/context.ts'

const CHANNEL = 'tasuki_changes'
/** Changes of this long go out together. */
const BATCH_MS = 150
/** How long an instance that asked for changes is told of them without asking again. */
const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** A message has at most 8000 bytes; a key takes at most 60 of them. */
const KEYS_PER_MESSAGE = 120
/** Beyond that many, listeners are told that anything may have changed. */
const MOST_KEYS = 3000

/** Keys of records; null = any record may have changed. */
export type ChangedKeys = ReadonlySet<string> | null

type Message =
  | { readonly from: string; readonly kind: 'hello' | 'want' }
  | { readonly from: string; readonly kind: 'changed'; readonly keys: readonly string[] | null }

/**
 * Tells who listens, on every instance, which records changed. While nobody does, a change costs nothing: an instance with listeners
 * asks the others to tell it, and they send messages only then, after the commit and together for a moment.
 */
export interface ChangeFeed {
  /** Passes on what a committed transaction changed. */
  publish(keys: Iterable<string>): void
  /** Hears of changes from when the promise is fulfilled. @returns a function that ends it */
  listen(onChange: (keys: ChangedKeys) => void): Promise<() => void>
  stop(): void
}

export async function startChangeFeed(
  { engine, listener, write }: Pick<Database, 'engine' | 'listener' | 'write'>,
  log: Log,
): Promise<ChangeFeed> {
  const self = randomUUID()
  const listeners = new Set<(keys: ChangedKeys) => void>()
  // The embedded database has this one instance.
  const alone = engine === 'pglite'
  let wantedUntil = 0
  let connected = alone
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
  // Without a connection an instance does not hear who wants to be told.
  const othersListen = (): boolean => !alone && (!connected || Date.now() < wantedUntil)

  const flush = (): void => {
    timer = undefined
    const keys = pending
    pending = new Set()
    const tooMany = keys.size > MOST_KEYS
    deliver(tooMany ? null : keys)
    if (!othersListen()) return
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

  if (!alone) {
    await listener.subscribe(CHANNEL, payload => receive(JSON.parse(payload) as Message))
    listener.onState(up => {
      if (up && !connected) {
        // Messages were lost, or this instance is new: it asks who wants to be told, and tells its own to look.
        trySend([{ from: self, kind: 'hello' }, ...(listeners.size > 0 ? [want] : [])])
        deliver(null)
      }
      connected = up
    })
  }
  return {
    publish(keys) {
      // Whether other instances listen is decided when the batch goes out: one that asks just now is told, too.
      if (alone && listeners.size === 0) return
      for (const key of keys) pending.add(key)
      timer ??= setTimeout(flush, BATCH_MS).unref()
    },
    async listen(onChange) {
      listeners.add(onChange)
      const end = (): void => {
        listeners.delete(onChange)
        if (listeners.size > 0) return
        clearInterval(renewal)
        renewal = undefined
      }
      if (alone) return end
      renewal ??= setInterval(() => trySend([want]), RENEW_MS).unref()
      try {
        await send([want])
      } catch (error) {
        // Nobody can end what was not begun.
        end()
        throw error
      }
      return end
    },
    stop() {
      clearTimeout(timer)
      clearInterval(renewal)
    },
  }
}
