import type { Transaction } from '@mikro-orm/core'
import { sql } from 'kysely'
import type { Db, Log } from '../plugin/context.ts'
import { HostError } from '../plugin/errors.ts'
import { tableExists } from '../plugin/sql.ts'
import type { PluginSpec } from '../plugin/plugin.ts'
import type { Database } from './database.ts'
import { isUnavailable } from './failure.ts'
import type { TracedMigration } from './orm-options.ts'
import { findIncompatible, storeCompatibility, type IncompatibleMigration } from './compatibility.ts'
import { migrationsOf, ownerOf } from './migrations-of.ts'
import { checkServer } from './server.ts'
import { setForTransaction } from './settings.ts'

/** Key of the advisory lock. It is arbitrary, but must differ from the keys of other programs on the same database. */
const MIGRATION_LOCK = 7_105_321

/**
 * Runs the pending migrations of core and then of each enabled plugin, in dependency order.
 * @returns the names of the migrations that ran, as `plugin/0001_init`
 */
export async function migrate(database: Database, plugins: readonly PluginSpec[], log?: Log): Promise<string[]> {
  const { embedded, write } = database
  if ((await findPendingMigrations(write, plugins)).length === 0) {
    if (!embedded) await checkServer(write)
    return []
  }
  const schemas = ['core', ...plugins.filter(plugin => plugin.entities ?? plugin.migrations).map(plugin => plugin.name)]
  return runMigrations(database, { schemas, log }, async (db, done) => {
    await storeCompatibility(db, plugins, done)
    return done
  })
}

/**
 * Creates the tables of an empty database at the given migrations and fills them. On PostgreSQL this is one transaction.
 * @param plugins owners of the tables, in dependency order
 * @throws HostError if the database is not empty
 */
export function makeTables<T>(
  database: Database,
  { plugins, migrations }: { readonly plugins: readonly PluginSpec[]; readonly migrations: readonly string[] },
  fill: (db: Db) => Promise<T>,
): Promise<T> {
  const schemas = ['core', ...plugins.map(({ name }) => name)]
  return runMigrations(database, { schemas, migrations, check: requireEmpty }, fill)
}

interface Run {
  readonly schemas: readonly string[]
  /** Default: all. */
  readonly migrations?: readonly string[]
  /** Checks the database before anything is changed. */
  readonly check?: (db: Db) => Promise<void>
  readonly log?: Log | undefined
}

/** Creates the schemas, runs migrations, then `finish` with their names; on PostgreSQL the last two are one transaction. */
function runMigrations<T>(
  database: Database,
  { schemas, migrations, check, log }: Run,
  finish: (db: Db, done: string[]) => Promise<T>,
): Promise<T> {
  const prepare = async (db: Db): Promise<void> => {
    await check?.(db)
    for (const name of schemas) await sql`create schema if not exists ${sql.id(name)}`.execute(db)
  }
  return database.withoutLimit(async () => {
    const orm = await database.orm()
    const up = async (transaction?: Transaction): Promise<string[]> => {
      try {
        const done = await orm.migrator.up({
          ...(migrations && { migrations: [...migrations] }),
          ...(transaction && { transaction }),
        })
        return done.map(({ name }) => name)
      } catch (error) {
        throw migrationError(
          orm.config.get('migrations').migrationsList as unknown as readonly ListedMigration[],
          error,
        )
      }
    }
    if (database.embedded) {
      // No lock is needed: the folder lock keeps other processes out. With the single session, an outer transaction would deadlock the
      // migrator.
      await prepare(database.write)
      const done = await up()
      return database.write.transaction().execute(db => finish(db, done))
    }
    // The schemas are committed first, because the migrator creates its table on another connection, which would not see them.
    await withMigrationLock(orm, log, async trx => {
      await checkServer(trx)
      await prepare(trx)
    })
    return withMigrationLock(orm, log, async (trx, transaction) => {
      await check?.(trx)
      return finish(trx, await up(transaction))
    })
  })
}

interface ListedMigration {
  readonly name: string
  readonly class: TracedMigration
}

/** Names the migration that failed, unless the database is at fault. */
function migrationError(list: readonly ListedMigration[], error: unknown): unknown {
  const [last] = list.filter(each => each.class.ranAt !== undefined).toSorted((a, b) => b.class.ranAt! - a.class.ranAt!)
  if (!last || isUnavailable(error)) return error
  const message = `migration ${last.name} failed: ${(error as Error).message}`
  return new HostError(`${message}; it was rolled back: correct it, or switch the plugin off`, { cause: error })
}

async function requireEmpty(db: Db): Promise<void> {
  if (await tableExists(db, 'core.users'))
    throw new HostError('the database to write to is not empty; nothing was changed: give an empty one')
}

/**
 * Lists the migrations that the next start would run; all of them if there are no tables yet.
 * @throws HostError if a newer version of the program or of a plugin has changed the database incompatibly
 */
export async function findPendingMigrations(db: Db, plugins: readonly PluginSpec[]): Promise<readonly string[]> {
  const { pending, tooNew } = await compareMigrations(db, plugins)
  if (tooNew.length > 0) throw new HostError(describeNewerDatabase(tooNew))
  return pending
}

/**
 * Compares the migrations of a database with those of this program: pending ones, unknown ones of newer versions, and unknown ones that are
 * incompatible with this program.
 */
export async function compareMigrations(db: Db, plugins: readonly PluginSpec[]) {
  const done = await readMigrations(db)
  const knownNames = new Set(migrationsOf(plugins).map(({ name }) => name))
  const owners = new Set(['core', ...plugins.map(({ name }) => name)])
  const unknown = [...done].filter(name => owners.has(ownerOf(name)) && !knownNames.has(name))
  return {
    pending: [...knownNames].filter(name => !done.has(name)),
    unknown,
    tooNew: await findIncompatible(db, plugins, unknown),
  }
}

/** @throws HostError if the tables are missing or do not match this program, because only a start of the service migrates */
export async function requireMigrated(db: Db, plugins: readonly PluginSpec[]): Promise<void> {
  const pending = await findPendingMigrations(db, plugins)
  if (pending.length === 0) return
  if (pending[0] === 'core/0001_init')
    throw new HostError('the database is empty: start the service once, which makes its tables')
  throw new HostError(
    `the database is older than this program (${listNames(pending)} did not run): start the service once, which migrates it; make a backup before`,
  )
}

/** Lists the migrations that have run; empty if there are no tables yet. */
export async function readMigrations(db: Db): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await sql<{ name: string }>`select name from core.migrations`.execute(db)
    return new Set(rows.map(row => row.name))
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return new Set()
    throw error
  }
}

/** Explains why a program refuses the database. @param migrations unknown to this program */
export function describeNewerDatabase(migrations: readonly IncompatibleMigration[]): string {
  const owners = new Set(migrations.map(({ migration }) => ownerOf(migration)).filter(owner => owner !== 'core'))
  const what = owners.size === 0 ? 'tasuki' : `tasuki, or of the plugin ${[...owners].join(' or ')},`
  const needs = [...new Set(migrations.flatMap(each => (each.needs === null ? [] : [describeRequirement(each)])))]
  const requirements = needs.length === 0 ? '' : `, and which need ${needs.join(' and ')}`
  return (
    `the database is newer than this program, which does not know its migrations (${listNames(migrations.map(({ migration }) => migration))})${requirements}; ` +
    `nothing was changed: run the version of ${what} that wrote it or a later one, or restore a backup from before the upgrade`
  )
}

function describeRequirement({ migration, needs }: IncompatibleMigration): string {
  const owner = ownerOf(migration)
  return `${owner === 'core' ? 'tasuki' : `the plugin ${owner}`} ${needs} or later`
}

function listNames(migrations: readonly string[]): string {
  const shown = migrations.slice(0, 3).join(', ')
  return migrations.length <= 3 ? shown : `${shown} and ${migrations.length - 3} more`
}

/** SQLSTATE undefined_table; PostgreSQL also reports it for a missing schema. */
const UNDEFINED_TABLE = '42P01'

type Orm = Awaited<ReturnType<Database['orm']>>

/** Runs `work` in a transaction that holds the migration lock, and logs whose migration it waits for. */
function withMigrationLock<T>(orm: Orm, log: Log | undefined, work: (trx: Db, transaction: Transaction) => Promise<T>) {
  return orm.em.fork().transactional(async em => {
    const trx = em.getKysely() as Db
    // Set before the lock, so that waiting for the migration of another instance has no timeout.
    await setForTransaction(trx, 'statement_timeout', '0')
    await setForTransaction(trx, 'idle_in_transaction_session_timeout', '0')
    // PostgreSQL finishes the statement of a session even if its process has ended.
    const { rows } = await sql<object>`
      select a.pid, a.client_addr as address, a.xact_start as since, left(a.query, 200) as statement
      from pg_locks l join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
      where l.locktype = 'advisory' and l.granted and l.objid = ${sql.lit(MIGRATION_LOCK)}`.execute(trx)
    const advice = 'waits for a migration of this database; if its process has ended, end its session on the server'
    if (rows[0]) log?.warn(rows[0], advice)
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(trx)
    return work(trx, em.getTransactionContext())
  })
}
