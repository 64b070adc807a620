import { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import type { Db, Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Tables } from '../plugin/tables.ts'
import type { Database, Listener } from './database.ts'
import { createLazyOrm } from './orm.ts'
import { openEmbedded, type EmbeddedDatabase, type EmbeddedOptions } from './pglite/client.ts'
import { embeddedDialect } from './pglite/dialect.ts'
import { lockPath } from './pglite/folder-lock.ts'
import { createMutex } from './pglite/mutex.ts'

export interface EmbeddedDatabaseOptions extends EmbeddedOptions {
  readonly plugins: readonly PluginSpec[]
  readonly log: Log
}

/** Opens the embedded database. It has one session, so a transaction blocks all other callers while it runs. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<Database> {
  const { plugins, log, ...embeddedOptions } = options
  const embedded = await openEmbedded({ ...embeddedOptions, log })
  const kysely = new Kysely<Tables>({ dialect: embeddedDialect(embedded) })
  const snapshots = createSerialRunner()
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
    snapshot: work => snapshots(() => readCopy(embedded, options, work)),
    url: null,
    async close() {
      await orm.close()
      await embedded.close()
    },
  }
}

/** Statement timeout on a copy, in milliseconds; no other caller waits for it. */
const COPY_TIMEOUT = 600_000

async function readCopy<T>(
  embedded: EmbeddedDatabase,
  { dataDir, log }: EmbeddedOptions,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const common = { queryTimeout: COPY_TIMEOUT, log }
  if (dataDir === null) {
    const copy = await openEmbedded({ ...common, dataDir, snapshot: await embedded.dump() })
    return readAndClose(copy, work)
  }
  // The copy is next to the original: its parent folder is as private, and on the same file system a copy may share its blocks.
  const folder = `${dataDir}.snapshot`
  const remove = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true })
    await rm(lockPath(folder), { force: true })
  }
  // A killed process may have left a copy behind.
  await remove()
  try {
    await embedded.copyTo(folder)
    return await readAndClose(await openEmbedded({ ...common, dataDir: folder }), work)
  } finally {
    await remove()
  }
}

async function readAndClose<T>(copy: EmbeddedDatabase, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await new Kysely<Tables>({ dialect: embeddedDialect(copy) }).transaction().execute(work)
  } finally {
    await copy.close()
  }
}

function createSerialRunner(): <T>(work: () => Promise<T>) => Promise<T> {
  const mutex = createMutex()
  return async work => {
    const release = await mutex.acquire()
    try {
      return await work()
    } finally {
      release()
    }
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
