import { Kysely } from 'kysely'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Tables } from '../plugin/tables.ts'
import type { Database, Listener } from './database.ts'
import { lazyOrm } from './orm.ts'
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
  const kysely = new Kysely<Tables>({ dialect: embeddedDialect(embedded) })
  const orm = lazyOrm('pglite', kysely, plugins, log)
  return {
    engine: 'pglite',
    orm: orm.get,
    read: kysely,
    write: kysely,
    autonomous: null,
    listener: localListener(embedded),
    embedded,
    withoutLimit: work => embedded.withoutLimit(work),
    load: () => {
      const { busy, waiting, restarts } = embedded.load()
      return { pools: [{ pool: 'session', busy, idle: 1 - busy, waiting }], losses: restarts }
    },
    url: null,
    async close() {
      await orm.close()
      await embedded.close()
    },
  }
}

function localListener(embedded: EmbeddedDatabase): Listener {
  return {
    async subscribe(channel, onMessage) {
      await embedded.listen(channel, onMessage)
    },
    onState: notify => notify(true),
    close: async () => undefined,
  }
}
