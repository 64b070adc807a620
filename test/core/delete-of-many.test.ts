import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { findTables, liftRules, restoreRules, type Table } from '../../core/archive/tables.repository.ts'
import type { Db } from 'tasuki/plugin'
import { forEachEngine } from '../engines.ts'
import { portalHost } from '../plugins/portal/portal-host.ts'
import { fillEverything } from '../plugins/portal/fill-portal.ts'

/** How often the five users of the host are copied. Copies of an embedded database take several times as long. */
const TIMES = { postgres: 200, pglite: 50 }

/** Tables whose rows belong to no single user. */
const SHARED = new Set(['core.plugins', 'core.migration_compatibility', 'portal.attempts'])

interface Column {
  readonly name: string
  readonly type: string
  /** Whether a unique index without an id contains the column. */
  readonly distinct: boolean
  readonly nullable: boolean
}

/** Copies every row of a table the given number of times, with new ids and new values of unique texts. */
async function cloneRows(db: Db, { name, columns }: Table, times: number): Promise<void> {
  const { rows } = await sql<Column>`
    select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
      exists (select from pg_index x where x.indrelid = a.attrelid and x.indisunique and a.attnum = any (x.indkey)
        and not exists (select from pg_attribute u where u.attrelid = x.indrelid and u.attnum = any (x.indkey) and u.atttypid = 'uuid'::regtype)) as distinct
    from pg_attribute a where a.attrelid = ${name}::regclass and a.attnum > 0`.execute(db)
  const byName = new Map(rows.map(column => [column.name, column]))
  const values = columns.map(column => {
    const { type, distinct, nullable } = byName.get(column)!
    const value = sql.ref(`t.${column}`)
    if (type === 'uuid')
      return sql`(case when ${value}::text like '00000000-%' then ${value} else md5(${value}::text || copy.number)::uuid end)`
    if (distinct && type === 'text') return sql`${value} || '-' || copy.number`
    // Vectors are most of the bytes, and this test does not need them.
    return type === 'real[]' && nullable ? sql`null` : value
  })
  const list = sql.join(columns.map(column => sql.ref(column)))
  await sql`insert into ${sql.table(name)} (${list}) overriding system value
    select ${sql.join(values)} from ${sql.table(name)} t cross join generate_series(2, ${sql.lit(times)}) copy (number)`.execute(
    db,
  )
}

forEachEngine('of many users', engine => {
  const portal = portalHost(engine, {
    config: { limits: { requests_per_minute: 0, writes_per_minute: 0 }, query_timeout_ms: 120_000 },
  })
  const storage = () => join(portal.host.dataDir, 'attachments', 'files')
  const files = async (): Promise<readonly string[]> =>
    (await readdir(storage(), { recursive: true })).filter(path => path.includes('/')).toSorted()
  let tables: readonly Table[]
  let original: string

  before(async () => {
    const person = await portal.newUser()
    original = person.email
    await fillEverything(portal, person, await portal.signedIn(person.email))
    await portal.host.calls.flush()
    await portal.host.audit.flush('all')
    const schemas = ['core', ...portal.host.registry.plugins.map(({ name }) => name)]
    const { database } = portal.host
    tables = (await findTables(database.write, schemas)).filter(({ name }) => !SHARED.has(name))
    await database.withoutLimit(() =>
      database.write.transaction().execute(async db => {
        const rules = await liftRules(db, schemas)
        for (const table of tables) await cloneRows(db, table, TIMES[engine])
        await restoreRules(db, schemas, rules)
      }),
    )
    const stored = await portal.host.sql<{ key: string }>`
      select owner_id::text || '/' || id::text as key from attachments.attachments where state = 'stored'`
    for (const [n, { key }] of stored.entries()) {
      const path = join(storage(), key)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `file ${n}`)
    }
  })

  /** Computes a hash per table, over the rows that contain none of these texts. */
  const hashes = async (without: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    for (const { name } of tables) {
      // The last use of a token is stored with a delay.
      const text = name === 'core.tokens' ? sql`(to_jsonb(t) - 'last_used_at')::text` : sql`row_to_json(t)::text`
      const { rows } = await sql<{ hash: string; rows: number }>`
        select count(*)::int as rows, md5(coalesce(string_agg(hash, '' order by hash), '')) as hash
        from (select md5(text) as hash from (select ${text} as text from ${sql.table(name)} t) r
          where ${sql.join(without.map(each => sql`strpos(text, ${each}) = 0`).concat(sql`true`), sql` and `)}) h`.execute(
        portal.host.database.write,
      )
      found.set(name, `${rows[0]!.rows} rows, ${rows[0]!.hash}`)
    }
    return found
  }
  const fileHash = async (without: string): Promise<string> => {
    const hash = createHash('sha256')
    for (const path of await files())
      if (!path.startsWith(without)) hash.update(path).update(readFileSync(join(storage(), path)))
    return hash.digest('hex')
  }

  test('deleting a user leaves every row and file of all others unchanged', async t => {
    const { host } = portal
    const [victim] = await host.sql<{ id: string; email: string }>`
      select id::text, email from core.users where email = ${`${original}-25`}`
    const { id, email } = victim!
    const credentials = await host.sql<{ id: string }>`
      select id::text from core.tokens where user_id = ${id}
      union select connection_id::text from core.oauth_artifacts where user_id = ${id} and connection_id is not null`
    const theirs = [id, email, ...credentials.map(each => each.id)]
    const earlier = await hashes(theirs)
    const had = [...(await hashes([]))].filter(([name, hash]) => earlier.get(name) !== hash)
    assert.ok(had.length >= 30, `${had.length} tables had rows of the user`)
    const storedEarlier = await fileHash(id)
    assert.ok((await files()).some(path => path.startsWith(id)))

    const began = performance.now()
    await host.command('user delete', { email, yes: true })
    const job = host.registry.jobs.find(({ name }) => name === 'attachments.remove_files')!
    await host.write(ctx => job.run(ctx, { owner_id: id }))
    const took = performance.now() - began

    const later = await hashes([])
    for (const [name, hash] of earlier)
      // The audit trail keeps its entries and gains one, about the deletion.
      if (name === 'core.audit') assert.equal((await hashes(theirs)).get(name), hash, name)
      else assert.equal(later.get(name), hash, name)
    assert.equal(await fileHash('none'), storedEarlier)
    const [{ users }] = (await host.sql<{ users: number }>`select count(*)::int as users from core.users`) as [
      { users: number },
    ]
    t.diagnostic(
      `${users} users left, ${tables.length} tables, ${had.length} with rows of the user, deleted in ${Math.round(took)} ms`,
    )
  })
})
