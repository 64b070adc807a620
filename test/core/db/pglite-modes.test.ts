import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openEmbedded, type EmbeddedDatabase } from '../../../core/db/pglite/client.ts'
import { databasePaths, findExposedPaths, restrictAccess } from '../../../core/db/pglite/private-folder.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const skip = process.platform === 'win32' && 'Windows has no modes'

describe('the folder of the embedded database is accessible to its owner only', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-modes-'))
  const dataDir = join(folder, 'made', 'database')
  const open = (): Promise<EmbeddedDatabase> => openEmbedded({ dataDir, queryTimeout: 60_000, log: quiet })
  const all = (): string[] =>
    readdirSync(join(folder, 'made'), { recursive: true, encoding: 'utf8' }).map(name => join(folder, 'made', name))
  const openToOthers = (): string[] => all().filter(path => (statSync(path).mode & 0o077) !== 0)
  let umask: number
  before(() => {
    umask = process.umask(0o022)
  })
  after(() => {
    process.umask(umask)
    rmSync(folder, { recursive: true, force: true })
  })

  test('when it is new, with its lock and the files that the engine adds', async () => {
    const db = await open()
    try {
      assert.ok(all().some(path => path.endsWith('database.lock')))
      assert.equal(statSync(join(folder, 'made')).mode & 0o777, 0o700)
      assert.deepEqual(openToOthers(), [])
      const before = new Set(all())
      await db.exec('create table made (n int, text text)')
      await db.exec(`insert into made select n, repeat(md5(n::text), 20) from generate_series(1, 40000) n`)
      await db.exec('create index on made (text)')
      await db.vacuum()
      const added = all().filter(path => !before.has(path))
      assert.ok(added.some(path => path.includes('pg_wal')) && added.some(path => path.includes('base')))
      assert.deepEqual(openToOthers(), [])
    } finally {
      await db.close()
    }
    assert.deepEqual(openToOthers(), [])
  })

  test('when it existed with wider modes', () => {
    for (const path of all()) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644)
    const paths = databasePaths(dataDir)
    assert.deepEqual(findExposedPaths(paths), [dataDir, `${dataDir}.lock`])
    restrictAccess(paths)
    assert.deepEqual(findExposedPaths(paths), [])
    assert.deepEqual(openToOthers(), [])
  })

  test('also when it is a link, whose target keeps its mode', () => {
    const target = join(folder, 'target')
    const link = join(folder, 'link')
    mkdirSync(target, { mode: 0o755 })
    symlinkSync(target, link)
    assert.deepEqual(findExposedPaths([link]), [link])
    restrictAccess([link])
    assert.equal(statSync(target).mode & 0o777, 0o700)
    assert.deepEqual(findExposedPaths([link]), [])
  })
})
