import type { PluginSpec } from '../plugin/plugin.ts'
import { MikroORM } from '@mikro-orm/pglite'
import type { Log } from '../plugin/context.ts'
import type { Database, Listener } from './database.ts'
import { ormOptions } from './orm-options.ts'
import { openEmbedded, type EmbeddedDatabase, type EmbeddedOptions } from './pglite/client.ts'
import { embeddedDialect } from './pglite/dialect.ts'

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
  const orm = await MikroORM.init({
    ...ormOptions(plugins, log),
    dbName: 'tasuki',
    // A factory, because the ORM clones plain values of its options.
    driverOptions: () => embeddedDialect(embedded),
  })
  await orm.connect()
  return orm
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
