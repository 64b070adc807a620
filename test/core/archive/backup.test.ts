import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { json, uuid } from 'tasuki/plugin'
import { testHost, type Engine, type TestHost } from 'tasuki/testing'
import type { Manifest } from '../../../core/archive/format.ts'
import { verifyArchive } from '../../../core/archive/load.ts'
import { filesOfPlugins, writeFileAtomically } from '../../../core/host/archiver.ts'
import { copyDeployment, installedPlugins, loadInto } from '../../../core/host/load-archive.ts'
import { createTestDatabase } from '../../../core/testing/database.ts'
import { makeCaller } from '../../../core/testing/caller.ts'
import { eachCall } from '../../bench/statements.ts'
import { ENGINES, forEachEngine } from '../../engines.ts'
import { suiteScope } from '../suite-scope.ts'

const CONFIG = { plugins: { project_admin: {} } }
const STARTED = Date.parse('2026-06-09T01:00:00Z')
const WANTED = process.env['TEST_ENGINE'] ?? 'both'
const TARGETS = ENGINES.filter(engine => WANTED === 'both' || WANTED === engine)

/** Adds a file that waits for its import, and has no tool. */
async function addUpload({ database, userId: owner_id }: TestHost): Promise<void> {
  const id = uuid()
  const at = new Date(STARTED).toISOString()
  await database.write
    .insertInto('transfer.uploads')
    .values({
      owner_id,
      id,
      filename: 'waiting.csv',
      size: 9,
      format: 'csv',
      columns: json({ title: 'Summary' }),
      states: json({}),
      state: 'draft',
      total: 1,
      created_at: at,
      updated_at: at,
      expires_at: '2099-01-01T00:00:00Z',
    })
    .execute()
  const bytes = Buffer.from('Summary\nA').toString('base64')
  await database.write.insertInto('transfer.chunks').values({ owner_id, upload_id: id, n: 0, bytes }).execute()
}

forEachEngine('archives', engine => {
  const scope = suiteScope()
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-archive-'))
  scope.after(() => rmSync(folder, { recursive: true, force: true }))
  const secret = randomBytes(32)
  const dataDir = join(folder, 'original')
  const archive = join(folder, 'all.tar.gz')
  const reads: { tool: string; args: object }[] = []
  let frozen: Date | null = null
  /** Answers and digests of the original. */
  let answered: readonly string[]
  let digests: Readonly<Record<string, string>>
  const began = Date.now()
  const now = (): Date => frozen ?? new Date(STARTED + Date.now() - began)
  let host: TestHost
  let deployments = 0

  /** Creates an empty database and folder. */
  const emptyTarget = async (kind: Engine) => {
    const name = join(folder, `target-${++deployments}`)
    if (kind === 'pglite') return { dataDir: name, database: { engine: kind, dataDir: join(name, 'database') } }
    const { url, drop } = await createTestDatabase({ empty: true })
    scope.after(drop)
    return { dataDir: name, database: { engine: kind, url, replicaUrl: null } }
  }
  type Target = Awaited<ReturnType<typeof emptyTarget>>
  const restore = async (target: Target, file = archive) => {
    const options = { ...host.options, ...target, warmUp: false }
    const plugins = await installedPlugins(options)
    await verifyArchive(createReadStream(file), plugins)
    return loadInto(options, {
      source: createReadStream(file),
      compressed: true,
      plugins,
      files: filesOfPlugins(host.registry, target.dataDir),
    })
  }
  const open = (t: { after(work: () => Promise<void> | void): void }, target: Target): Promise<TestHost> =>
    testHost(t, { ...target, secret, now, config: CONFIG, baseUrl: 'http://localhost:3000' })
  /** Collects the answers of every reading tool to the owner, byte for byte. */
  const answers = async ({ app }: Pick<TestHost, 'app'>): Promise<readonly string[]> => {
    const caller = makeCaller(app, host.userId, host.token)
    const texts: string[] = []
    for (const { tool, args } of reads) {
      const { body } = await caller.rpc('tools/call', { name: tool, arguments: args })
      texts.push(`${tool}: ${JSON.stringify(body.result ?? body.error)}`)
    }
    return texts
  }
  const digestOf = async ({ database }: Pick<TestHost, 'database'>): Promise<Record<string, string>> => {
    const { rows } = await sql<{ name: string }>`
      select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema', 'core_jobs') and table_type = 'BASE TABLE'
        and (table_schema, table_name) not in (('core', 'migrations'), ('core', 'plugins'), ('core', 'tokens'), ('core', 'audit')) order by 1`.execute(
      database.write,
    )
    const found: Record<string, string> = {}
    for (const { name } of rows) {
      const { rows: texts } = await sql<{ text: string }>`
        select row_to_json(t)::text as text from ${sql.raw(name)} t order by row_to_json(t)::text collate "C"`.execute(
        database.write,
      )
      // Tables of an extension may be missing on the other side. They may be skipped only while they are empty.
      if (texts.length === 0) continue
      found[name] = `${texts.length} ${createHash('sha256')
        .update(texts.map(({ text }) => text).join('\n'))
        .digest('hex')}`
    }
    return found
  }

  before(async () => {
    host = await testHost(scope, { engine, config: CONFIG, now, secret, dataDir, baseUrl: 'http://localhost:3000' })
    // Writing tools come after all reading tools and are not called.
    const over = new Error('all reading tools were there')
    await eachCall(host, 12, async (tool, kind, args) => {
      if (kind !== 'R') throw over
      reads.push({ tool, args })
    }).catch((error: unknown) => assert.equal(error, over))
    await addUpload(host)
    await host.calls.flush()
    await host.audit.flush('all')
    frozen = now()
    // Tools that read conversations come first: a second after any call its record changes their answers.
    const readsConversations = ({ tool }: { tool: string }): number => (/^me_|conversation/.test(tool) ? 0 : 1)
    reads.sort((a, b) => readsConversations(a) - readsConversations(b))
    const totals = await writeFileAtomically(archive, target => host.archiver.backup(target))
    assert.ok(totals.files >= 12 && totals.rows > 500, JSON.stringify(totals))
    assert.deepEqual(totals.missing, [])
    digests = await digestOf(host)
    answered = await answers(host)
  })

  for (const kind of TARGETS)
    test(`restored on ${kind}, every reading tool answers byte for byte as the original`, async t => {
      const target = await emptyTarget(kind)
      const { left } = await restore(target)
      const restored = await open(t, target)
      const tables = await digestOf(restored)
      assert.ok(tables['transfer.uploads'] && tables['transfer.chunks'])
      assert.deepEqual(tables, Object.fromEntries(Object.entries(digests).filter(([name]) => !left.includes(name))))
      const theirs = await answers(restored)
      for (const [n, text] of theirs.entries()) assert.equal(text, answered[n])
      assert.ok(theirs.length > 40 && theirs.filter(text => text.includes('"isError":true')).length < 3)
      t.diagnostic(`${theirs.length} tools, ${Object.keys(tables).length} tables`)
      const files = async (of: string) =>
        (await readdir(join(of, 'attachments', 'files'), { recursive: true })).toSorted()
      assert.deepEqual(await files(target.dataDir), await files(dataDir))
      // New numbers and ids follow the restored ones.
      await makeCaller(restored.app, host.userId, host.token).call('items_create', {
        project_key: 'STMT',
        title: 'After',
      })
    })

  for (const kind of TARGETS)
    test(`a copy into ${kind} during writes is a consistent snapshot of all tables`, async t => {
      const target = await emptyTarget(kind)
      const over = new AbortController()
      const writes = (async () => {
        while (!over.signal.aborted) await host.call('items_create', { project_key: 'INBOX', title: 'Meanwhile' })
      })()
      const to = target.database.engine === 'pglite' ? { folder: target.dataDir } : { url: target.database.url }
      await copyDeployment(host, to).finally(() => over.abort())
      await writes
      const dir = target.database.engine === 'pglite' ? target.dataDir : dataDir
      const copied = await open(t, { ...target, dataDir: dir })
      // The counter is ahead of every item number only if the copy has each transaction completely or not at all.
      const [{ torn }] = (await copied.sql<{ torn: number }>`
        select count(*)::int as torn from items.items i join items.counters c using (owner_id) where i.number >= c.next_number`) as [
        { torn: number },
      ]
      assert.equal(torn, 0)
      const { items } = await makeCaller(copied.app, host.userId, host.token).call('tasks_list', {
        project_key: 'STMT',
      })
      assert.ok(items.length > 0)
    })

  test('what is not empty is refused, and stays as it was', async () => {
    const target = await emptyTarget(engine)
    await restore(target)
    const refusal =
      engine === 'pglite' ? /there is a database in .* already; nothing was changed/ : /not empty; nothing was changed/
    await assert.rejects(restore(target), refusal)
    const to = target.database.engine === 'pglite' ? { folder: target.dataDir } : { url: target.database.url }
    await assert.rejects(copyDeployment(host, to), refusal)
  })

  test('a damaged archive is refused before anything is written', async () => {
    const bytes = await readFile(archive)
    const plain = gunzipSync(bytes)
    const changed = (find: string, replace: string): Buffer => {
      const at = plain.indexOf(find)
      assert.ok(at > 0, find)
      const copy = Buffer.from(plain)
      copy.write(replace, at)
      return gzipSync(copy)
    }
    const cases: Readonly<Record<string, Buffer>> = {
      empty: Buffer.alloc(0),
      text: Buffer.from('no archive at all'),
      cut: bytes.subarray(0, bytes.length / 2),
      'cut within': gzipSync(plain.subarray(0, plain.length / 2)),
      'cut at an end of an entry': gzipSync(plain.subarray(0, 512 * 40)),
      changed: changed('Deploy part 3', 'Deploy part 4'),
      renamed: changed('tables/items.items', 'tables/items.itemz'),
    }
    for (const [name, content] of Object.entries(cases)) {
      const file = join(folder, `${name}.tar.gz`)
      writeFileSync(file, content)
      const target = await emptyTarget(engine)
      await assert.rejects(restore(target, file), /damaged/, name)
      const left = await readdir(target.dataDir).catch(() => [])
      if (target.database.engine === 'pglite')
        assert.deepEqual(
          left.filter(path => !path.startsWith('database.lock')),
          [],
          name,
        )
    }
  })

  test('an archive of a newer version is refused with what to do', async () => {
    const manifest = (change: (manifest: Manifest) => object): Buffer => {
      const plain = gunzipSync(readFileSync(archive))
      const size = Number.parseInt(plain.toString('latin1', 124, 135), 8)
      const storedManifest = JSON.parse(plain.toString('utf8', 512, 512 + size)) as Manifest
      // Same length, so that the tar headers stay valid.
      const text = JSON.stringify(change(storedManifest)).padEnd(size)
      assert.equal(Buffer.byteLength(text), size)
      const copy = Buffer.from(plain)
      copy.write(text, 512)
      return gzipSync(copy)
    }
    const file = join(folder, 'newer.tar.gz')
    const cases = [
      [manifest(storedManifest => ({ ...storedManifest, format: 99 })), /format 99.*run a newer version/],
      [
        manifest(storedManifest => ({
          ...storedManifest,
          migrations: [...storedManifest.migrations, 'core/9999_later'],
        })),
        /newer than this program.*core\/9999_later/,
      ],
      [
        manifest(storedManifest => ({
          ...storedManifest,
          plugins: [...storedManifest.plugins, { name: 'unheard', version: '1', enabled: true }],
        })),
        /data of unheard.*install/,
      ],
    ] as const
    for (const [bytes, expected] of cases) {
      writeFileSync(file, bytes)
      await assert.rejects(restore(await emptyTarget(engine), file), expected)
    }
  })
})
