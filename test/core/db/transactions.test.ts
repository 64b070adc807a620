import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { fixedPlan } from 'tasuki/plugin'
import type { TestHost } from 'tasuki/testing'
import { openPostgres } from '../../../core/db/postgres.ts'
import { forEachEngine } from '../../engines.ts'
import { hostOfSuite } from '../../host-pool.ts'
import { suiteScope } from '../suite-scope.ts'

type Db = TestHost['database']['write']

/** Statements are prepared from the third run on; from then on they carry the preceding `begin` along. */
const TIMES = 5
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

const divide = (db: Db, by: unknown) => sql<{ n: number }>`select 6 / ${by}::int as n`.execute(db)
const keyed = (db: Db) => sql`select ${fixedPlan} id from core.users where id = ${crypto.randomUUID()}`.execute(db)

/** Starts a proxy that counts the messages to a server. */
async function countingProxy(to: string) {
  const { hostname, port } = new URL(to)
  let messages = 0
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    client.on('data', () => messages++)
    client.pipe(upstream).pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(to)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: url.href, messages: () => messages, close: () => server.close() }
}

forEachEngine('a transaction', engine => {
  let database: TestHost['database']
  const scope = suiteScope()
  before(async () => {
    ;({ database } = await hostOfSuite(scope, { engine }))
  })

  test('that has failed in its first statement refuses the next one', async () => {
    for (let n = 0; n < TIMES; n++) {
      const work = database.write.transaction().execute(async trx => {
        await assert.rejects(divide(trx, 0), { code: '22012' })
        await divide(trx, 1)
      })
      await assert.rejects(work, { code: '25P02' })
      assert.deepEqual((await divide(database.write, 2)).rows, [{ n: 3 }])
    }
  })

  test('whose failed statement was caught cannot be committed, because the database has rolled it back', async () => {
    for (let n = 0; n < TIMES; n++) {
      const work = database.write.transaction().execute(async trx => {
        await divide(trx, 1)
        await assert.rejects(divide(trx, 0), { code: '22012' })
      })
      await assert.rejects(work, /nothing was saved/)
      assert.deepEqual((await divide(database.write, 2)).rows, [{ n: 3 }])
    }
  })

  test('has begun for the second statement where a value of the first one could not be sent', async () => {
    const mark = `mark-${engine}`
    for (let n = 0; n < TIMES; n++) {
      const work = database.write.transaction().execute(async trx => {
        await assert.rejects(divide(trx, { toPostgres: () => assert.fail('no value') }), /no value/)
        await trx
          .insertInto('core.plugins')
          .values({ name: mark, enabled: false, seen_at: new Date(), version: '1' })
          .execute()
        throw new Error('changed its mind')
      })
      await assert.rejects(work, /changed its mind/)
      const left = await database.write.selectFrom('core.plugins').selectAll().where('name', '=', mark).execute()
      assert.deepEqual(left, [])
    }
  })

  test('without a statement leaves no transaction open', async () => {
    for (let n = 0; n < TIMES; n++) {
      await database.write.transaction().execute(async () => {})
      await assert.rejects(
        database.write.transaction().execute(() => Promise.reject(new Error('changed its mind'))),
        /changed its mind/,
      )
      assert.deepEqual((await divide(database.write, 2)).rows, [{ n: 3 }])
    }
  })

  test(
    'sends its beginning, and how to plan, together with the statement that follows',
    { skip: engine === 'pglite' && 'the embedded database has no connections' },
    async () => {
      const proxy = await countingProxy(database.url!)
      const options = { url: proxy.url, replicaUrl: null, poolSize: 1, queryTimeout: 10_000, plugins: [], log: quiet }
      const opened = await openPostgres(options)
      try {
        const work = (): Promise<void> =>
          opened.write.transaction().execute(async trx => {
            await divide(trx, 1)
            await keyed(trx)
          })
        for (let n = 0; n < TIMES; n++) await work()
        const sent = proxy.messages()
        await work()
        assert.equal(proxy.messages() - sent, 3, 'the two statements and the commit')
      } finally {
        await opened.close()
        proxy.close()
      }
    },
  )
})
