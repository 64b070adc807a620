import type { EntitySchema } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import type { Log } from '../plugin/context.ts'
import type { Database } from './database.ts'
import { asHostError, HostError } from '../plugin/errors.ts'
import type { MigrationClass, PluginSpec } from '../plugin/plugin.ts'
import { coreEntities } from './entities.ts'
import { migrationsOf } from './migrations-of.ts'

/** Builds the options for both engines: entities and migrations of core and of the enabled plugins, in dependency order. */
export async function loadOrmOptions(engine: Database['engine'], plugins: readonly PluginSpec[], log: Log) {
  return {
    entities: await loadEntities(plugins),
    extensions: [Migrator],
    ensureDatabase: false,
    allowGlobalContext: false,
    // Only migrations define triggers.
    schemaGenerator: { ignoreTriggers: true },
    migrations: {
      tableName: 'core.migrations',
      snapshot: false,
      silent: true,
      // The embedded database has one session: the migrator would wait for it inside its own transaction.
      allOrNothing: engine === 'postgres',
      migrationsList: await loadMigrations(plugins),
    },
    logger: (message: string) => log.debug({}, message),
  }
}

/**
 * Loads and checks the entities of core and of the plugins. Class names must be unique across plugins, and tables must be in the schema of
 * their plugin.
 * @throws HostError that names the plugin, the problem and the fix
 */
export async function loadEntities(plugins: readonly PluginSpec[]): Promise<EntitySchema[]> {
  const owners = new Map<string, string>(coreEntities.map(entity => [entity.meta.className, 'the host']))
  const all: EntitySchema[] = [...coreEntities]
  for (const { name: plugin, entities } of plugins) {
    const loaded = await entities?.().catch((error: unknown) => {
      throw asHostError(`the entities of plugin ${plugin} could not be imported`, error)
    })
    for (const entity of loaded?.entities ?? []) {
      if (!entity?.meta)
        throw new HostError(`one of the entities of plugin ${plugin} is none; modules may import each other`)
      const { className, schema } = entity.meta
      try {
        entity.init()
      } catch (error) {
        throw asHostError(`entity ${className} of plugin ${plugin} cannot be used`, error)
      }
      if (schema !== plugin)
        throw new HostError(
          `entity ${className} of plugin ${plugin} lies in schema "${schema}"; set schema: '${plugin}'`,
        )
      if (!Object.values(entity.meta.properties).some(({ primary }) => primary))
        throw new HostError(`entity ${className} of plugin ${plugin} has no primary key; add ...ownedKey to it`)
      const other = owners.get(className)
      if (other !== undefined)
        throw new HostError(`entity ${className} is defined by both ${other} and ${plugin}; rename one of them`)
      owners.set(className, plugin)
      all.push(entity)
    }
  }
  return all
}

/** @throws HostError if a file does not have exactly one export, a class */
function loadMigrations(plugins: readonly PluginSpec[]): Promise<{ name: string; class: MigrationClass }[]> {
  return Promise.all(
    migrationsOf(plugins).map(async ({ name, load }) => {
      const exported = await load().catch((error: unknown) => {
        throw asHostError(`migration ${name} could not be imported`, error)
      })
      const [migration, ...others] = Object.values(exported)
      if (typeof migration !== 'function' || others.length > 0)
        throw new HostError(
          `the file of migration ${name} exports ${Object.keys(exported).join(', ') || 'nothing'}; let it export alone what defineMigration returns`,
        )
      return { name, class: traced(migration) }
    }),
  )
}

/** A migration that notes when it ran, so that an error can name it. */
export interface TracedMigration extends MigrationClass {
  ranAt?: number
}

function traced(migration: MigrationClass): TracedMigration {
  const Traced: TracedMigration = class extends migration {
    override up(): void | Promise<void> {
      Traced.ranAt = performance.now()
      return Reflect.apply(migration.prototype.up, this, []) as void | Promise<void>
    }
  }
  return Traced
}
