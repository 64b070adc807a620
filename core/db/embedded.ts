import { Kysely } from 'kysely'
import type { Db, Log } from '../plugin/context.ts'
import { HostError } from '../plugin/errors.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Tables } from '../plugin/tables.ts'
import type { Database, Listener } from './database.ts'
import { fullDisk } from './file-problem.ts'
import { createLazyOrm } from './orm.ts'
import { copyCluster } from './pglite/copy-cluster.ts'
import { CHECKPOINT_BYTES, openEmbedded, type EmbeddedDatabase, type EmbeddedOptions } from './pglite/client.ts'
import { embeddedDialect } from './pglite/dialect.ts'
import { copyRows, dropCopies, readCopy, writeCheckpoint } from './snapshot.repository.ts'
import type { ReadRows, SnapshotTable } from './snapshot.repository.ts'

export interface EmbeddedDatabaseOptions extends EmbeddedOptions {
  readonly plugins: readonly PluginSpec[]
  readonly log: Log
}

/** Opens the embedded database. It has one session, so a transaction blocks all other callers while it runs. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<Database> {
  const { plugins, log, ...embeddedOptions } = options
  const embedded = await openEmbedded({ ...embeddedOptions, log })
  const kysely = new Kysely<Tables>({ dialect: embeddedDialect(embedded) })
  const orm = createLazyOrm('pglite', kysely, plugins, log)
  return {
    engine: 'pglite',
    orm: orm.get,
    read: kysely,
    write: kysely,
    autonomous: null,
    listener: createLocalListener(embedded),
    embedded,
    withoutLimit: work => embedded.withoutLimit(work),
    load: () => {
      const { busy, waiting, restarts } = embedded.load()
      return { pools: [{ pool: 'session', busy, idle: 1 - busy, waiting }], losses: restarts }
    },
    snapshot: createSnapshots(embedded, kysely, log),
    copyTo: embeddedOptions.dataDir === null ? null : createCopies(embedded, kysely, embeddedOptions.dataDir),
    url: null,
    async close() {
      await orm.close()
      await embedded.close()
    },
  }
}

/**
 * Creates the snapshots of the embedded engine: the rows are copied to temporary tables in one transaction, and read between the statements
 * of other callers. A second engine on a copy of the files would need more memory than the rest of the service has left.
 */
function createSnapshots(embedded: EmbeddedDatabase, db: Kysely<Tables>, log: Log): Database['snapshot'] {
  const serial = createSerialRunner()
  let number = 0
  return (capture, work) =>
    serial(async () => {
      const { restarts } = embedded.load()
      const copies = new Map<SnapshotTable, string>()
      const captured = await embedded.withoutLimit(() =>
        db.transaction().execute(async tx => {
          const found = await capture(tx)
          for (const table of found.tables) {
            const copy = `snapshot_${++number}`
            if (await copyRows(tx, table, copy)) copies.set(table, copy)
          }
          return found
        }),
      )
      const rows: ReadRows = table => {
        const copy = copies.get(table)
        return copy === undefined ? noRows() : readCopy(db, copy)
      }
      try {
        return await work(captured, rows)
      } catch (error) {
        if (embedded.load().restarts === restarts) throw error
        throw new HostError('the embedded database was restarted while its snapshot was read; try again', {
          cause: error,
        })
      } finally {
        await dropCopies(db, [...copies.values()]).catch((error: unknown) =>
          log.warn({ error }, 'The copies of a snapshot could not be dropped'),
        )
      }
    })
}

/** Copies the files of the database: a second engine that loads them would need twice the memory. */
function createCopies(embedded: EmbeddedDatabase, db: Kysely<Tables>, dataDir: string) {
  return async <T>(folder: string, capture: (db: Db) => Promise<T>): Promise<T> => {
    const problem = await fullDisk(dataDir, CHECKPOINT_BYTES)
    if (problem !== null) throw new HostError(`the database in ${dataDir} cannot be copied: ${problem}`)
    const captured = Promise.withResolvers<T>()
    const inTransaction = (work: () => Promise<void>): Promise<void> =>
      db.transaction().execute(async tx => {
        captured.resolve(await capture(tx))
        await writeCheckpoint(tx)
        await work()
      })
    await copyCluster(dataDir, folder, work => embedded.withoutLimit(() => inTransaction(work)))
    return captured.promise
  }
}

async function* noRows(): AsyncGenerator<readonly string[]> {}

function createSerialRunner(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

function createLocalListener(embedded: EmbeddedDatabase): Listener {
  return {
    async subscribe(channel, onMessage) {
      await embedded.listen(channel, onMessage)
    },
    onState: notify => notify(true),
    close: async () => undefined,
  }
}
