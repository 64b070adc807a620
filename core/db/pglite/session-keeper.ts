import { escapeIdentifier } from 'pg'
import type { Log } from '../../plugin/context.ts'
import { engineError } from './errors.ts'
import { createMutex } from './mutex.ts'
import type { PreopenedSession } from './preopen.ts'
import { startSession, type Session, type SessionEvents } from './session.ts'
import { runCommand } from './statement.ts'

/** Keeps the session of the database: starts it again after it was lost, and grants it to one caller at a time. */
export class SessionKeeper {
  readonly #dataDir: string | null
  readonly #log: Log
  readonly #mutex = createMutex()
  readonly #listeners = new Map<string, Set<(payload: string) => void>>()
  #session: Promise<Session> | null = null
  #closing: Promise<void> | null = null
  #restarts = 0
  /** @param dataDir null = in memory */
  constructor(dataDir: string | null, log: Log) {
    this.#dataDir = dataDir
    this.#log = log
  }

  /** Opens the first session, unless the program has opened it already. */
  async open(snapshot: Uint8Array | null, preopened: PreopenedSession | null): Promise<void> {
    this.#session = preopened?.session ?? this.#start(snapshot)
    preopened?.subscribe(this.#events)
    await this.#session
  }

  load(): { readonly busy: 0 | 1; readonly waiting: number; readonly restarts: number } {
    return { busy: this.#mutex.taken ? 1 : 0, waiting: this.#mutex.waiting, restarts: this.#restarts }
  }

  /** Waits until the session is free; the caller must release it. */
  async acquire(): Promise<{ readonly session: Session; readonly release: () => void }> {
    if (this.#closing) throw engineError('57P01', 'the embedded database is closed', false)
    const release = await this.#mutex.acquire()
    try {
      return { session: await (this.#session ??= this.#reopen()), release }
    } catch (error) {
      release()
      throw error
    }
  }

  async use<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const { session, release } = await this.acquire()
    try {
      return await run(session)
    } finally {
      release()
    }
  }

  /** @returns a function that unsubscribes */
  async listen(channel: string, callback: (payload: string) => void): Promise<() => Promise<void>> {
    const existing = this.#listeners.get(channel)
    const callbacks = existing ?? new Set()
    callbacks.add(callback)
    this.#listeners.set(channel, callbacks)
    if (!existing) await this.use(session => runCommand(session, `listen ${escapeIdentifier(channel)}`))
    return async () => {
      callbacks.delete(callback)
      if (callbacks.size > 0 || this.#listeners.get(channel) !== callbacks) return
      this.#listeners.delete(channel)
      if (!this.#closing) await this.use(session => runCommand(session, `unlisten ${escapeIdentifier(channel)}`))
    }
  }

  /** Waits for all callers, then ends the session. @param closed called at the end */
  close(closed: () => void): Promise<void> {
    return (this.#closing ??= this.#close(closed))
  }

  async #close(closed: () => void): Promise<void> {
    const release = await this.#mutex.acquire()
    const session = await this.#session?.catch(() => null)
    await session?.close()
    closed()
    release()
  }

  async #start(snapshot: Uint8Array | null): Promise<Session> {
    const session = await startSession({ dataDir: this.#dataDir, snapshot }, this.#events)
    for (const channel of this.#listeners.keys()) await runCommand(session, `listen ${escapeIdentifier(channel)}`)
    return session
  }

  async #reopen(): Promise<Session> {
    if (this.#dataDir === null)
      throw engineError('57P01', 'the in-memory database ended with a query that ran over its limit', false)
    try {
      return await this.#start(null)
    } catch (error) {
      // The next caller tries again.
      this.#session = null
      throw engineError('57P03', `the embedded database cannot be opened: ${String(error)}`, true)
    }
  }

  readonly #events: SessionEvents = {
    notification: (channel, payload) => this.#listeners.get(channel)?.forEach(callback => callback(payload)),
    overrun: (statement, limit) => {
      // Literals may contain user data, because the ORM writes values into the SQL text.
      const sql = statement.replaceAll(/'(?:[^']|'')*'/g, `'…'`).slice(0, 300)
      this.#log.warn({ sql, limit }, 'A query was stopped at its time limit')
    },
    lost: reason => {
      this.#session = null
      this.#restarts++
      this.#log.warn({ reason: reason.message }, 'The embedded database stopped')
      if (this.#closing || this.#dataDir === null) return
      const since = performance.now()
      this.#session = this.#reopen()
      this.#session.then(
        () => this.#log.info({ ms: Math.round(performance.now() - since) }, 'The embedded database is open again'),
        (error: unknown) => this.#log.error({ error }, 'The embedded database cannot be opened'),
      )
    },
  }
}
