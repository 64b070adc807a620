import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import type { Engine } from 'tasuki/testing'
import { openEmbedded } from '../../core/db/pglite/client.ts'
import { createTestDatabase, type TestDatabase } from '../../core/testing/database.ts'
import { registryOf } from '../../core/cli/call-command.ts'
import { commandsOf } from '../../core/cli/run-command.ts'
import { readEnvironment } from '../../core/host/config/environment.ts'
import { forEachEngine } from '../engines.ts'
import { run, serve, TASUKI, type Ended } from '../processes.ts'
import { inProcess } from './in-process.ts'
import { migratedFolder } from './migrated-folder.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** Commands that only read: they must not change, create or migrate the database. */
const READERS = [
  ['user', 'list'],
  ['token', 'list'],
  ['project', 'list'],
  ['project', 'kinds', 'INBOX'],
  ['workflow', 'list'],
  ['series', 'list'],
  ['code', 'list'],
  ['audit'],
  ['user', 'delete', 'ann@example.com'],
  ['project', 'members', 'INBOX'],
  ['project', 'invitations'],
  ['import', 'file', join(import.meta.dirname, '../plugins/transfer/fixtures/jira.csv'), 'INBOX'],
  ['export', 'items', 'INBOX'],
  ['purge', 'project_admin'],
]
/** Commands to test per engine. Each opens the embedded engine, which is slow; its tests depend only on the opening, so one suffices. */
const readers = (engine: Engine) => (engine === 'pglite' ? READERS.slice(0, 1) : READERS)
/** Commands that need no database. */
const LOCAL = [['plugins'], ['config', 'check'], ['help'], ['user', 'list', '--help'], ['--version']]

forEachEngine('commands that read', engine => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-reading-'))
  const dataDir = join(folder, 'data')
  const databases: TestDatabase[] = []
  const env: Record<string, string> = { DATA_DIR: dataDir }
  const tasuki = (args: readonly string[], more: Record<string, string> = {}): Promise<Ended> =>
    inProcess(args, { ...env, ...more })

  before(async () => {
    if (engine === 'pglite') await migratedFolder(dataDir)
    else env['DATABASE_URL'] = await newDatabase(false)
    assert.equal((await tasuki(['user', 'create', 'ann@example.com'])).code, 0)
  })
  after(async () => {
    for (const database of databases) await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const newDatabase = async (empty: boolean): Promise<string> => {
    const made = await createTestDatabase({ empty })
    databases.push(made)
    return made.url
  }
  /** Runs statements directly on the database. @returns the rows of the last one */
  const query = async (sql: string | readonly string[], url = env['DATABASE_URL']): Promise<unknown[]> => {
    const run = async (client: { query(text: string): Promise<{ rows: unknown[] }> }): Promise<unknown[]> => {
      let rows: unknown[] = []
      for (const text of [sql].flat()) ({ rows } = await client.query(text))
      return rows
    }
    if (url === undefined) {
      const db = await openEmbedded({ dataDir: join(dataDir, 'database'), queryTimeout: 60_000, log: quiet })
      try {
        return await run(db)
      } finally {
        await db.close()
      }
    }
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      return await run(client)
    } finally {
      await client.end()
    }
  }

  /** Computes a value that any write to any row changes. */
  const fingerprint = async (): Promise<unknown> => {
    const tables = (await query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    )) as { name: string }[]
    const rows = tables.map(
      ({ name }) =>
        `select '${name}' as name, count(*)::int as rows, max(xmin::text::bigint)::text as last from ${name}`,
    )
    return [await query(`${rows.join(' union all ')} order by 1`), readdirSync(dataDir).toSorted()]
  }

  test('are all tried here', async () => {
    const commands = commandsOf(await registryOf(readEnvironment({})))
    const able = [...commands.values()]
      .filter(command => 'reads' in command && command.reads !== undefined && command.reads !== false)
      .map(({ name }) => name)
    assert.ok(able.length >= 10)
    const tried = READERS.map(words => words.join(' '))
    for (const name of able)
      assert.ok(
        tried.some(line => `${line} `.startsWith(`${name} `)),
        `${name} is not in READERS`,
      )
  })

  test('work on an existing database and write nothing', async () => {
    const before = await fingerprint()
    const config = join(folder, 'off.json')
    writeFileSync(config, JSON.stringify({ plugins: { labels: false } }))
    const noted = await query('select name, enabled, seen_at::text from core.plugins order by name')
    assert.ok(noted.length > 10)
    for (const args of readers(engine).filter(([name]) => name !== 'purge')) {
      const { code, stderr } = await tasuki(args, { CONFIG: config })
      assert.deepEqual([args, code, stderr], [args, 0, ''])
    }
    assert.deepEqual(await query('select name, enabled, seen_at::text from core.plugins order by name'), noted)
    for (const args of [['doctor'], ...LOCAL])
      assert.equal((await tasuki(args, { CONFIG: config })).code, 0, args.join(' '))
    assert.deepEqual(await fingerprint(), before)
  })

  describe('without a database', () => {
    const nowhere = join(folder, 'nowhere')
    const there: Record<string, string> = { DATA_DIR: nowhere }
    before(async () => {
      if (engine === 'postgres') there['DATABASE_URL'] = await newDatabase(true)
    })
    const makesNothing = async (): Promise<void> => {
      assert.equal(existsSync(nowhere), false)
      const url = there['DATABASE_URL']
      if (url === undefined) return
      const own = `select nspname from pg_namespace where nspname !~ '^pg_' and nspname not in ('public', 'information_schema')`
      assert.deepEqual(await query(own, url), [])
    }

    test('say so and create nothing', async () => {
      const message =
        engine === 'pglite'
          ? /^tasuki: there is no database in .*nowhere.database: start the service once, .*DATA_DIR/
          : /^tasuki: the database is empty: start the service once/
      for (const args of READERS) {
        const { code, stdout, stderr } = await tasuki(args, there)
        assert.deepEqual([args, code, stdout], [args, 1, ''])
        assert.match(stderr, message)
      }
      await makesNothing()
    })

    test('do the same as a process', async () => {
      const { code, stderr } = await run(TASUKI, ['user', 'list'], { cwd: folder, env: there })
      assert.equal(code, 1, stderr)
      assert.match(stderr, /start the service once/)
      await makesNothing()
    })

    test('doctor says what the first start will do', async () => {
      const { code, stdout } = await tasuki(['doctor'], there)
      assert.equal(code, 0, stdout)
      assert.match(
        stdout,
        engine === 'pglite' ? /^note +embedded .*: there is none yet/m : /^note .*the next start runs \d+ migrations/m,
      )
      await makesNothing()
    })

    test('that need no database work', async () => {
      for (const args of LOCAL) assert.deepEqual([args, (await tasuki(args, there)).code], [args, 0])
      await makesNothing()
    })
  })

  test('do not migrate a database that is older', async () => {
    const [last] = (await query(
      'delete from core.migrations where id = (select max(id) from core.migrations) returning name',
    )) as { name: string }[]
    for (const args of readers(engine)) {
      const { code, stderr } = await tasuki(args)
      assert.deepEqual([args, code], [args, 1])
      assert.ok(
        stderr.startsWith(`tasuki: the database is older than this program (${last!.name} did not run)`),
        stderr,
      )
      assert.match(stderr, /start the service once/)
    }
    const { code, stdout } = await tasuki(['doctor'])
    assert.equal(code, 0, stdout)
    assert.match(stdout, new RegExp(`^note .*the next start runs 1 migration: ${last!.name};`, 'm'))
    const dry = await tasuki(['migrate', '--dry-run'])
    assert.deepEqual([dry.code, dry.stdout], [0, `1 migration would run:\n${last!.name}\n`])
    const again = `insert into core.migrations (name, executed_at)
      select '${last!.name}', now() where not exists (select from core.migrations where name = '${last!.name}') returning name`
    assert.deepEqual(await query(again), [last])
  })

  test('every command and the start refuse a database of a newer version and do not change it', async () => {
    const all = 'select name from core.migrations order by name'
    const writes = [['token', 'create', 'x'], ['start'], []]
    for (const { migration, commands, whose } of [
      {
        migration: 'core/9999_future',
        commands: [...readers(engine), ...writes],
        whose: /version of tasuki that wrote it/,
      },
      { migration: 'labels/9999_future', commands: [['user', 'list'], ['start']], whose: /of the plugin labels/ },
    ]) {
      const before = await query([
        `insert into core.migrations (name, executed_at) values ('${migration}', now())`,
        all,
      ])
      for (const args of commands) {
        const { code, stdout, stderr } = await tasuki(args, { PORT: '0', LOG_LEVEL: 'silent' })
        assert.deepEqual([args, code, stdout], [args, 1, ''])
        assert.match(stderr, /^tasuki: the database is newer than this program, .*restore a backup/)
        assert.ok(stderr.includes(migration))
        assert.match(stderr, whose)
      }
      const { code, stdout } = await tasuki(['doctor'])
      assert.equal(code, 1)
      assert.match(stdout, /^WRONG database: the database is newer/m)
      // A select next to a data-modifying CTE sees the rows as they were before.
      const takenOut = `with gone as (delete from core.migrations where name = '${migration}') ${all}`
      assert.deepEqual(await query(takenOut), before)
    }
  })

  test('work on a database of a newer version that leaves this one working', async () => {
    await query(`with noted as (insert into core.migration_compatibility values ('core/9999_future', '0.1.0'))
      insert into core.migrations (name, executed_at) values ('core/9999_future', now())`)
    for (const args of [['user', 'list'], ['audit']]) assert.deepEqual([args, (await tasuki(args)).code], [args, 0])
    const { code, stdout } = await tasuki(['doctor'])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^note .*migrations done; a newer version has added 1 migration, .*upgrade it too/m)
    await query(`with gone as (delete from core.migration_compatibility where migration = 'core/9999_future')
      delete from core.migrations where name = 'core/9999_future'`)
  })

  test('doctor reports tables that differ from the entities', async () => {
    const differ =
      /^note .*the tables differ from the entities.*tasuki migration new .* First: alter table "checklist"\./m
    assert.doesNotMatch((await tasuki(['doctor'])).stdout, differ)
    await query('alter table checklist.steps rename column content to body')
    const { code, stdout } = await tasuki(['doctor'])
    await query('alter table checklist.steps rename column body to content')
    assert.equal(code, 0, stdout)
    assert.match(stdout, differ)
  })

  test('ignore data of a newer plugin that is off', async () => {
    const config = join(folder, 'off.json')
    writeFileSync(config, JSON.stringify({ plugins: { labels: false } }))
    await query(`insert into core.migrations (name, executed_at) values ('labels/9999_future', now())`)
    assert.equal((await tasuki(['user', 'list'], { CONFIG: config })).code, 0)
    await query(`delete from core.migrations where name = 'labels/9999_future'`)
  })

  if (engine === 'postgres')
    test('doctor and the start report an embedded database with data while DATABASE_URL is set', async () => {
      const filled = join(folder, 'filled')
      const db = await openEmbedded({ dataDir: join(filled, 'database'), queryTimeout: 60_000, log: quiet })
      await db.close()
      const notice =
        /DATABASE_URL is set, so the embedded database in .*filled.database is not used, .*unset DATABASE_URL/
      const { code, stdout } = await tasuki(['doctor'], { DATA_DIR: filled })
      assert.equal(code, 0, stdout)
      assert.match(stdout, new RegExp(`^note +${notice.source}`, 'm'))
      assert.doesNotMatch((await tasuki(['doctor'])).stdout, /DATABASE_URL is set/)
      const server = await serve(TASUKI, { cwd: folder, env: { ...env, DATA_DIR: filled } })
      await server.stop()
      const warning = server.output.stdout.split('\n').find(line => notice.test(line))
      assert.equal((JSON.parse(warning!) as { level: number }).level, 40)
    })
  else if (process.platform !== 'win32')
    test('doctor reports data that other users can open, and the next command that writes restricts it', async () => {
      const database = join(dataDir, 'database')
      const [key, files] = [join(dataDir, 'secret.key'), join(dataDir, 'attachments')]
      mkdirSync(files, { recursive: true })
      writeFileSync(join(files, 'picture'), 'x')
      const wide = [database, key, files, join(files, 'picture')]
      for (const path of wide) chmodSync(path, path === key ? 0o644 : 0o755)
      const { code, stdout } = await tasuki(['doctor'])
      assert.equal(code, 1)
      assert.match(stdout, /^WRONG .*database is open to other users of this machine: start the service/m)
      for (const name of ['secret.key', 'attachments'])
        assert.match(stdout, new RegExp(`^WRONG .*${name} is open to other users`, 'm'))
      assert.equal((await tasuki(['user', 'list'])).code, 0)
      assert.equal(statSync(database).mode & 0o777, 0o755)
      assert.equal((await tasuki(['user', 'create', 'bob@example.com'])).code, 0)
      assert.deepEqual(
        wide.map(path => statSync(path).mode & 0o777),
        [0o700, 0o600, 0o700, 0o600],
      )
      assert.equal(statSync(join(database, 'PG_VERSION')).mode & 0o777, 0o600)
      assert.equal((await tasuki(['doctor'])).code, 0)
    })
})
