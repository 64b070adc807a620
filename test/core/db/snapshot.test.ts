import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { TestHost } from 'tasuki/testing'
import { openEmbeddedDatabase } from '../../../core/db/embedded.ts'
import { openEmbedded } from '../../../core/db/pglite/client.ts'
import type { ReadRows, SnapshotTable } from '../../../core/db/snapshot.repository.ts'
import { HostError } from '../../../core/plugin/errors.ts'
import { forEachEngine } from '../../engines.ts'
import { hostOfSuite } from '../../host-pool.ts'
import { suiteScope } from '../suite-scope.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

async function collect(batches: AsyncIterable<readonly string[]>): Promise<{ id: string; name: string }[]> {
  const rows: string[] = []
  for await (const batch of batches) rows.push(...batch)
  return rows.map(row => JSON.parse(row) as { id: string; name: string })
}

forEachEngine('a snapshot', engine => {
  const scope = suiteScope()
  let database: TestHost['database']
  before(async () => {
    ;({ database } = await hostOfSuite(scope, { engine }))
    await sql`create table snapshot_rows (id int generated always as identity primary key, name text)`.execute(
      database.write,
    )
  })
  after(() => sql`drop table snapshot_rows`.execute(database.write))
  const all: SnapshotTable = { name: 'snapshot_rows', columns: ['id', 'name'], key: ['id'] }
  const insert = (names: readonly string[]) =>
    sql`insert into snapshot_rows (name) select * from json_array_elements_text(${JSON.stringify(names)}::json)`.execute(
      database.write,
    )
  const clean = () => sql`delete from snapshot_rows`.execute(database.write)
  const snapshot = <T>(table: SnapshotTable, work: (read: ReadRows) => Promise<T>): Promise<T> =>
    database.snapshot(
      async () => ({ tables: [table] }),
      (_captured, read) => work(read),
    )

  test('has the rows of its instant, whatever others write before they are read', async () => {
    await insert(['snapshot 1', 'snapshot 2'])
    const rows = await snapshot(all, async read => {
      await clean()
      await insert(['snapshot 3'])
      return collect(read(all))
    })
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), ['snapshot 1', 'snapshot 2'])
    await clean()
  })

  test('is read in batches, and others write between them', async () => {
    const names = Array.from({ length: 3000 }, (_, n) => `snapshot ${n} ${'long '.repeat(n % 500)}`)
    for (let n = 0; n < names.length; n += 500) await insert(names.slice(n, n + 500))
    const sizes: number[] = []
    const rows = await snapshot(all, async read => {
      const found: string[] = []
      for await (const batch of read(all)) {
        sizes.push(batch.reduce((sum, { length }) => sum + length, 0))
        found.push(...batch)
        await insert(['snapshot meanwhile'])
      }
      return found.map(row => (JSON.parse(row) as { name: string }).name)
    })
    assert.deepEqual(rows.toSorted(), names.toSorted())
    assert.ok(sizes.length > 3 && Math.max(...sizes) < 1_500_000, String(sizes))
    await clean()
  })

  test('of rows of megabytes reads one at a time', async () => {
    for (let n = 0; n < 6; n++) await insert([`snapshot ${'x'.repeat(2_000_000)}`])
    const counts = await snapshot(all, async read => {
      const found: number[] = []
      for await (const batch of read(all)) found.push(batch.length)
      return found
    })
    assert.deepEqual(counts, [1, 1, 1, 1, 1, 1])
    await clean()
  })

  test('without rows is empty, and leaves nothing behind after a failure', async () => {
    const none = { ...all, where: sql<boolean>`false` }
    assert.deepEqual(await snapshot(none, read => collect(read(none))), [])
    await insert(['snapshot 1'])
    await assert.rejects(
      snapshot(all, () => Promise.reject(new Error('the disk is full'))),
      /the disk is full/,
    )
    const { rows } = await sql`select relname from pg_class where relname ~ '^snapshot_[0-9]'`.execute(database.write)
    assert.deepEqual(rows, [])
    await clean()
  })
})

const root = mkdtempSync(join(tmpdir(), 'tasuki-snapshot-'))
after(() => rmSync(root, { recursive: true, force: true }))
const engineOnly = { skip: process.env['TEST_ENGINE'] === 'postgres' && 'needs the embedded database' }

test('a restart of the embedded database ends a snapshot with what to do', engineOnly, async () => {
  const database = await openEmbeddedDatabase({
    dataDir: join(root, 'restarted'),
    queryTimeout: 300,
    plugins: [],
    log: quiet,
  })
  try {
    await database.embedded!.exec('create table numbers as select generate_series(1, 1000) as n')
    const table = { name: 'numbers', columns: ['n'], key: [] }
    const run = database.snapshot(
      async () => ({ tables: [table] }),
      async (_captured, rows) => {
        await assert.rejects(
          database.embedded!.query(
            'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r',
          ),
          { code: '57014' },
        )
        return collect(rows(table))
      },
    )
    await assert.rejects(
      run,
      (error: Error) => error instanceof HostError && /restarted.*try again/.test(error.message),
    )
  } finally {
    await database.close()
  }
})

test('files of temporary tables of a killed process are removed when the database opens', engineOnly, async () => {
  const dataDir = join(root, 'killed')
  const open = () => openEmbedded({ dataDir, queryTimeout: 10_000, log: quiet })
  await (await open()).close()
  const folder = join(
    dataDir,
    'base',
    readdirSync(join(dataDir, 'base')).find(name => /^\d+$/.test(name))!,
  )
  const left = ['t3_16999', 't3_16999_fsm', 't12_16999.1']
  for (const name of left) writeFileSync(join(folder, name), 'x'.repeat(8192))
  mkdirSync(join(dataDir, 'base', 'pgsql_tmp'))
  await (await open()).close()
  const names = readdirSync(folder)
  assert.deepEqual(
    left.filter(name => names.includes(name)),
    [],
  )
  assert.ok(names.includes('PG_VERSION') && names.length > 100)
})
