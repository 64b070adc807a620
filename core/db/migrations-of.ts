import type { MigrationFile, PluginSpec } from '../plugin/plugin.ts'
import { coreMigrations } from './migrations/index.ts'

/** Lists the migrations of core and of the enabled plugins, in dependency order. */
export function migrationsOf(plugins: readonly PluginSpec[]) {
  return [{ name: 'core', migrations: coreMigrations }, ...plugins].flatMap(({ name, migrations = {} }) =>
    Object.entries<MigrationFile>(migrations)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, load]) => ({ name: `${name}/${id}`, load })),
  )
}

/** Returns the owner of a migration: `plugin/0001_init` → `plugin`. */
export const ownerOf = (migration: string): string => migration.slice(0, migration.indexOf('/'))
