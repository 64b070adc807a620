import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../../core/testing/database.ts'
import { noPostgres } from '../engines.ts'
import { freePort } from '../packaging/proxies.ts'
import { run, serve, TASUKI, TASUKI_ITSELF } from '../processes.ts'
import { inProcess } from './in-process.ts'
import { migratedFolder } from './migrated-folder.ts'

test(
  'the embedded database that was copied to PostgreSQL is refused until its mark is deleted',
  { skip: noPostgres },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'tasuki-moved-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const DATA_DIR = join(folder, 'data')
    const database = join(DATA_DIR, 'database')
    const mark = `${database}.moved`
    const { url, drop } = await createTestDatabase({ empty: true })
    t.after(drop)
    const { host, pathname, username } = new URL(url)
    await migratedFolder(DATA_DIR)
    const here = (...args: string[]) => inProcess(args, { DATA_DIR })
    const there = (...args: string[]) => inProcess(args, { DATA_DIR, DATABASE_URL: url })

    await here('migrate')
    assert.equal((await here('user', 'create', 'bob@example.com')).code, 0)
    const copied = await here('copy', '--to', url)
    assert.equal(copied.code, 0, copied.stderr)
    assert.ok(copied.stdout.includes(`until ${mark} is deleted`), copied.stdout)
    assert.equal(readFileSync(mark, 'utf8'), `${host}${pathname}\n`)
    assert.ok(username !== '' && !readFileSync(mark, 'utf8').includes('@'))

    for (const args of [['user', 'disable', 'bob@example.com'], ['user', 'list'], ['start'], ['migrate']]) {
      const { code, stderr } = await here(...args)
      assert.equal(code, 1, args.join(' '))
      assert.match(stderr, /was copied to .*: set DATABASE_URL .*, or delete .*database\.moved/, args.join(' '))
    }
    const looked = await here('doctor')
    assert.equal(looked.code, 1)
    assert.match(looked.stdout, /^WRONG database: .* was copied to /m)
    assert.match((await there('user', 'list')).stdout, /bob@example\.com/)
    assert.doesNotMatch((await there('doctor')).stdout, /is not used/)

    renameSync(database, `${database}-old`)
    assert.match((await here('user', 'create', 'eve@example.com')).stderr, /was copied to /)
    const backup = join(folder, 'all.tar.gz')
    assert.equal((await there('backup', backup)).code, 0)
    assert.equal((await here('restore', backup)).code, 0)
    assert.match((await here('user', 'list')).stdout, /bob@example\.com/)
  },
)

test('a service that runs on its port is copied to PostgreSQL', { skip: noPostgres }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-moved-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { url, drop } = await createTestDatabase({ empty: true })
  t.after(drop)
  const where = { cwd: folder, env: { DATA_DIR: join(folder, 'data'), PORT: String(await freePort()) } }
  const server = await serve(TASUKI_ITSELF, where)
  t.after(() => server.stop())
  const { code, stdout, stderr } = await run(TASUKI, ['copy', '--to', url], where)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /Copied/)
})
