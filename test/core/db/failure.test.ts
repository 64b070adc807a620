import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOutcomeUnknown, isUnavailable } from '../../../core/db/failure.ts'
import { openPostgres } from '../../../core/db/postgres.ts'
import { startChangeFeed } from '../../../core/runtime/change-feed.ts'
import { createTestDatabase } from '../../../core/testing/database.ts'
import { faultyNetwork } from '../../network-fault-host.ts'

const failure = (code: string) => new Error('wrapped', { cause: Object.assign(new Error(code), { code }) })

test('network errors without a route to the database mean that it is unavailable', () => {
  for (const code of ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ECONNABORTED', 'ECONNREFUSED', '25P03', '57P01'])
    assert.ok(isUnavailable(failure(code)), code)
  for (const code of ['23503', '23505', '42P01', '0A000', '25P02']) assert.ok(!isUnavailable(failure(code)), code)
  assert.ok(isOutcomeUnknown(failure('08007')))
})

test(
  'a listener of changes is removed if the other instances cannot be asked to notify it',
  { skip: process.env['TEST_ENGINE'] === 'pglite' && 'only PostgreSQL has other instances' },
  async t => {
    const { url, drop } = await createTestDatabase()
    const network = await faultyNetwork(new URL(url))
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const options = { url: network.url, replicaUrl: null, poolSize: 2, queryTimeout: 5000, plugins: [], log }
    const database = await openPostgres(options)
    t.after(async () => {
      await network.close()
      await database.close()
      await drop()
    })
    const feed = await startChangeFeed(database, log)
    t.after(() => feed.stop())
    await network.cut()
    let calls = 0
    await assert.rejects(feed.listen(() => void calls++))
    calls = 0
    feed.publish(['item/1'])
    await new Promise(done => setTimeout(done, 400))
    assert.equal(calls, 0)
  },
)
