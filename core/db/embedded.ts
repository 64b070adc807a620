import type { PluginSpec } from '../plugin/plugin.ts'
import { MikroORM } from '@mikro-orm/pglite'
import type { Log } from '../plugin/context.ts'
import type { Database, Listener } from './database.ts'
import { ormOptions } from './orm-options.ts'
import { openEmbedded, type EmbeddedDatabase, type EmbeddedOptions } from './pglite/client.ts'
import type { Executor, QueryOptions } from './pglite/transaction.ts'
import { statementSent } from './statements.ts'

export interface EmbeddedDatabaseOptions extends EmbeddedOptions {
  readonly plugins: readonly PluginSpec[]
  readonly log: Log
}

/** Opens the database that lives in this process: one session, so a transaction holds everybody else up while it runs. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<Database> {
  const { plugins, log, ...embeddedOptions } = options
  const embedded = await openEmbedded({ ...embeddedOptions, log })
  const orm = await connected(embedded, plugins, log).catch(async (error: unknown) => {
    await embedded.close()
    throw error
  })
  const db = orm.em.getKysely() as Database['read']
  return {
    engine: 'pglite',
    orm: orm as unknown as Database['orm'],
    read: db,
    write: db,
    listener: localListener(embedded),
    embedded,
    url: null,
    async close() {
      await orm.close(true)
      await embedded.close()
    },
  }
}

async function connected(embedded: EmbeddedDatabase, plugins: readonly PluginSpec[], log: Log) {
  const watched = watchStatements(embedded)
  const orm = await MikroORM.init({
    ...ormOptions(plugins, log),
    dbName: 'tasuki',
    // A factory, because the ORM clones plain values of its options.
    driverOptions: { pglite: () => watched as never },
  })
  await orm.connect()
  return orm
}

/** The part of the engine that the ORM uses, telling of each statement. */
function watchStatements(embedded: EmbeddedDatabase) {
  const watched = (executor: Executor): Pick<Executor, 'query'> => ({
    query<T>(text: string, params?: readonly unknown[], options?: QueryOptions) {
      statementSent(text)
      return executor.query<T>(text, params, options)
    },
  })
  return {
    ...watched(embedded),
    transaction: async <T>(work: (tx: Pick<Executor, 'query'>) => Promise<T>): Promise<T> => {
      statementSent('begin')
      const result = await embedded.transaction(tx => work(watched(tx)))
      statementSent('commit')
      return result
    },
    close: () => embedded.close(),
    waitReady: embedded.waitReady,
    get ready() {
      return embedded.ready
    },
    get closed() {
      return embedded.closed
    },
  }
}

function localListener(embedded: EmbeddedDatabase): Listener {
  return {
    async subscribe(channel, onMessage) {
      await embedded.listen(channel, onMessage)
    },
    onState: tell => tell(true),
    close: async () => undefined,
  }
}
