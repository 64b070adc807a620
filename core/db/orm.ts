import type { Db, Log } from '../plugin/context.ts'
import { asHostError } from '../plugin/errors.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Database } from './database.ts'

/**
 * The ORM, for pending migrations and for plugins that write through its entity manager. It is loaded on first use, because loading slows a
 * start down and most starts do not need it.
 */
export function createLazyOrm(engine: Database['engine'], kysely: Db, plugins: readonly PluginSpec[], log: Log) {
  let orm: ReturnType<Database['orm']> | undefined
  const open = async (): ReturnType<Database['orm']> => {
    const { loadOrmOptions: ormOptions } = await import('./orm-options.ts')
    const query = kysely.selectNoFrom(({ fn }) => fn<string>('current_database').as('name'))
    const options = {
      ...(await ormOptions(engine, plugins, log)),
      // The migrator creates a missing database through a separate connection, which needs the name.
      dbName: (await query.executeTakeFirstOrThrow()).name,
      // A factory, because the ORM clones plain values of its options.
      driverOptions: () => kysely,
    }
    // For both engines, because it sends everything through our Kysely.
    const { MikroORM } = await import('@mikro-orm/postgresql')
    try {
      return new MikroORM(options)
    } catch (error) {
      throw asHostError('the entities of the plugins cannot be used', error)
    }
  }
  return {
    get: () => (orm ??= open()),
    close: async (): Promise<void> => (await orm?.catch(() => undefined))?.close(true),
  }
}
