import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testHost, type TestHost } from 'tasuki/testing'
import { fixedPlan } from 'tasuki/plugin'
import { forEachEngine } from '../../engines.ts'

type Db = TestHost['database']['read']

/** Runs a statement on one connection until it is prepared. @returns the planning of its last run */
async function planning(
  db: Db,
  mark: string,
  run: (db: Db) => Promise<unknown>,
): Promise<'generic' | 'custom' | 'mixed'> {
  return db.connection().execute(async one => {
    for (let n = 0; n < 5; n++) await run(one)
    const { rows } = await sql<{ generic: number; custom: number }>`
      select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
      where strpos(statement, ${sql.lit(mark)}) > 0 and strpos(statement, 'pg_prepared_statements') = 0
    `.execute(one)
    const [plans, other] = rows
    assert.ok(plans && !other, 'the repeated statement is prepared, once')
    if (plans.generic > 0 && plans.custom > 0) return 'mixed'
    return plans.generic > 0 ? 'generic' : 'custom'
  })
}

const keyed = (db: Db) =>
  sql`select ${fixedPlan} /* keyed */ id from core.users where id = ${'00000000-0000-0000-0000-000000000000'}`.execute(
    db,
  )
const listed = (db: Db) => sql`select /* listed */ id from core.users where email like ${'a%'}`.execute(db)

const NOBODY = '00000000-0000-0000-0000-000000000000'
const built = (db: Db) =>
  db
    .selectFrom('core.users')
    .select(sql`id /* built */`.as('id'))
    .where('id', '=', NOBODY)
    .modifyEnd(fixedPlan)
    .execute()
const lookedUp = (db: Db) =>
  db
    .insertInto('core.plugins')
    .values(({ selectFrom }) => ({
      name: 'looked_up',
      enabled: false,
      seen_at: new Date(0),
      version: selectFrom('core.plugins')
        .select(sql<string>`max(version) /* looked up */`.as('version'))
        .where('name', '=', 'items'),
    }))
    .onConflict(conflict => conflict.doNothing())
    .execute()

forEachEngine('prepared statements', engine => {
  test('a statement with a fixed plan gives the same rows as without', async t => {
    const host = await testHost(t, { engine })
    const { rows } = await sql<{
      n: number
    }>`select ${fixedPlan} count(*)::int as n from core.users where id = ${host.userId}`.execute(host.database.read)
    assert.deepEqual(rows, [{ n: 1 }])
  })

  test('a fixed plan is made once; all other statements are planned for their values', async t => {
    const { database } = await testHost(t, { engine })
    for (const db of [database.read, database.write]) {
      assert.equal(await planning(db, '/* keyed */', keyed), 'generic')
      const both = async (one: Db): Promise<void> => {
        await keyed(one)
        await listed(one)
      }
      assert.equal(await planning(db, '/* listed */', both), 'custom')
    }
  })

  test('statements of the builder are prepared too; one that looks a value up for an insert is planned for it', async t => {
    const { database } = await testHost(t, { engine })
    assert.equal(await planning(database.write, '/* built */', built), 'generic')
    assert.equal(await planning(database.write, '/* looked up */', lookedUp), 'custom')
  })

  test('a rollback, which undoes the setting, does not change how statements are planned', async t => {
    const { database } = await testHost(t, { engine })
    const plans = await planning(database.write, '/* listed */', async one => {
      await keyed(one)
      const trx = await one.startTransaction().execute()
      await listed(trx)
      await trx.rollback().execute()
      await listed(one)
    })
    assert.equal(plans, 'custom')
  })
})
