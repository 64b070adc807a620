import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defineEntity, p, UniqueConstraintViolationException } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import { Kysely, sql } from 'kysely'
import { DatabaseError } from 'pg'
import { fromPglite, PgBoss } from 'pg-boss'
import { openEmbedded } from '../../../core/db/pglite/client.ts'
import type { EmbeddedDatabase } from '../../../core/db/pglite/client.ts'
import { embeddedDialect } from '../../../core/db/pglite/dialect.ts'
import { inTransaction } from './in-transaction.ts'

const QUERY_TIMEOUT = 600
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let db: EmbeddedDatabase

before(async () => {
  db = await openEmbedded({ dataDir: null, queryTimeout: QUERY_TIMEOUT, log: quiet })
  await db.exec(`
    create schema shop;
    create table shop.item (id int primary key, name text not null, price int check (price >= 0), constraint item_name unique (name));
    create table counter (id int primary key, n int not null);
    insert into counter values (1, 0)`)
})
after(() => db.close())

const wait = (ms: number) => new Promise(done => setTimeout(done, ms))
const failure = async (promise: Promise<unknown>): Promise<DatabaseError & { retryable?: boolean }> => {
  const error = await promise.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DatabaseError, String(error))
  return error
}
const counter = async () => (await db.query<{ n: number }>('select n from counter where id = 1')).rows[0]?.n

describe('errors', () => {
  test('a violated constraint keeps every field of PostgreSQL', async () => {
    await db.query(`insert into shop.item values (1, 'pen', 1)`)
    const error = await failure(db.query('insert into shop.item values ($1, $2, $3)', [2, 'pen', 1]))
    const { code, schema, table, constraint, detail, severity, message } = error
    assert.deepEqual(
      { code, schema, table, constraint, detail, severity, message },
      {
        code: '23505',
        schema: 'shop',
        table: 'item',
        constraint: 'item_name',
        detail: 'Key (name)=(pen) already exists.',
        severity: 'ERROR',
        message: 'duplicate key value violates unique constraint "item_name"',
      },
    )
    const missing = await failure(db.query('insert into shop.item values ($1, $2)', [3, null]))
    assert.deepEqual([missing.code, missing.column], ['23502', 'name'])
    const syntax = await failure(db.query('select * fron x'))
    assert.deepEqual([syntax.code, syntax.position], ['42601', '10'])
    assert.equal('params' in error, false)
  })

  test('a script that fails inside its own transaction does not poison the session', async () => {
    await failure(db.exec('begin; update counter set n = 99; select 1 / 0; commit'))
    assert.equal(await counter(), 0)
  })

  test('a prepared statement returns columns that were added to its table later', async () => {
    await db.exec('create table growing (a int); insert into growing values (1)')
    const read = () => db.query('select * from growing where a = $1', [1])
    for (let n = 0; n < 5; n++) assert.deepEqual((await read()).rows, [{ a: 1 }])
    await db.exec('alter table growing add column b int default 2')
    assert.deepEqual((await read()).rows, [{ a: 1, b: 2 }])
    await inTransaction(db, async tx => {
      await tx.query('do $$ begin alter table growing drop column b; end $$')
      assert.deepEqual((await tx.query('select * from growing where a = $1', [1])).rows, [{ a: 1 }])
    })
  })

  test('a transaction that a query leaves open is rolled back and reported', async () => {
    const error = await failure(db.exec('begin; update counter set n = 99'))
    assert.equal(error.code, '25001')
    assert.equal(await counter(), 0)
  })
})

describe('transactions', () => {
  test('other queries wait until the transaction has ended', async () => {
    const order: string[] = []
    const tx = inTransaction(db, async own => {
      await own.query('update counter set n = 1')
      await wait(50)
      await own.query('update counter set n = 0')
      order.push('transaction')
    })
    const other = counter().then(n => order.push(`query saw ${n}`))
    await Promise.all([tx, other])
    assert.deepEqual(order, ['transaction', 'query saw 0'])
  })

  test('an error in the callback rolls back and is thrown on', async () => {
    const boom = new Error('boom')
    const run = inTransaction(db, async tx => {
      await tx.query('update counter set n = 99')
      throw boom
    })
    await assert.rejects(run, boom)
    assert.equal(await counter(), 0)
  })

  test('rollback() ends it, and later statements are refused', async () => {
    const tx = await db.begin()
    await tx.query('update counter set n = 99')
    await tx.rollback()
    assert.equal((await failure(tx.query('select 1'))).code, '25P01')
    assert.equal(await counter(), 0)
  })

  test('a statement that is sent after the commit is refused', async () => {
    let leaked: Promise<unknown> = Promise.resolve()
    await inTransaction(db, async tx => {
      leaked = wait(20).then(() => tx.query('update counter set n = 99'))
      leaked.catch(() => undefined)
    })
    assert.equal((await failure(leaked)).code, '25P01')
    assert.equal(await counter(), 0)
  })

  test('concurrent transactions lose no update', async () => {
    const add = async () => {
      const tx = await db.begin()
      const { rows } = await tx.query<{ n: number }>('select n from counter where id = 1')
      await tx.query('update counter set n = $1 where id = 1', [(rows[0]?.n ?? 0) + 1])
      const isKept = Math.random() >= 0.3
      await (isKept ? tx.commit() : tx.rollback())
      return isKept ? 1 : 0
    }
    const done = await Promise.all(Array.from({ length: 60 }, add))
    assert.equal(
      await counter(),
      done.reduce<number>((sum, one) => sum + one, 0),
    )
    await db.query('update counter set n = 0')
  })

  test('an idle transaction is rolled back, and its commit fails', async () => {
    const error = await failure(
      inTransaction(db, async tx => {
        await tx.query('update counter set n = 99')
        await wait(QUERY_TIMEOUT * 3 + 150)
      }),
    )
    assert.equal(error.code, '25P03')
    assert.equal(await counter(), 0)
  })

  test('a transaction that waits for a query outside it fails with an error that says why', async () => {
    const error = await failure(
      inTransaction(db, async tx => {
        await tx.query('update counter set n = 99')
        assert.equal(await counter(), 0)
        await tx.query('select 1')
      }),
    )
    assert.equal(error.code, '25P03')
    assert.match(error.message, /1 other query waited .* must go through that transaction/)
  })
})

describe('notifications', () => {
  test('arrive at every listener of the exact channel until it stops listening', async () => {
    const received: string[] = []
    const stopFirst = await db.listen('Mixed-Case', payload => received.push(`first ${payload}`))
    const stopSecond = await db.listen('Mixed-Case', payload => received.push(`second ${payload}`))
    await db.query(`select pg_notify('Mixed-Case', 'a')`)
    await stopFirst()
    await db.query(`select pg_notify('Mixed-Case', 'b'), pg_notify('mixed-case', 'c')`)
    await stopSecond()
    await db.query(`select pg_notify('Mixed-Case', 'd')`)
    assert.deepEqual(received, ['first a', 'second a', 'second b'])
  })
})

describe('used by libraries', () => {
  test('Kysely commits, rolls back and recovers from an idle transaction', async () => {
    const kysely = new Kysely<{ counter: { id: number; n: number } }>({ dialect: embeddedDialect(db) })
    const add = (n: number) => kysely.transaction().execute(async tx => {
      await tx.updateTable('counter').set({ n }).where('id', '=', 1).execute()
      if (n > 5) throw new Error('too many')
    }) // prettier-ignore
    await add(5)
    await assert.rejects(add(6), /too many/)
    assert.equal(await counter(), 5)
    const idle = kysely.transaction().execute(async tx => {
      await sql`update counter set n = 7`.execute(tx)
      await wait(QUERY_TIMEOUT * 3 + 150)
    })
    assert.equal((await failure(idle)).code, '25P03')
    const waiting = kysely.transaction().execute(async tx => {
      await sql`update counter set n = 8`.execute(tx)
      await sql`select 1`.execute(kysely)
      await sql`update counter set n = 9`.execute(tx)
    })
    assert.match((await failure(waiting)).message, /1 other query waited .* must go through that transaction/)
    assert.equal(await counter(), 5)
    const steps = await kysely.startTransaction().execute()
    const marked = await steps.savepoint('the "mark"').execute()
    await sql`update counter set n = 6`.execute(marked)
    await marked.rollbackToSavepoint('the "mark"').execute()
    await steps.commit().execute()
    assert.equal(await counter(), 5)
    const updated = await kysely.updateTable('counter').set({ n: 0 }).executeTakeFirst()
    assert.equal(updated.numUpdatedRows, 1n)
  })

  test('MikroORM maps rows and errors', async () => {
    const Note = defineEntity({
      name: 'Note',
      tableName: 'note',
      properties: {
        id: p.integer().primary(),
        title: p.text().unique(),
        at: p.datetime(),
        tags: p.json<string[]>(),
      },
    })
    const orm = await MikroORM.init({ entities: [Note], dbName: 'x', driverOptions: () => embeddedDialect(db) })
    await db.withoutLimit(() => orm.schema.create())
    const at = new Date('2026-11-20T09:30:00.123Z')
    await orm.em.fork().transactional(async em => {
      em.create(Note, { id: 1, title: `it's "so"`, at, tags: ['NULL', ' x '] })
    })
    const note = await orm.em.fork().findOneOrFail(Note, 1)
    assert.deepEqual({ ...note }, { id: 1, title: `it's "so"`, at, tags: ['NULL', ' x '] })
    const twice = orm.em.fork().insert(Note, { id: 2, title: `it's "so"`, at, tags: [] })
    await assert.rejects(twice, UniqueConstraintViolationException)
    await orm.close(true)
    assert.equal(await counter(), 0)
  })

  test('pg-boss queues and delivers a job', async () => {
    const boss = new PgBoss({ db: fromPglite(db), backend: 'pglite' })
    boss.on('error', error => assert.fail(error))
    await db.withoutLimit(() => boss.start())
    await boss.createQueue('mail')
    await boss.send('mail', { to: 'a' })
    const [job] = await boss.fetch<{ to: string }>('mail')
    assert.deepEqual(job?.data, { to: 'a' })
    await boss.stop({ graceful: false })
  })
})

describe('limits and maintenance', () => {
  test('withoutLimit lets a statement run longer than the limit', async () => {
    await db.withoutLimit(() => db.query(`select pg_sleep(${(QUERY_TIMEOUT * 1.5) / 1000})`))
  })

  test('a dump starts another database with the same data', async () => {
    await db.query('update counter set n = 41')
    const copy = await openEmbedded({ dataDir: null, queryTimeout: 10_000, snapshot: await db.dump(), log: quiet })
    await copy.query('update counter set n = n + 1')
    assert.deepEqual((await copy.query('select n from counter')).rows, [{ n: 42 }])
    assert.equal(await counter(), 41)
    await copy.close()
    assert.equal((await failure(copy.query('select 1'))).code, '57P01')
  })

  test('vacuum removes dead rows of all schemas', async () => {
    const size = async () => (await db.query<{ n: number }>(`select pg_table_size('shop.item')::int n`)).rows[0]?.n ?? 0
    await db.withoutLimit(() =>
      db.exec(
        `insert into shop.item select g, 'item ' || g, g from generate_series(10, 5000) g; delete from shop.item where id > 9`,
      ),
    )
    const before = await size()
    await db.vacuum()
    assert.ok((await size()) < before / 2)
  })

  test('after a runaway query an in-memory database is lost, and the error says so', async () => {
    const lost = await openEmbedded({ dataDir: null, queryTimeout: 100, snapshot: await db.dump(), log: quiet })
    assert.equal((await failure(lost.query('select pg_sleep(5)'))).code, '57014')
    assert.match((await failure(lost.query('select 1'))).message, /in-memory database ended/)
    await lost.close()
  })
})
