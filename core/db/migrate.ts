import type { Transaction } from '@mikro-orm/core'
import { sql } from 'kysely'
import type { Db } from '../plugin/context.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Database } from './database.ts'
import { migrationsOf } from './migrations-of.ts'
import { checkServer } from './server.ts'

/** Any number; it only has to differ from those of other programs that share the database. */
const MIGRATION_LOCK = 7_105_321

/**
 * Brings the database up to the enabled plugins: core first, then each plugin's pending migrations in dependency order.
 * @returns names of what was run, as `plugin/0001_init`.
 */
export async function migrate(database: Database, plugins: readonly PluginSpec[]): Promise<string[]> {
  const { embedded, write } = database
  if (await isCurrent(write, plugins)) {
    if (!embedded) await checkServer(write)
    return []
  }
  const schemas = ['core', ...plugins.filter(plugin => plugin.entities).map(plugin => plugin.name)]
  if (embedded) {
    // One session: the folder lock already keeps other processes out, and the migrator would wait for an outer transaction for ever.
    await createSchemas(write, schemas)
    return embedded.withoutLimit(async () => names(await (await database.orm()).migrator.up()))
  }
  const orm = await database.orm()
  // The schemas are committed first: the migrator makes its own table on another connection, where it could not see them.
  await locked(orm, async trx => {
    await checkServer(trx)
    await createSchemas(trx, schemas)
  })
  return locked(orm, async (_trx, transaction) => names(await orm.migrator.up({ transaction })))
}

/** Whether every migration has been run, which one statement tells; on most starts it has. */
async function isCurrent(db: Db, plugins: readonly PluginSpec[]): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from core.migrations`.execute(db)
    const done = new Set(rows.map(row => row.name))
    return migrationsOf(plugins).every(({ name }) => done.has(name))
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return false
    throw error
  }
}

/** SQLSTATE; also where the schema is missing. */
const UNDEFINED_TABLE = '42P01'

type Orm = Awaited<ReturnType<Database['orm']>>

/** Runs work in a transaction while no other process migrates this database. */
function locked<T>(orm: Orm, work: (trx: Db, transaction: Transaction) => Promise<T>): Promise<T> {
  return orm.em.fork().transactional(async em => {
    const trx = em.getKysely() as Db
    // Before the lock, so that waiting for another instance's long migration has no limit either.
    await sql`set local statement_timeout = 0`.execute(trx)
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(trx)
    return work(trx, em.getTransactionContext())
  })
}

async function createSchemas(db: Db, schemas: readonly string[]): Promise<void> {
  for (const name of schemas) await sql`create schema if not exists ${sql.id(name)}`.execute(db)
}

function names(done: readonly { readonly name: string }[]): string[] {
  return done.map(migration => migration.name)
}
