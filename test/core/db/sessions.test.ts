import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import type { TestHost } from 'tasuki/testing'
import { openPostgres } from '../../../core/db/postgres.ts'
import { isUnavailable } from '../../../core/db/failure.ts'
import { forEachEngine } from '../../engines.ts'
import { hostOfSuite } from '../../host-pool.ts'
import { suiteScope } from '../suite-scope.ts'

/** Statements are prepared from the third run on, and their results are then decoded differently. */
const TIMES = 5

forEachEngine('a connection', engine => {
  const scope = suiteScope()
  let database: TestHost['database']
  before(async () => {
    ;({ database } = await hostOfSuite(scope, { engine }))
  })

  test('returns the same rows however often a statement is sent', async () => {
    const read = (n: number, text: string | null) =>
      sql`select ${n}::int as n, ${text}::text as "t x", 'b' as same, 'c' as same, '{"a":[1]}'::jsonb as json, now()::date as day, array[${n}::int8] as big
        from generate_series(1, 2)`.execute(database.read)
    for (let n = 0; n < TIMES; n++) {
      const { rows, numAffectedRows } = await read(n, n % 2 === 0 ? null : 'ü\u0001')
      assert.equal(numAffectedRows, undefined)
      assert.equal(rows.length, 2)
      const [{ day, ...row }] = rows as [Record<string, unknown>]
      assert.match(String(day), /^\d{4}-\d\d-\d\d$/)
      assert.deepEqual(row, {
        n,
        't x': n % 2 === 0 ? null : 'ü\u0001',
        same: 'c',
        json: { a: [1] },
        big: [String(n)],
      })
    }
  })

  test('reports the number of written rows, and none for a command without rows', async () => {
    for (let n = 0; n < TIMES; n++) {
      const { rows, numAffectedRows } =
        await sql`update core.users set email = email where id <> ${'00000000-0000-0000-0000-000000000000'}`.execute(
          database.write,
        )
      assert.deepEqual(rows, [])
      assert.ok(numAffectedRows! > 0n)
    }
    const { rows } = await sql`select 1 as a; select 2 as b`.execute(database.write)
    assert.deepEqual(rows, [{ b: 2 }])
  })

  test('works after a failed statement, whatever the reason', async () => {
    await database.write.connection().execute(async one => {
      const divide = (by: unknown) => sql<{ n: number }>`select 6 / ${by}::int as n`.execute(one)
      const circular: unknown[] = []
      circular.push(circular)
      for (let n = 0; n < TIMES; n++) {
        assert.deepEqual((await divide(2)).rows, [{ n: 3 }])
        await assert.rejects(divide(0), { code: '22012' })
        await assert.rejects(divide('x'), { code: '22P02' })
        await assert.rejects(divide({ toPostgres: () => assert.fail('no value') }), /no value/)
        await assert.rejects(divide({ a: circular }), TypeError)
        await assert.rejects(sql`select ${n} from nowhere`.execute(one), { code: '42P01' })
      }
      assert.deepEqual((await divide(3)).rows, [{ n: 2 }])
    })
  })

  test(
    'with an outdated prepared statement is closed, and the next one serves',
    { skip: engine === 'pglite' && 'only PostgreSQL has other instances' },
    async () => {
      // One connection, and one process that migrates, as when a new version starts next to the old one.
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const options = { url: database.url!, replicaUrl: null, poolSize: 1, queryTimeout: 10_000, plugins: [], log }
      const opened = await openPostgres(options)
      try {
        const read = () => sql`select * from public.growing where n = ${1}`.execute(opened.write)
        await sql`create table public.growing (n int)`.execute(database.write)
        await sql`insert into public.growing values (1)`.execute(database.write)
        for (let n = 0; n < TIMES; n++) assert.deepEqual((await read()).rows, [{ n: 1 }])
        await sql`alter table public.growing add m int default 2`.execute(database.write)
        await assert.rejects(read(), (error: unknown) => isUnavailable(error))
        for (let n = 0; n < TIMES; n++) assert.deepEqual((await read()).rows, [{ n: 1, m: 2 }])
      } finally {
        await sql`drop table if exists public.growing`.execute(database.write)
        await opened.close()
      }
    },
  )

  test(
    'stays open when a known statement asks for something that PostgreSQL does not support',
    { skip: engine === 'pglite' && 'only PostgreSQL has connections' },
    async () => {
      await database.write.connection().execute(async one => {
        const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(one)).rows[0]!.pid
        const bin = (stride: string) =>
          sql`select date_bin(${stride}::interval, '2026-01-01'::timestamp, '2020-01-01'::timestamp)`.execute(one)
        const before = await pid()
        for (let n = 0; n < TIMES; n++) await bin('1 day')
        await assert.rejects(bin('1 month'), (error: unknown) => {
          assert.equal((error as { code?: string }).code, '0A000')
          return !isUnavailable(error)
        })
        assert.equal(await pid(), before)
      })
    },
  )

  test('includes the caller in the stack of an error', async () => {
    const askInVain = async (): Promise<void> => {
      await sql`select ${1} from nowhere`.execute(database.read)
    }
    for (let n = 0; n < TIMES; n++) {
      await assert.rejects(askInVain(), (error: Error) => {
        assert.match(error.stack!, /askInVain/)
        return true
      })
    }
  })

  test('answers each of many parallel statements correctly', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const { rows } = await sql<{ n: number }>`select ${n}::int as n`.execute(database.read)
        return rows[0]!.n
      }),
    )
    assert.deepEqual(
      answers,
      Array.from({ length: 200 }, (_, n) => n),
    )
  })

  test(
    'uses the options of the address and those of the service',
    { skip: engine === 'pglite' && 'only PostgreSQL has connections' },
    async () => {
      const setting = async (parameters: string, name: string): Promise<unknown> => {
        const log = { debug() {}, info() {}, warn() {}, error() {} }
        const url = `${database.url}?${parameters}`
        const options = { url, replicaUrl: null, poolSize: 1, queryTimeout: 10_000, plugins: [], log }
        const opened = await openPostgres(options)
        try {
          const { rows } = await sql<{ value: unknown }>`select current_setting(${name}) as value`.execute(opened.read)
          return rows[0]!.value
        } finally {
          await opened.close()
        }
      }
      const urlOptions = 'options=-c%20lock_timeout%3D7s%20-c%20plan_cache_mode%3Dauto'
      assert.equal(await setting(urlOptions, 'lock_timeout'), '7s')
      assert.equal(await setting(urlOptions, 'plan_cache_mode'), 'force_custom_plan')
      assert.equal(await setting('', 'default_transaction_read_only'), 'on')
      // The test server has no TLS, and the client must not fall back to plain text.
      await assert.rejects(setting('sslmode=verify-full', 'ssl'), /SSL/)
    },
  )
})
