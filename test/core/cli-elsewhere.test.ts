import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../core/testing/database.ts'
import { noPostgres } from '../engines.ts'
import { serve, TASUKI, type Ended } from '../processes.ts'
import { eventually } from '../eventually.ts'
import { inProcess } from './in-process.ts'

describe('a command that runs elsewhere than the service', { skip: noPostgres }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tasuki-elsewhere-'))
  const BASE_URL = 'https://tasks.example.com'
  let database: TestDatabase
  const tasuki = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
    inProcess(args, { DATABASE_URL: database.url, DATA_DIR: join(folder, 'service'), ...env })

  before(async () => {
    database = await createTestDatabase()
    const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'service'), BASE_URL }
    const { stop, origin } = await serve(TASUKI, { cwd: folder, env })
    // The authorization server makes its keys after the start.
    await eventually(async () => assert.equal((await fetch(`${origin}/oauth/jwks`)).status, 200))
    await stop()
  })
  after(async () => {
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('notes that an address is not that of BASE_URL', async () => {
    const linked = await tasuki(['code', 'link', 'INBOX', 'github', 'acme/one'], { PORT: '3000' })
    assert.match(linked.stdout, /http:\/\/localhost:3000\/hooks\//)
    assert.match(linked.stderr, /^note: BASE_URL is not set here; if the service has it, .*http:\/\/localhost:3000\n$/)
    const known = await tasuki(['code', 'link', 'INBOX', 'github', 'acme/two'], { BASE_URL })
    assert.match(known.stdout, /https:\/\/tasks\.example\.com\/hooks\//)
    assert.equal(known.stderr, '')
    assert.equal((await tasuki(['user', 'list'], {})).stderr, '')
  })

  test('notes that its key is not that of the service, which could not read what it encrypts', async () => {
    const elsewhere = { BASE_URL, DATA_DIR: join(folder, 'elsewhere') }
    const { code, stderr } = await tasuki(['code', 'link', 'INBOX', 'github', 'acme/three'], elsewhere)
    assert.equal(code, 0)
    const other = /^note: .*another SECRET_KEY \(or secret\.key\), .* run it again with their key; .*\n$/
    assert.match(stderr, other)
    assert.match((await tasuki(['backup', join(folder, 'backup.tar.gz')], elsewhere)).stderr, other)
    assert.equal((await tasuki(['user', 'list'], elsewhere)).stderr, '')
  })
})
