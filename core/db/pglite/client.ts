import { resolve } from 'node:path'
import { escapeIdentifier } from 'pg'
import type { Log } from '../../plugin/context.ts'
import { fileProblem } from '../file-problem.ts'
import { HostError } from '../../plugin/errors.ts'
import { prepare } from '../planning.ts'
import { encodeParams } from '../values.ts'
import { SHARED_BUFFERS, takePreopened } from './preopen.ts'
import { engineError } from './errors.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { startSession } from './session.ts'
import type { Session, SessionEvents } from './session.ts'
import { runTransaction } from './transaction.ts'
import type { Exclusive, Executor, QueryOptions, Transaction } from './transaction.ts'
import { createMutex } from './mutex.ts'
import { decodeResult } from './values.ts'
import type { Statement } from './wire.ts'

export interface EmbeddedOptions {
  /** Folder of the cluster, created if missing; the lock file is `<folder>.lock`. Null = in memory. */
  readonly dataDir: string | null
  /** Statement timeout in milliseconds. A transaction may stay idle three times as long. */
  readonly queryTimeout: number
  /** PostgreSQL's `shared_buffers`; default `SHARED_BUFFERS`. */
  readonly sharedBuffers?: string
  /** Result of `dump()` that a new cluster starts from. */
  readonly snapshot?: Uint8Array
  readonly log: Log
}

/** PostgreSQL in a worker thread, with the part of PGlite's interface that Kysely, MikroORM and pg-boss use. */
export interface EmbeddedDatabase extends Executor {
  /** Runs `work` in a transaction; all other callers wait until it ends. Rolls back if `work` throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Calls back for every NOTIFY on the channel with this exact name. Returns a function that unsubscribes. */
  listen(channel: string, callback: (payload: string) => void): Promise<() => Promise<void>>
  /** Waits for pending statements, then closes the database; later calls fail. */
  close(): Promise<void>
  readonly closed: boolean
  readonly ready: boolean
  readonly waitReady: Promise<void>
  /** Runs a checkpoint if something was written since the last one; nothing else limits the size of the WAL. */
  maintain(): Promise<void>
  /** Vacuums and analyzes table by table, so that other callers can run in between. */
  vacuum(): Promise<void>
  /** Dumps the whole cluster as an uncompressed tar archive. */
  dump(): Promise<Uint8Array>
  /**
   * Returns whether the session is in use, how many callers wait for it, the number of answered statements, and the restarts since the
   * start.
   */
  load(): { readonly busy: 0 | 1; readonly waiting: number; readonly answered: number; readonly restarts: number }
  /** Lifts the statement timeout while `work` runs, for migrations and imports. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T>
}

const IDLE_FACTOR = 3
const MAX_TIMER = 2 ** 31 - 1

/**
 * Opens the embedded database.
 * @throws HostError if the folder is in use, holds another PostgreSQL version or cannot be opened
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { queryTimeout, sharedBuffers = SHARED_BUFFERS, snapshot = null, log } = options
  const dataDir = options.dataDir === null ? null : resolve(options.dataDir)
  const preopened =
    dataDir === null || snapshot !== null || sharedBuffers !== SHARED_BUFFERS ? null : takePreopened(dataDir)
  const unlock = preopened?.unlock ?? (dataDir === null ? () => undefined : lockFolder(dataDir))
  const mutex = createMutex()
  const listeners = new Map<string, Set<(payload: string) => void>>()
  let openSession: Promise<Session> | null = null
  let closing: Promise<void> | null = null
  let unlimited = 0
  let restarts = 0
  let answered = 0
  let checkpointedAt: string | null = null

  const events: SessionEvents = {
    notification: (channel, payload) => listeners.get(channel)?.forEach(callback => callback(payload)),
    overrun: (sql, limit) => log.warn({ sql: withoutLiterals(sql), limit }, 'A query was stopped at its time limit'),
    lost(reason) {
      openSession = null
      restarts++
      log.warn({ reason: reason.message }, 'The embedded database stopped')
      if (closing || dataDir === null) return
      const since = performance.now()
      current().then(
        () => log.info({ ms: Math.round(performance.now() - since) }, 'The embedded database is open again'),
        (error: unknown) => log.error({ error }, 'The embedded database cannot be opened'),
      )
    },
  }
  const start = async (boot: Parameters<typeof startSession>[0]): Promise<Session> => {
    const session = await startSession(boot, events)
    for (const channel of listeners.keys()) await session.run(buildCommand(`listen ${escapeIdentifier(channel)}`), null)
    return session
  }
  const current = (): Promise<Session> => {
    openSession ??= (async () => {
      if (dataDir === null) throw memoryLost()
      try {
        return await start({ dataDir, sharedBuffers, snapshot: null })
      } catch (error) {
        // The next caller tries again.
        openSession = null
        throw engineError('57P03', `the embedded database cannot be opened: ${String(error)}`, true)
      }
    })()
    return openSession
  }
  const acquire = async (): Promise<{ session: Session; release: () => void }> => {
    if (closing) throw closedError()
    const release = await mutex.acquire()
    try {
      return { session: await current(), release }
    } catch (error) {
      release()
      throw error
    }
  }
  const withSession = async <T>(run: (session: Session) => Promise<T>): Promise<T> => {
    const { session, release } = await acquire()
    try {
      return await run(session)
    } finally {
      release()
    }
  }
  const executor = (session: Session, inTransaction: boolean): Executor => ({
    async query<T>(sql: string, params?: readonly unknown[], { rowMode = 'object' }: QueryOptions = {}) {
      const results = await session.run(buildStatement(sql, inTransaction, params), limit())
      answered++
      return decodeResult<T>(results.at(-1) ?? NO_RESULT, rowMode)
    },
    async exec(sql) {
      const results = await session.run(buildStatement(sql, inTransaction), limit())
      return results.map(raw => decodeResult<Record<string, unknown>>(raw, 'object'))
    },
  })
  const limit = (): number | null => (unlimited > 0 ? null : queryTimeout)
  const exclusive = async (): Promise<Exclusive> => {
    const { session, release } = await acquire()
    return {
      executor: executor(session, true),
      get ended() {
        return session.ended
      },
      get waiting() {
        return mutex.waiting
      },
      async control(sql) {
        await session.run(buildStatement(sql, true), null)
      },
      release,
    }
  }
  const position = async (session: Session): Promise<string | null> => {
    const [result] = await session.run(buildCommand('select pg_current_wal_insert_lsn()'), null)
    return result?.rows[0]?.[0] ?? null
  }

  try {
    if (dataDir !== null && !preopened && !checkFolder(dataDir) && snapshot) {
      throw new HostError(`The folder ${dataDir} holds a database already; a dump is loaded into a new folder only.`)
    }
    openSession = preopened?.session ?? start({ dataDir, sharedBuffers, snapshot })
    preopened?.subscribe(events)
    await openSession
  } catch (error) {
    unlock()
    if (error instanceof HostError) throw error
    const why = fileProblem(error) ?? String(error)
    throw new HostError(`The embedded database ${dataDir ?? 'in memory'} cannot be opened: ${why}`, { cause: error })
  }

  return {
    query: (sql, params, queryOptions) =>
      withSession(session => executor(session, false).query(sql, params, queryOptions)),
    exec: sql => withSession(session => executor(session, false).exec(sql)),
    transaction: work => runTransaction(exclusive, unlimited > 0 ? MAX_TIMER : queryTimeout * IDLE_FACTOR, work),
    async listen(channel, callback) {
      const existing = listeners.get(channel)
      const callbacks = existing ?? new Set()
      callbacks.add(callback)
      listeners.set(channel, callbacks)
      if (!existing)
        await withSession(session => session.run(buildCommand(`listen ${escapeIdentifier(channel)}`), null))
      return async () => {
        callbacks.delete(callback)
        if (callbacks.size > 0 || listeners.get(channel) !== callbacks) return
        listeners.delete(channel)
        if (!closing)
          await withSession(session => session.run(buildCommand(`unlisten ${escapeIdentifier(channel)}`), null))
      }
    },
    close() {
      closing ??= (async () => {
        const release = await mutex.acquire()
        const session = await openSession?.catch(() => null)
        await session?.close()
        unlock()
        release()
      })()
      return closing
    },
    load: () => ({ busy: mutex.taken ? 1 : 0, waiting: mutex.waiting, answered, restarts }),
    get closed() {
      return closing !== null
    },
    get ready() {
      return closing === null
    },
    waitReady: Promise.resolve(),
    maintain: () =>
      withSession(async session => {
        if ((await position(session)) === checkpointedAt) return
        await session.run(buildCommand('checkpoint'), null)
        checkpointedAt = await position(session)
      }),
    async vacuum() {
      const [tables] = await withSession(session => session.run(buildCommand(VACUUMED_TABLES), null))
      for (const [table] of tables?.rows ?? []) {
        await withSession(session => session.run(buildCommand(`vacuum (analyze) ${table}`), null)).catch(
          (error: unknown) => log.warn({ table, error }, 'A table could not be vacuumed'),
        )
      }
    },
    dump: () => withSession(session => session.dump()),
    async withoutLimit(work) {
      unlimited++
      try {
        return await work()
      } finally {
        unlimited--
      }
    },
  }
}

const NO_RESULT = { command: '', rowCount: null, fields: [], rows: [] }
const VACUUMED_TABLES = `select c.oid::regclass::text from pg_class c where c.relkind in ('r', 'm') and c.relpersistence = 'p' order by c.oid`

function buildStatement(sql: string, inTransaction: boolean, params: readonly unknown[] = []): Statement {
  if (params.length === 0) return { sql, params: null, prepared: null, inTransaction }
  return { sql, params: encodeParams(params), prepared: prepare(sql) ?? null, inTransaction }
}

function buildCommand(sql: string): Statement {
  return buildStatement(sql, false)
}

/** Literals may contain user data, because the ORM writes values into the SQL text. */
function withoutLiterals(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*'/g, `'…'`).slice(0, 300)
}

function closedError(): Error {
  return engineError('57P01', 'the embedded database is closed', false)
}

function memoryLost(): Error {
  return engineError('57P01', 'the in-memory database ended with a query that ran over its limit', false)
}
