import { Kysely } from 'kysely'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Database, Listener } from './database.ts'
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
  const kysely = new Kysely<never>({ dialect: embeddedDialect(embedded) })
  let orm: ReturnType<Database['orm']> | undefined
  return {
    engine: 'pglite',
    orm: () => (orm ??= ormOver(kysely, plugins, log)),
    read: kysely,
    write: kysely,
    listener: localListener(embedded),
    embedded,
    url: null,
    async close() {
      await (await orm?.catch(() => undefined))?.close(true)
      await embedded.close()
    },
  }
}

/**
 * The ORM, for migrations that are due and for plugins that write through its entity manager. Loaded and made when it is asked for:
 * both take their part of the time of a start, and most starts need neither.
 */
async function ormOver(kysely: Kysely<never>, plugins: readonly PluginSpec[], log: Log): ReturnType<Database['orm']> {
  const [{ MikroORM }, { ormOptions }] = await Promise.all([import('@mikro-orm/pglite'), import('./orm-options.ts')])
  return new MikroORM({
    ...(await ormOptions(plugins, log)),
    dbName: 'tasuki',
    // A factory, because the ORM clones plain values of its options.
    driverOptions: () => kysely,
  })
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
