import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openEmbedded, type EmbeddedDatabase } from '../../../core/db/pglite/client.ts'
import { preopenDatabase, closePreopened } from '../../../core/db/pglite/preopen.ts'
import { HostError } from '../../../core/plugin/errors.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

describe('a database that is opened early', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-preopened-'))
  const dataDir = join(folder, 'database')
  const open = (): Promise<EmbeddedDatabase> => openEmbedded({ dataDir, queryTimeout: 10_000, log: quiet })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('is the one that is used later, with notifications and the query limit', async () => {
    preopenDatabase(dataDir)
    const db = await open()
    try {
      await db.exec('create table kept (n int)')
      const notified = new Promise<string>(tell => void db.listen('bell', tell))
      await db.query(`select pg_notify('bell', 'ring')`)
      assert.equal(await notified, 'ring')
      // `open` took over the preopened database, so this closes nothing.
      await closePreopened()
      await db.query('insert into kept values (1)')
      await assert.rejects(open(), HostError)
    } finally {
      await db.close()
    }
  })

  test('is closed if nobody uses it', async () => {
    preopenDatabase(dataDir)
    await closePreopened()
    const db = await open()
    assert.deepEqual((await db.query('select n from kept')).rows, [{ n: 1 }])
    await db.close()
  })

  test('is not opened early if another process holds the folder; the usual error follows', async () => {
    const first = await open()
    preopenDatabase(dataDir)
    await assert.rejects(open(), /in use by another tasuki process/)
    await first.close()
    await (await open()).close()
  })

  test('is not opened early in a folder with other files', async () => {
    preopenDatabase(import.meta.dirname)
    await closePreopened()
    assert.ok(!existsSync(join(import.meta.dirname, 'PG_VERSION')))
    rmSync(`${import.meta.dirname}.lock`, { force: true })
  })
})
