import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Migration } from 'tasuki/entities'
import { definePlugin, HostError, type HostPlugin } from 'tasuki/plugin'
import { testHost } from 'tasuki/testing'
import { requireMigrated } from '../../../core/db/migrate.ts'
import { countStatements } from '../../bench/statements.ts'
import { forEachEngine } from '../../engines.ts'
import { suiteScope } from '../suite-scope.ts'

const CONFIG = { plugins: { project_admin: {} } }
/** A time in the middle of the sprints of the test account. */
const STARTED = Date.parse('2026-06-09T01:00:00Z')

class Init extends Migration {
  override up(): void {
    this.addSql('create table "ledger"."entries" ("id" uuid not null, primary key ("id"))')
  }
}
/** Changes that a newer version may always make: it adds tables, and columns that older versions do not fill. */
class Expand extends Migration {
  override async up(): Promise<void> {
    this.addSql(`do $$
      declare t regclass;
      begin
        foreach t in array (select array_agg(c.oid::regclass) from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where c.relkind = 'r' and (n.nspname = 'core' and c.relname <> 'migrations' or n.nspname in (select name from core.plugins)))
        loop
          execute format('alter table %s add column later_text text, add column later_count int not null default 0, add column later_list jsonb not null default ''[]''', t);
          execute format('create index on %s (later_count)', t);
        end loop;
      end $$`)
    this.addSql('create table "ledger"."later" ("id" uuid not null, primary key ("id"))')
  }
}

/** Makes the plugin in its older or its newer version. */
function ledger(version: string, compatibleFrom?: string): HostPlugin {
  const newer = version !== '1.0.0'
  return definePlugin({
    name: 'ledger',
    version,
    ...(compatibleFrom !== undefined && { compatibleFrom }),
    api: 1,
    group: 'ledger',
    entities: async () => ({ entities: [] }),
    migrations: { '0001_init': async () => ({ Init }), ...(newer && { '0002_expand': async () => ({ Expand }) }) },
  })
}

forEachEngine('an older version next to a newer one', engine => {
  const scope = suiteScope()
  const began = Date.now()
  const common = { engine, config: CONFIG, now: () => new Date(STARTED + Date.now() - began) }

  /** Migrates a database with the newer version, then opens the older version on it. On PostgreSQL the older version runs throughout. */
  async function upgraded(newer: HostPlugin) {
    const older = await testHost(scope, { ...common, plugins: [ledger('1.0.0')] })
    const snapshot = await older.database.embedded?.dump()
    const database = snapshot ? { engine: 'pglite' as const, dataDir: null, snapshot } : older.databaseOptions
    const migrating = await testHost(scope, { ...common, plugins: [newer], database })
    const after = await migrating.database.embedded?.dump()
    await migrating.close()
    const left = after ? { engine: 'pglite' as const, dataDir: null, snapshot: after } : older.databaseOptions
    const start = () => testHost(scope, { ...common, plugins: [ledger('1.0.0')], database: left })
    return { running: engine === 'postgres' ? older : null, start }
  }

  test('continues to serve every tool on tables with additions of the newer version, and starts on them', async () => {
    const { running, start } = await upgraded(ledger('2.0.0', '1.0.0'))
    const started = await start()
    await requireMigrated(started.database.read, started.registry.plugins)
    for (const host of [running, started]) {
      if (!host) continue
      assert.equal((await host.app.inject('/readyz')).statusCode, 200)
      const added = await host.sql`select later_count from items.items limit 1`
      assert.ok(added.length <= 1, 'the columns are there')
    }
    const calls = await countStatements(running ?? started, 12)
    const failed = calls.filter(({ result }) => result === null)
    assert.deepEqual(failed, [])
    assert.ok(calls.length > 100, `${calls.length} tools`)
  })

  test('refuses one that the newer one has taken from, and says what to run', async () => {
    const { running, start } = await upgraded(ledger('3.0.0', '2.0.0'))
    await assert.rejects(start(), (error: unknown) => {
      assert.ok(error instanceof HostError)
      assert.match(
        error.message,
        /newer than this program.*ledger\/0002_expand.*need the plugin ledger 2\.0\.0 or later; nothing was changed: run/,
      )
      return true
    })
    if (!running) return
    const { statusCode, json } = await running.app.inject('/readyz')
    assert.deepEqual([statusCode, json()], [503, { status: 'database is newer than this program' }])
  })

  test('refuses one of a newer plugin that says nothing of older versions', async () => {
    const { start } = await upgraded(ledger('2.0.0'))
    await assert.rejects(start(), /need the plugin ledger 2\.0\.0 or later/)
  })
})
