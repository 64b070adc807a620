import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { testHost, type TestHost } from 'tasuki/testing'
import { findTables, insertRows, liftRules, restoreRules } from '../../../core/archive/tables.repository.ts'
import { makeTables } from '../../../core/db/migrate.ts'
import { migrationsOf, ownerOf } from '../../../core/db/migrations-of.ts'
import { createArchiver, filesOfPlugins, writeFileAtomically } from '../../../core/host/archiver.ts'
import { copyDeployment, installedPlugins, loadInto } from '../../../core/host/load-archive.ts'
import { openDatabase } from '../../../core/host/open-database.ts'
import { quietLog } from '../../../core/host/quiet-log.ts'
import { createTestDatabase } from '../../../core/testing/database.ts'
import { makeCaller } from '../../../core/testing/caller.ts'
import { eachCall } from '../../bench/statements.ts'
import { forEachEngine } from '../../engines.ts'
import { eventually } from '../../eventually.ts'
import { startObjectStore } from '../../plugins/attachments/object-store.ts'
import { suiteScope } from '../suite-scope.ts'

const CONFIG = { plugins: { project_admin: {} } }
const STARTED = Date.parse('2026-06-09T01:00:00Z')

forEachEngine('restoring', engine => {
  const scope = suiteScope()
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-restore-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  const secret = randomBytes(32)
  const dataDir = join(folder, 'original')
  const archive = join(folder, 'all.tar.gz')
  const began = Date.now()
  const common = { engine, now: () => new Date(STARTED + Date.now() - began), secret, baseUrl: 'http://localhost:3000' }
  const reads: { tool: string; args: object }[] = []
  let host: TestHost
  let targets = 0

  const emptyTarget = async () => {
    const name = join(folder, `target-${++targets}`)
    if (engine === 'pglite') return { dataDir: name, database: { engine, dataDir: join(name, 'database') } }
    const { url, drop } = await createTestDatabase({ empty: true })
    scope.after(drop)
    return { dataDir: name, database: { engine, url, replicaUrl: null } }
  }
  type Target = Awaited<ReturnType<typeof emptyTarget>>
  const restore = async (target: Target, file: string, { options, registry }: TestHost = host) => {
    const to = { ...options, ...target }
    return loadInto(to, {
      source: createReadStream(file),
      compressed: true,
      plugins: await installedPlugins(to),
      files: filesOfPlugins(registry, target.dataDir),
    })
  }
  const filesIn = async (dir: string): Promise<readonly string[]> => {
    const place = join(dir, 'attachments/files')
    return (await readdir(place, { recursive: true }).catch(() => [])).filter(path => path.includes('/')).toSorted()
  }

  before(async () => {
    host = await testHost(scope, { ...common, config: CONFIG, dataDir })
    const over = new Error('all reading tools were there')
    await eachCall(host, 12, async (tool, kind, args) => {
      if (kind !== 'R') throw over
      reads.push({ tool, args })
    }).catch((error: unknown) => assert.equal(error, over))
    await host.calls.flush()
    await host.audit.flush('all')
    await writeFileAtomically(archive, target => host.archiver.backup(target))
  })

  test('that fails removes the files that it has written, and only those', async () => {
    const plain = gunzipSync(readFileSync(archive))
    const at = plain.indexOf('"sha256":"', plain.lastIndexOf('contents.json'))
    plain.write(plain[at + 10] === 48 ? '1' : '0', at + 10)
    const damaged = join(folder, 'damaged.tar.gz')
    writeFileSync(damaged, gzipSync(plain))
    const target = await emptyTarget()
    const [first = ''] = await filesIn(dataDir)
    const existing = join(target.dataDir, 'attachments/files', first)
    mkdirSync(dirname(existing), { recursive: true })
    writeFileSync(existing, 'hello')
    await assert.rejects(restore(target, damaged), /damaged: .* was changed/)
    assert.deepEqual(await filesIn(target.dataDir), [first])
    await restore(target, archive)
    assert.deepEqual(await filesIn(target.dataDir), await filesIn(dataDir))
    assert.equal(readFileSync(existing, 'utf8'), readFileSync(join(dataDir, 'attachments/files', first), 'utf8'))
  })

  if (engine === 'pglite') {
    test('into a folder into which another restores is refused, and changes nothing', async () => {
      const target = await emptyTarget()
      const first = restore(target, archive)
      await eventually(() => assert.ok(existsSync(join(target.dataDir, 'database.loading/PG_VERSION'))))
      await assert.rejects(restore(target, archive), /database is in use by another tasuki process/)
      await first
      assert.deepEqual(await filesIn(target.dataDir), await filesIn(dataDir))
    })

    test('into a folder with other files is refused before anything is written', async () => {
      const target = await emptyTarget()
      mkdirSync(join(target.dataDir, 'database/other'), { recursive: true })
      await assert.rejects(restore(target, archive), /there are other files in .*database already; nothing was changed/)
      assert.deepEqual(await filesIn(target.dataDir), [])
    })

    test('on which the service cannot start leaves no files', async () => {
      const target = await emptyTarget()
      const broken = () => {
        throw new Error('the port is taken')
      }
      const options = { ...host.options, fastifyPlugins: [{ name: 'broken', plugin: broken, options: {} }] }
      await assert.rejects(restore(target, archive, { ...host, options }), /the port is taken/)
      assert.deepEqual(await filesIn(target.dataDir), [])
    })

    test('that was killed leaves no database behind where another one is made', async () => {
      const target = await emptyTarget()
      const draft = join(target.dataDir, 'database.loading')
      mkdirSync(draft, { recursive: true })
      const database = await openDatabase({ ...host.options, ...target }, [], quietLog)
      await database.close()
      assert.ok(!existsSync(draft))
    })
  }

  if (engine === 'postgres')
    test('on which the service cannot start says that the data is loaded, and why', async () => {
      const target = await emptyTarget()
      const database = await openDatabase({ ...host.options, ...target }, [], quietLog)
      const name = new URL((target.database as { url: string }).url).pathname.slice(1)
      await sql`alter database ${sql.ref(name)} set statement_timeout = 1`.execute(database.write)
      await database.close()
      await assert.rejects(restore(target, archive), {
        name: 'HostError',
        message:
          /^the data is loaded, but the service does not start on it: .+; mend that, and start again with an empty/,
      })
    })

  const all = async () => migrationsOf(await installedPlugins(host.options)).map(({ name }) => name)
  const earlier: Readonly<Record<string, (names: readonly string[]) => readonly string[]>> = {
    'one migration of each plugin ago': names =>
      names.filter((name, n) => name.includes('/0001_') || ownerOf(names[n + 1] ?? '/') === ownerOf(name)),
    'with the first migration of each plugin': names => names.filter(name => name.includes('/0001_')),
  }
  // The embedded database takes many times as long to create, and the migrations are the same.
  const steps = Object.entries(earlier).slice(engine === 'postgres' ? 0 : -1)
  for (const [what, choose] of steps)
    test(`an archive ${what} is loaded as it was and migrated forward`, async t => {
      const names = await all()
      const migrations = choose(names)
      assert.ok(migrations.length < names.length)
      const plugins = await installedPlugins(host.options)
      const old = await emptyTarget()
      const database = await openDatabase({ ...host.options, ...old }, plugins, quietLog)
      const file = join(folder, `${what}.tar.gz`)
      const rows = new Map<string, readonly string[]>()
      try {
        // Copies the rows as the older version had them: only its tables and columns.
        await makeTables(database, { plugins, migrations }, async db => {
          const schemas = ['core', ...plugins.map(({ name }) => name)]
          const lifted = await liftRules(db, schemas)
          const here = new Map(
            (await findTables(host.database.write, schemas)).map(table => [table.name, table.columns]),
          )
          for (const found of await findTables(db, schemas)) {
            const table = { ...found, columns: found.columns.filter(column => here.get(found.name)?.includes(column)) }
            if (table.columns.length === 0) continue
            // Columns that became nullable later.
            const { rows: notNull } = await sql<{ name: string }>`
              select attname as name from pg_attribute
              where attrelid = ${found.name}::regclass and attnotnull and attnum > 0 and not attisdropped`.execute(db)
            const required = notNull.map(({ name }) => name).filter(name => table.columns.includes(name))
            const complete = sql.join(
              required.map(name => sql`${sql.ref(name)} is not null`).concat(sql`true`),
              sql` and `,
            )
            const columns = sql.join(table.columns.map(column => sql.ref(column)))
            const { rows: kept } = await sql<{ row: string }>`
              select row_to_json(r)::text as row from (select ${columns} from ${sql.table(table.name)} where ${complete}) r order by 1`.execute(
              host.database.write,
            )
            const texts = kept.map(({ row }) => row)
            rows.set(table.name, texts)
            if (texts.length > 0) await insertRows(db, table, texts.join('\n'))
          }
          await restoreRules(db, schemas, lifted)
        })
        const registry = host.registry
        const archiver = createArchiver({ database, registry, dataDir, secret, now: common.now })
        await writeFileAtomically(file, target => archiver.backup(target))
      } finally {
        await database.close()
      }
      const target = await emptyTarget()
      const { manifest } = await restore(target, file)
      assert.deepEqual(manifest.migrations.toSorted(), migrations.toSorted())
      const restored = await testHost(t, { ...common, ...target, config: CONFIG })
      const done = await restored.sql<{ name: string }>`select name from core.migrations`
      assert.deepEqual(done.map(({ name }) => name).toSorted(), names.toSorted())
      let same = 0
      for (const [table, texts] of rows) {
        const [{ count }] = (
          await sql<{ count: number }>`
          select count(*)::int as count from ${sql.table(table)}`.execute(restored.database.write)
        ).rows as [{ count: number }]
        // The start itself writes these tables: enabled plugins, migration compatibility, audit trail, the token of the test.
        if (/^core\.(plugins|audit|migration_compatibility|tokens)$/.test(table)) continue
        assert.equal(count, texts.length, table)
        same++
      }
      assert.ok(same > 40, `${same} tables`)
      const caller = makeCaller(restored.app, host.userId, host.token)
      const failed: string[] = []
      for (const { tool, args } of reads) {
        const { body } = await caller.rpc('tools/call', { name: tool, arguments: args })
        const text = JSON.stringify(body)
        if (/"code\\?":\\?"(internal|unavailable)/.test(text) || body.error) failed.push(`${tool}: ${text}`)
      }
      assert.deepEqual(failed, [])
      t.diagnostic(`${migrations.length} of ${names.length} migrations, ${same} tables, ${reads.length} reading tools`)
    })

  /** Opens a host that stores one file in a bucket. */
  const hostWithBucket = async (t: TestContext) => {
    const store = await startObjectStore()
    t.after(() => store.close())
    const inBucket = await testHost(t, { ...common, config: { plugins: { attachments: store.settings } } })
    const { item } = await inBucket.call('items_create', { project_key: 'INBOX', title: 'With a file' })
    const { attachment } = await inBucket.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: item.ref,
      filename: 'a.txt',
      mime_type: 'text/plain',
      content_base64: Buffer.from('in a bucket').toString('base64'),
    })
    const [key = ''] = await store.keys()
    return { store, inBucket, attachment: attachment as { id: string }, key }
  }

  test('files in a bucket are backed up, and restored to the bucket and to a disk', async t => {
    const { store, inBucket, attachment, key } = await hostWithBucket(t)
    assert.ok(key.endsWith(attachment.id))
    const file = join(folder, 'bucket.tar.gz')
    const { files } = await writeFileAtomically(file, target => inBucket.archiver.backup(target))
    assert.equal(files, 1)

    await store.remove(key)
    const missing = await writeFileAtomically(join(folder, 'missing.tar.gz'), target =>
      inBucket.archiver.backup(target),
    )
    assert.deepEqual(missing.missing, [`files/attachments/${key}`])
    await restore(await emptyTarget(), file, inBucket)
    assert.deepEqual(await store.keys(), [key])

    const target = await emptyTarget()
    await restore(target, file)
    assert.equal(readFileSync(join(target.dataDir, 'attachments/files', key), 'utf8'), 'in a bucket')

    if (engine === 'pglite') return
    const broken = join(folder, 'broken.tar.gz')
    const bytes = gunzipSync(readFileSync(file))
    bytes.write('In', bytes.indexOf('in a bucket'))
    writeFileSync(broken, gzipSync(bytes))
    await assert.rejects(restore(await emptyTarget(), broken, inBucket), /damaged/)
    assert.deepEqual(await store.keys(), [key], 'it was there before')
    await store.remove(key)
    await assert.rejects(restore(await emptyTarget(), broken, inBucket), /damaged/)
    assert.deepEqual(await store.keys(), [])
  })

  test('files in a bucket are copied to a disk, to another bucket and from a disk, and shared files are listed', async t => {
    const { store, inBucket, attachment, key } = await hostWithBucket(t)
    const place = async () => {
      const { dataDir: folder, database } = await emptyTarget()
      const to = database.engine === 'postgres' ? { url: database.url } : { folder }
      return { to, at: { dataDir: database.engine === 'postgres' ? inBucket.dataDir : folder, database } }
    }
    const shared = await place()
    const kept = await copyDeployment(inBucket, shared.to)
    assert.equal(kept.files, 0)
    assert.match(kept.shared.join(), /^bucket attachments under tests/)

    const disk = await place()
    const onDisk = await copyDeployment(inBucket, disk.to, { attachments: {} })
    assert.deepEqual([onDisk.files, onDisk.shared], [1, []])
    const copied = await testHost(t, { ...common, ...disk.at })
    const read = async (of: TestHost) => {
      const caller = makeCaller(of.app, inBucket.userId, inBucket.token)
      const { download_url: url } = await caller.call('attachments_download', { attachment_id: attachment.id })
      const { pathname, search } = new URL(url)
      return (await of.app.inject({ url: pathname + search })).body
    }
    assert.equal(await read(copied), 'in a bucket')

    const prefix = { s3: { ...(store.settings as { s3: object }).s3, prefix: `other-${Date.now()}-${engine}/` } }
    const bucket = await place()
    assert.equal((await copyDeployment(copied, bucket.to, { attachments: prefix })).files, 1)
    const again = await testHost(t, { ...common, ...bucket.at, config: { plugins: { attachments: prefix } } })
    assert.equal(await read(again), 'in a bucket')
    assert.deepEqual(await store.keys(), [key], 'existing files stay')
    await assert.rejects(copyDeployment(inBucket, (await place()).to, { nonsense: {} }), /no plugin that is on/)
  })

  test('a file of several megabytes is streamed both ways', async () => {
    const bytes = Buffer.from(randomBytes(1_500_000).toString('hex'))
    const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'With a large file' })
    const { attachment } = await host.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: item.ref,
      filename: 'large.txt',
      mime_type: 'text/plain',
      content_base64: bytes.toString('base64'),
    })
    const file = join(folder, 'large.tar.gz')
    await writeFileAtomically(file, target => host.archiver.backup(target))
    const target = await emptyTarget()
    await restore(target, file)
    const path = (await filesIn(target.dataDir)).find(each => each.endsWith(attachment.id))!
    assert.ok(readFileSync(join(target.dataDir, 'attachments/files', path)).equals(bytes))
  })
})
