import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { defineEntity, defineMigration, p } from 'tasuki/entities'
import { definePlugin, HostError, type HostPlugin } from 'tasuki/plugin'
import { pendingSchemaChanges } from '../../../core/db/drift.ts'
import { serverProblem } from '../../../core/db/server.ts'
import type { Host } from '../../../core/host/host.ts'
import type { HostOptions } from '../../../core/host/host-options.ts'
import { createTestDatabase } from '../../../core/testing/database.ts'
import { forEachEngine, noPostgres } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { bareDatabase, bareHost } from '../bare-host.ts'
import { suiteScope } from '../suite-scope.ts'

const ALL_ON = { plugins: { project_admin: {} } }

const Init = defineMigration('create table risk.risks (id uuid not null, level int not null, primary key (id))')
const Level = defineMigration(`alter table risk.risks add column note text not null default 'none'`)

/** Returns a plugin with a table that one or two migrations create. The plugin records when it was enabled. */
function riskPlugin(enabled: (Date | null)[], version: 1 | 2 = 1): HostPlugin {
  const id = p.uuid().primary()
  const level = p.integer()
  const entity =
    version === 1
      ? defineEntity({ name: 'Risk', schema: 'risk', tableName: 'risks', properties: { id, level } })
      : defineEntity({
          name: 'Risk',
          schema: 'risk',
          tableName: 'risks',
          properties: { id, level, note: p.text().default('none') },
        })
  return definePlugin({
    name: 'risk',
    version: `${version}.0.0`,
    api: 1,
    group: 'risk',
    entities: async () => ({ entities: [entity] }),
    migrations: { '0001_init': async () => ({ Init }), ...(version === 2 && { '0002_note': async () => ({ Level }) }) },
    async onEnabled(ctx, since) {
      enabled.push(since)
      await sql`insert into risk.risks (id, level) values (gen_random_uuid(), 0)`.execute(ctx.db)
    },
  })
}

test('statements of a migration end with semicolons, but for those in comments, texts, names and bodies of functions', () => {
  const statements = [
    "/* it's one; two */ create table a.a (b int)",
    "-- one; two\n  create table a (b text default 'x;''y')",
    'create table "c;d" ()',
    'create function e() returns int language plpgsql as $$ begin; return 1; end $$',
    `do $body$ begin perform '$$;'; end $body$`,
  ]
  const Several = defineMigration(`\n  ${statements.join(';\n\n  ')};\n`)
  const migration = new Several()
  void migration.up()
  assert.deepEqual(migration.getQueries(), statements)
})

forEachEngine('migrations', engine => {
  const scope = suiteScope()
  /** Prepares a new start on the data of a host, and closes the host. */
  const onDataOf = async (host: Host, database: HostOptions['database']): Promise<HostOptions['database']> => {
    const snapshot = await host.database.embedded?.dump()
    await host.app.close()
    return snapshot ? { engine: 'pglite', dataDir: null, snapshot } : database
  }
  const count = async (host: Host): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from risk.risks`.execute(host.database.write)
    return rows[0]!.n
  }
  const applied = async (host: Host): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`select name from core.migrations order by id`.execute(
      host.database.write,
    )
    return rows.map(row => row.name)
  }

  verifies(
    'engines.alike',
    'on an empty database run once, core first, and agree with the entities of every plugin',
    async () => {
      const database = await bareDatabase(scope, engine, { empty: true })
      const host = await bareHost(scope, database, { config: ALL_ON })
      assert.equal(host.migrated[0], 'core/0001_init')
      for (const { name, migrations = {} } of host.registry.plugins)
        for (const id of Object.keys(migrations)) assert.ok(host.migrated.includes(`${name}/${id}`), `${name}/${id}`)
      assert.deepEqual(await applied(host), host.migrated)
      assert.deepEqual(await pendingSchemaChanges(host.database), [], 'entities and migrations differ')

      await host.queue.start(host.runner)
      assert.deepEqual(await pendingSchemaChanges(host.database), [], 'the tables of the queue are left alone')
      const again = await bareHost(scope, await onDataOf(host, database), { config: ALL_ON })
      assert.deepEqual(again.migrated, [])
    },
  )

  test('report a difference between entities and tables', async () => {
    const host = await bareHost(scope, await bareDatabase(scope, engine), { plugins: [riskPlugin([])] })
    assert.deepEqual(await pendingSchemaChanges(host.database), [])
    await sql`alter table risk.risks drop column level, add column extra text`.execute(host.database.write)
    await sql`alter table core.users drop constraint users_email_unique`.execute(host.database.write)
    const changes = (await pendingSchemaChanges(host.database)).join('\n')
    assert.match(changes, /risk.*add.*level/i)
    assert.match(changes, /risk.*drop.*extra/i)
    assert.match(changes, /users_email_unique/)
  })

  test('of a plugin run when it is enabled; its data survives while it is off, and it resumes once when it is on again', async () => {
    let now = new Date('2026-11-20T08:00:00.000Z')
    const clock = () => now
    const enabled: (Date | null)[] = []
    const start = (database: HostOptions['database'], plugins: HostPlugin[]) =>
      bareHost(scope, database, { plugins, now: clock })
    let database = await bareDatabase(scope, engine)
    let host = await start(database, [riskPlugin(enabled)])
    assert.deepEqual(host.migrated, ['risk/0001_init'])
    assert.deepEqual(enabled, [null], 'new')
    database = await onDataOf(host, database)

    now = new Date('2026-11-20T09:00:00.000Z')
    host = await start(database, [riskPlugin(enabled)])
    assert.deepEqual([host.migrated, enabled.length], [[], 1], 'on all the time')
    database = await onDataOf(host, database)

    now = new Date('2026-11-20T10:00:00.123Z')
    host = await start(database, [])
    assert.equal(await count(host), 1, 'off keeps its rows')
    assert.deepEqual(await pendingSchemaChanges(host.database), [], 'and nothing is planned to be dropped')
    database = await onDataOf(host, database)

    if (engine === 'postgres') {
      now = new Date('2026-11-20T11:00:00.000Z')
      host = await start(database, [])
      database = await onDataOf(host, database)
    }

    now = new Date('2026-11-20T12:00:00.000Z')
    host = await start(database, [riskPlugin(enabled, 2)])
    assert.deepEqual(host.migrated, ['risk/0002_note'], 'the migration that was added while it was off')
    assert.deepEqual(enabled, [null, new Date('2026-11-20T10:00:00.123Z')], 'since the first start without it')
    assert.equal(await count(host), 2)
    assert.deepEqual(await pendingSchemaChanges(host.database), [])
    const { rows } = await sql`select version, enabled from core.plugins where name = 'risk'`.execute(
      host.database.write,
    )
    assert.deepEqual(rows, [{ version: '2.0.0', enabled: true }])
  })

  test('that fail stop the boot and are rolled back for that plugin', async () => {
    const Broken = defineMigration('create table risk.half (id uuid); create table risk.half (id uuid)')
    const broken = definePlugin({
      name: 'risk',
      version: '1.0.0',
      api: 1,
      group: 'x',
      entities: async () => ({ entities: [riskEntity()] }),
      migrations: { '0001_broken': async () => ({ Broken }) },
    })
    const database = await bareDatabase(scope, engine)
    await assert.rejects(
      bareHost(scope, database, { plugins: [broken] }),
      /^HostError: migration risk\/0001_broken failed: .*half.*switch the plugin off$/,
    )
    if (engine === 'postgres') {
      const host = await bareHost(scope, database)
      const { rows } = await sql`select from information_schema.tables where table_schema = 'risk'`.execute(
        host.database.write,
      )
      assert.deepEqual(rows, [])
      assert.ok(!(await applied(host)).includes('risk/0001_broken'))
    }
  })

  test('an onEnabled that fails is named', async () => {
    const failing = definePlugin({
      name: 'risk',
      version: '1.0.0',
      api: 1,
      group: 'x',
      onEnabled: async () => {
        throw new TypeError('no list')
      },
    })
    await assert.rejects(
      bareHost(scope, await bareDatabase(scope, engine), { plugins: [failing] }),
      /^HostError: onEnabled of plugin risk failed: no list/,
    )
  })

  if (engine === 'postgres') {
    test('run once when three instances start at once on an empty database', async () => {
      const enabled: (Date | null)[] = []
      const database = await bareDatabase(scope, engine, { empty: true })
      const hosts = await Promise.all(
        [0, 1, 2].map(() => bareHost(scope, database, { config: ALL_ON, plugins: [riskPlugin(enabled)] })),
      )
      const [names = []] = hosts.map(host => host.migrated).filter(list => list.length > 0)
      assert.deepEqual(
        hosts.map(host => host.migrated.length).toSorted((a, b) => a - b),
        [0, 0, names.length],
      )
      assert.deepEqual(await applied(hosts[0]!), names)
      assert.deepEqual(enabled, [null], 'enabled by one of them')
      assert.deepEqual(await pendingSchemaChanges(hosts[0]!.database), [])
    })

    test('wait for another instance longer than a statement may take, and the log names what they wait for', async () => {
      const database = await bareDatabase(scope, engine)
      const other = await bareHost(scope, database)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const holding = other.database.write.transaction().execute(async trx => {
        await sql`select pg_advisory_xact_lock(7105321)`.execute(trx)
        await released
      })
      const lines: string[] = []
      const write = (line: string): void => {
        lines.push(line)
        setTimeout(release, 1500)
      }
      const logger = { level: 'warn', stream: { write } }
      await bareHost(scope, database, { config: { query_timeout_ms: 1000 }, plugins: [riskPlugin([])], logger })
      await holding
      const { msg, pid, statement } = JSON.parse(lines[0]!) as Record<string, unknown>
      assert.match(String(msg), /waits for a migration of this database/)
      assert.deepEqual([typeof pid, statement], ['number', 'select pg_advisory_xact_lock(7105321)'])
    })
  }
})

function riskEntity() {
  return defineEntity({ name: 'Risk', schema: 'risk', tableName: 'half', properties: { id: p.uuid().primary() } })
}

describe('a server', () => {
  const fine = {
    major: 15,
    encoding: 'UTF8',
    ctype: 'C.UTF-8',
    extensions: ['btree_gin', 'pg_trgm'],
    readOnly: false,
    missingSchemas: [],
  }

  test('of version 15 or later is accepted; older ones, other encodings and missing extensions are refused with the next step', () => {
    assert.equal(serverProblem(fine), null)
    assert.equal(serverProblem({ ...fine, major: 18 }), null)
    assert.match(serverProblem({ ...fine, major: 14 })!, /PostgreSQL 14; 15 or later.*upgrade/)
    assert.match(serverProblem({ ...fine, encoding: 'SQL_ASCII' })!, /SQL_ASCII.*recreate it with encoding UTF8/)
    for (const ctype of ['C', 'POSIX'])
      assert.match(serverProblem({ ...fine, ctype })!, /locale.*Japanese.*LC_CTYPE C\.UTF-8/)
    assert.match(serverProblem({ ...fine, extensions: ['pg_trgm'] })!, /lacks btree_gin: install.*contrib/)
    assert.match(serverProblem({ ...fine, readOnly: true })!, /takes no writes: name the primary/)
    assert.match(serverProblem({ ...fine, extensions: [] })!, /pg_trgm and btree_gin/)
  })

  test(
    'whose database knows only ASCII letters is refused before anything is written',
    { skip: noPostgres },
    async t => {
      const database = await createTestDatabase({ empty: true, ctype: 'C' })
      t.after(database.drop)
      const options = { engine: 'postgres', url: database.url, replicaUrl: null } as const
      await assert.rejects(
        bareHost({ after: work => t.after(work) }, options),
        (error: unknown) => error instanceof HostError && /locale.*Japanese.*LC_CTYPE C\.UTF-8/.test(error.message),
      )
      const { Client } = await import('pg')
      const client = new Client({ connectionString: database.url })
      await client.connect()
      const { rows } = await client.query(
        `select nspname from pg_namespace where nspname in ('core', 'projects', 'items')`,
      )
      await client.end()
      assert.deepEqual(rows, [])
    },
  )
})
