import type { EntitySchema } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import type { Log } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import { coreEntities } from './entities.ts'
import { coreMigrations } from './migrations/index.ts'

/** What a migration is called, and what it is. */
interface NamedMigration {
  readonly name: string
  readonly class: NonNullable<PluginSpec['migrations']>[string]
}

/** The migrations of core and of the enabled plugins, in dependency order. */
export function migrationsOf(plugins: readonly PluginSpec[]): NamedMigration[] {
  return [{ name: 'core', migrations: coreMigrations }, ...plugins].flatMap(({ name, migrations = {} }) =>
    Object.entries(migrations)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, MigrationClass]) => ({ name: `${name}/${id}`, class: MigrationClass })),
  )
}

/** Settings that both engines share: the entities and migrations of core and of the enabled plugins, in dependency order. */
export function ormOptions(plugins: readonly PluginSpec[], log: Log) {
  const entities: EntitySchema[] = [...coreEntities, ...plugins.flatMap(plugin => plugin.entities ?? [])]
  return {
    entities,
    extensions: [Migrator],
    ensureDatabase: false,
    allowGlobalContext: false,
    migrations: {
      tableName: 'core.migrations',
      snapshot: false,
      silent: true,
      allOrNothing: false,
      migrationsList: migrationsOf(plugins),
    },
    logger: (message: string) => log.debug({}, message),
  }
}
