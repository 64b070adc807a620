import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import semver from 'semver'
import { HostError, type Db } from 'tasuki/plugin'
import type { Database } from '../../../core/db/database.ts'
import { createTestDatabase } from '../../../core/testing/database.ts'
import { loadConfig } from '../../../core/host/config/load.ts'
import { loadPlugins } from '../../../core/host/config/plugins.ts'
import { makeTables } from '../../../core/db/migrate.ts'
import { migrationsOf, ownerOf } from '../../../core/db/migrations-of.ts'
import { VERSION } from '../../../core/plugin/version.ts'
import { openDatabase } from '../../../core/host/open-database.ts'
import { quietLog } from '../../../core/host/quiet-log.ts'
import { noPostgres } from '../../engines.ts'
import { findBreaks, readCatalog } from './catalog.ts'

/** Migrations by the release that introduced them; each release updates the file, see CONTRIBUTING.md. */
const FILE = join(import.meta.dirname, 'released-migrations.json')
const RELEASED = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, readonly string[]>>

/** Migrations that intentionally remove or refuse what the previous release needs, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {}

const config = await loadConfig(undefined, { plugins: { project_admin: {} } })
const plugins = (await loadPlugins(config, process.cwd())).map(({ plugin }) => plugin.spec)
const all = migrationsOf(plugins).map(({ name }) => name)
const released = new Set(Object.values(RELEASED).flat())
const last = Object.keys(RELEASED).sort(semver.compare).at(-1)!

test('every released migration is still there under its name', () => {
  if (process.env['UPDATE_SNAPSHOTS'] === '1' && RELEASED[VERSION]) {
    const own = all.filter(
      name => !Object.entries(RELEASED).some(([v, names]) => v !== VERSION && names.includes(name)),
    )
    writeFileSync(FILE, `${JSON.stringify({ ...RELEASED, [VERSION]: own }, null, 2)}\n`)
  }
  assert.deepEqual(
    [...released].filter(name => !all.includes(name)),
    [],
  )
})

test('plugins with unreleased migrations declare the compatible versions', () => {
  const owners = new Set(all.filter(name => !released.has(name)).map(ownerOf))
  for (const { name, version, compatibleFrom } of plugins) {
    if (!owners.has(name)) continue
    const fix = `add compatibleFrom: '${last}' to plugins/${name}/index.ts, if older versions continue to work`
    assert.ok(compatibleFrom !== undefined && semver.lte(compatibleFrom, version), `${name}: ${fix}`)
  }
})

async function onEmptyDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const { url, drop } = await createTestDatabase({ empty: true })
  const database = await openDatabase(
    { config, database: { engine: 'postgres', url, replicaUrl: null } },
    plugins,
    quietLog,
  )
  try {
    await work(database)
  } finally {
    await database.close()
    await drop()
  }
}

test('every migration after the first release only adds to the tables', { skip: noPostgres }, async t => {
  const later = all.filter(name => !released.has(name))
  await onEmptyDatabase(async database => {
    await makeTables(database, { plugins, migrations: all.filter(name => released.has(name)) }, async () => undefined)
    const orm = await database.orm()
    let before = await readCatalog(database.write)
    for (const name of later) {
      await sql`create schema if not exists ${sql.id(ownerOf(name))}`.execute(database.write)
      await orm.migrator.up({ migrations: [name] })
      const after = await readCatalog(database.write)
      const breaks = findBreaks(before, after)
      if (name in EXCEPTIONS) assert.notDeepEqual(breaks, [], `${name} needs no exception`)
      else
        assert.deepEqual(
          breaks,
          [],
          `${name}: ${breaks.join('; ')}. An older instance on the same database would fail: add what is new in this release, ` +
            'remove the old parts in a later release (core/decisions/0064), or list the migration in EXCEPTIONS with the reason',
        )
      before = after
    }
  })
  t.diagnostic(`${released.size} migrations of ${last}, ${later.length} since`)
})

test('changes that break older versions are found, and harmless changes are not', { skip: noPostgres }, async () => {
  const rollback = new HostError('rolled back')
  await onEmptyDatabase(async ({ write }) => {
    const breaksOf = async (change: string): Promise<readonly string[]> => {
      let found: readonly string[] = []
      const run = async (db: Db): Promise<void> => {
        for (const text of [
          'create schema shop',
          `create table shop.goods (id int primary key, name text, price int not null default 0, code text unique, check (price >= 0))`,
          'create table shop.shelves (id int primary key)',
          `create function shop.stop() returns trigger language plpgsql as 'begin return new; end'`,
        ])
          await sql.raw(text).execute(db)
        const before = await readCatalog(db)
        for (const text of change.split(';')) await sql.raw(text).execute(db)
        found = findBreaks(before, await readCatalog(db))
        throw rollback
      }
      await write
        .transaction()
        .execute(run)
        .catch((error: unknown) => assert.equal(error, rollback))
      return found
    }
    for (const change of [
      'drop table shop.shelves',
      'alter table shop.shelves rename to racks',
      'alter table shop.goods drop column name',
      'alter table shop.goods rename column name to title',
      'alter table shop.goods alter column price type bigint',
      'alter table shop.goods alter column name set not null',
      'alter table shop.goods alter column price drop default',
      'alter table shop.goods add column size int; alter table shop.goods alter column size set not null',
      'alter table shop.goods drop constraint goods_code_key',
      'alter table shop.goods drop constraint goods_price_check; alter table shop.goods add constraint goods_price_check check (price > 1)',
      'alter table shop.goods add check (price < 100)',
      'alter table shop.goods add foreign key (price) references shop.shelves (id)',
      'create unique index on shop.goods (name)',
      'create trigger stop before insert on shop.goods for each row execute function shop.stop()',
    ])
      assert.notDeepEqual(await breaksOf(change), [], change)
    for (const change of [
      'create table shop.later (id int not null primary key, name text not null unique)',
      'alter table shop.goods add column size int',
      'alter table shop.goods add column size int not null default 1',
      'create index on shop.goods (name)',
      'alter table shop.goods alter column price drop not null',
      `update shop.goods set name = ''`,
    ])
      assert.deepEqual(await breaksOf(change), [], change)
  })
})
