import { resolve } from 'node:path'
import type { Log } from '../../plugin/context.ts'
import { fileProblem, fullDisk } from '../file-problem.ts'
import { HostError } from '../../plugin/errors.ts'
import { takePreopened } from './preopen.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'
import { SessionKeeper } from './session-keeper.ts'
import type { Session } from './session.ts'
import { buildStatement, runCommand } from './statement.ts'
import { beginTransaction, type Query, type Transaction } from './transaction.ts'
import { decodeResult, type Result } from './values.ts'

export interface EmbeddedOptions {
  /** Folder of the cluster, created if missing; the lock file is `<folder>.lock`. Null = in memory. */
  readonly dataDir: string | null
  /** Statement timeout in milliseconds. A transaction may stay idle three times as long. */
  readonly queryTimeout: number
  /** Result of `dump()` that a new cluster starts from. */
  readonly snapshot?: Uint8Array
  readonly log: Log
}

/** PostgreSQL in a worker thread, with the part of PGlite's interface that pg-boss uses. */
export interface EmbeddedDatabase {
  readonly query: Query
  /** Runs several statements without parameters and returns the result of each. */
  exec(sql: string): Promise<Result<Record<string, unknown>>[]>
  /** Begins a transaction; all other callers wait until it ends. */
  begin(): Promise<Transaction>
  /** Calls back for every NOTIFY on the channel with this exact name. Returns a function that unsubscribes. */
  listen(channel: string, callback: (payload: string) => void): Promise<() => Promise<void>>
  /** Waits for pending statements, then closes the database; later calls fail. */
  close(): Promise<void>
  /** Runs a checkpoint if something was written since the last one; nothing else limits the size of the WAL. */
  maintain(): Promise<void>
  /** Vacuums and analyzes table by table, so that other callers can run in between. */
  vacuum(): Promise<void>
  /** Dumps the whole cluster as an uncompressed tar archive. */
  dump(): Promise<Uint8Array>
  /** Returns whether the session is in use, how many callers wait, and how many statements and restarts there were since the start. */
  load(): { readonly busy: 0 | 1; readonly waiting: number; readonly answered: number; readonly restarts: number }
  /** Lifts the statement timeout while `work` runs, for migrations and imports. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T>
}

const IDLE_FACTOR = 3
const MAX_TIMER = 2 ** 31 - 1

/** Opens the embedded database. @throws HostError if the folder is in use, holds another PostgreSQL version or cannot be opened */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { queryTimeout } = options
  const { keeper, unlock } = await openSession(options)
  let unlimited = 0
  let answered = 0

  const limit = (): number | null => (unlimited > 0 ? null : queryTimeout)
  const run = async <T>(session: Session, inTransaction: boolean, sql: string, params?: readonly unknown[]) => {
    const results = await session.run(buildStatement(sql, inTransaction, params), limit())
    answered++
    return decodeResult<T>(results.at(-1) ?? NO_RESULT)
  }

  return {
    query: (sql, params) => keeper.use(session => run(session, false, sql, params)),
    exec: sql =>
      keeper.use(async session =>
        (await session.run(buildStatement(sql, false), limit())).map(raw => decodeResult(raw)),
      ),
    async begin() {
      const idleLimit = unlimited > 0 ? MAX_TIMER : queryTimeout * IDLE_FACTOR
      const { session, release } = await keeper.acquire()
      const query: Query = (sql, params) => run(session, true, sql, params)
      return beginTransaction({ session, query, waiting: () => keeper.load().waiting, release }, idleLimit)
    },
    listen: (channel, callback) => keeper.listen(channel, callback),
    close: () => keeper.close(unlock),
    load: () => ({ ...keeper.load(), answered }),
    ...createMaintenance(keeper, options),
    dump: () => keeper.use(session => session.dump()),
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

/** Opens the session of a folder, or of a database in memory. */
async function openSession(options: EmbeddedOptions): Promise<{ keeper: SessionKeeper; unlock: () => void }> {
  const { snapshot = null, log } = options
  const dataDir = options.dataDir === null ? null : resolve(options.dataDir)
  const preopened = dataDir === null || snapshot ? null : takePreopened(dataDir)
  const unlock = preopened?.unlock ?? (dataDir === null ? () => undefined : lockFolder(dataDir))
  const keeper = new SessionKeeper(dataDir, log)
  try {
    if (dataDir !== null && !preopened && !checkFolder(dataDir) && snapshot)
      throw new HostError(`The folder ${dataDir} holds a database already; a dump is loaded into a new folder only.`)
    await keeper.open(snapshot, preopened)
    return { keeper, unlock }
  } catch (error) {
    unlock()
    if (error instanceof HostError) throw error
    const why = fileProblem(error) ?? (await fullDisk(dataDir)) ?? String(error)
    throw new HostError(`The embedded database ${dataDir ?? 'in memory'} cannot be opened: ${why}`, { cause: error })
  }
}

const VACUUMED_TABLES = `select c.oid::regclass::text from pg_class c where c.relkind in ('r', 'm') and c.relpersistence = 'p' order by c.oid`

/** Tables of which the planner knows less than half of the pages; it guesses, and may choose a plan of seconds. */
const GROWN_TABLES = `select c.oid::regclass::text from pg_class c
  where c.relkind in ('r', 'm') and c.relpersistence = 'p' and pg_relation_size(c.oid) > 8192 * (2 * c.relpages + 2)`

/** New words wait in a list in front of an index, which each search reads as a whole; only vacuum empties it before it has 4 MB. */
const GIN_INDEXES = `select c.oid::regclass::text from pg_class c join pg_am a on a.oid = c.relam
  where a.amname = 'gin' and c.relkind = 'i' and c.relpersistence = 'p'`

/** Room for the small files of a checkpoint, which itself frees more. One that fails ends the engine, which then cannot be opened for reads either. */
export const CHECKPOINT_BYTES = 1_000_000

function createMaintenance(keeper: SessionKeeper, { dataDir, log }: EmbeddedOptions) {
  let checkpointedAt: string | null = null
  const position = async (session: Session): Promise<string | null> => {
    const [result] = await runCommand(session, 'select pg_current_wal_insert_lsn()')
    return result?.rows[0]?.[0] ?? null
  }
  // One table or index at a time, so that calls are served in between.
  const runForEach = async (commandFor: (name: string) => string, namesOf: string): Promise<void> => {
    const [names] = await keeper.use(session => runCommand(session, namesOf))
    for (const [name] of names?.rows ?? []) {
      const command = commandFor(name!)
      await keeper
        .use(session => runCommand(session, command))
        .catch((error: unknown) => log.warn({ command, error }, 'maintenance of the database failed'))
    }
  }
  return {
    async maintain(): Promise<void> {
      const problem = await fullDisk(dataDir, CHECKPOINT_BYTES)
      if (problem !== null) return log.warn({}, `the database has not been maintained: ${problem}`)
      if ((await keeper.use(position)) === checkpointedAt) return
      await runForEach(table => `analyze ${table}`, GROWN_TABLES)
      await runForEach(index => `select gin_clean_pending_list('${index}')`, GIN_INDEXES)
      checkpointedAt = await keeper.use(async session => {
        await runCommand(session, 'checkpoint')
        return position(session)
      })
    },
    vacuum: (): Promise<void> => runForEach(table => `vacuum (analyze) ${table}`, VACUUMED_TABLES),
  }
}
