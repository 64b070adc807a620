import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { before } from 'node:test'
import { sql } from 'kysely'
import { forEachEngine } from '../engines.ts'
import { acceptAll } from '../members.ts'
import { verifies } from '../verifies.ts'
import { portalHost } from '../plugins/portal/portal-host.ts'
import { fillEverything } from '../plugins/portal/fill-portal.ts'

/** Tables of the service itself, without data about users. */
const MACHINERY = /^(core\.(plugins|migrations|audit)$|core_jobs\.)/

forEachEngine('deleting a user', engine => {
  const portal = portalHost(engine, { config: { limits: { requests_per_minute: 0, writes_per_minute: 0 } } })
  type Person = Awaited<ReturnType<typeof portal.newUser>>
  let ann: Person, ben: Person
  before(async () => {
    ;[ann, ben] = [await portal.newUser(), await portal.newUser()]
    for (const person of [ann, ben]) await fillEverything(portal, person, await portal.signedIn(person.email))
    // Each user is a member of the other's project, works there, and has invited a third person.
    for (const [owner, member] of [
      [ann, ben],
      [ben, ann],
    ] as const) {
      const browser = await portal.signedIn(owner.email)
      await browser.get('/projects/SHOP/members')
      await browser.send('/projects/SHOP/members', { email: member.email, role: 'editor' })
      await portal.host.write(ctx => acceptAll(ctx, member.email))
      const { items } = await member.call('tasks_list', { project_key: `${owner.email}/SHOP` })
      const item_ref = items[0].ref
      await member.call('discussions_create', { item_ref, body: 'I have looked', kind: 'fact' })
      await member.call('reminders_create', { item_ref, remind_at: '2026-07-01T09:00:00Z' })
      await member.call('items_patch', { item_ref, priority: 'low' })
    }
    await portal.host.calls.flush()
    await portal.host.audit.flush('all')
  })

  const rowsOf = async (name: string): Promise<readonly string[]> => {
    const { rows } = await sql<{ text: string }>`
      select to_jsonb(t)::text as text from ${sql.raw(name)} t order by 1`.execute(portal.host.database.write)
    return rows.map(({ text }) => text)
  }
  const tables = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
    const names = await portal.host.sql<{ name: string }>`
      select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE' order by 1`
    const found = new Map<string, readonly string[]>()
    for (const { name } of names) if (!MACHINERY.test(name)) found.set(name, await rowsOf(name))
    return found
  }
  type Row = Readonly<Record<string, unknown>>
  const belongs = (text: string, { userId, email }: Person, table: string): boolean => {
    const row = JSON.parse(text) as Row
    return (
      row['owner_id'] === userId ||
      (table !== 'items.revisions' && row['user_id'] === userId) ||
      row['inviter_id'] === userId ||
      (table === 'projects.invitations' && row['email'] === email) ||
      (table === 'core.users' && row['id'] === userId)
    )
  }
  const files = async (): Promise<readonly string[]> => {
    const folder = join(portal.host.dataDir, 'attachments', 'files')
    return (await readdir(folder, { recursive: true })).filter(path => path.includes('/')).toSorted()
  }
  const sha = (texts: readonly string[]): string => createHash('sha256').update(texts.join('\n')).digest('hex')

  verifies(
    'auth.operator_deletes',
    'all data of the user is deleted from every table and the storage, and no data of others changes',
    async t => {
      const { host } = portal
      const earlier = await tables()
      const stored = await files()
      assert.equal(stored.filter(path => path.startsWith(ann.userId)).length, 1)
      const said = await host.command('user delete', { email: ann.email })
      assert.equal(sha([...(await tables()).values()].flat()), sha([...earlier.values()].flat()), 'it only reads')
      const credentials = await host.sql<{ id: string }>`
        select id::text from core.tokens where user_id = ${ann.userId}
        union select connection_id::text from core.oauth_artifacts where user_id = ${ann.userId}`

      const done = await host.command('user delete', { email: ann.email, yes: true })
      const counts = (text: string) => text.split('\n').filter(line => line.startsWith('  '))
      assert.deepEqual(counts(done.text!), counts(said.text!), 'the deletion is announced first')
      const job = host.registry.jobs.find(({ name }) => name === 'attachments.remove_files')!
      await host.write(ctx => job.run(ctx, { owner_id: ann.userId }))

      const later = await tables()
      let had = 0
      for (const [name, rows] of earlier) {
        const theirs = rows.filter(row => belongs(row, ann, name))
        const others = rows.filter(row => !belongs(row, ann, name))
        const gone = others.filter(row => !later.get(name)!.includes(row))
        // Answers that are stored for retries refer to a credential, not to a user.
        const ofCredentials = gone.filter(row => credentials.some(({ id }) => row.includes(id)))
        assert.deepEqual(gone, ofCredentials, name)
        assert.equal(sha(later.get(name)!), sha(others.filter(row => !gone.includes(row))), name)
        if (theirs.length > 0) had++
      }
      t.diagnostic(
        `${earlier.size} tables, ${had} of them with rows of the user: ${counts(done.text!).length} reported`,
      )
      assert.ok(had >= 30, `${had} tables had rows of the user`)
      assert.deepEqual(
        await files(),
        stored.filter(path => !path.startsWith(ann.userId)),
      )
      for (const [name, rows] of later)
        if (/^(core|portal|projects)\./.test(name))
          assert.deepEqual(
            rows.filter(row => row.includes(ann.email)),
            [],
            name,
          )

      assert.equal((await ann.rpc('tools/list')).status, 401)
      const { items } = await ben.call('tasks_list', { project_key: 'SHOP' })
      assert.ok(items.length > 0)
      const all = await Promise.all(
        items.map(({ ref }: { ref: string }) => ben.call('discussions_list', { item_ref: ref })),
      )
      const comment = all.flatMap(({ discussions }) => discussions).find(({ body }) => body === 'I have looked')
      assert.equal(comment.author, 'Deleted user')
    },
  )

  verifies('auth.deleted_in_audit', 'the audit trail keeps what happened, without who it was', async () => {
    const { host } = portal
    const rows =
      await host.sql<Row>`select * from core.audit where owner_id = ${ann.userId} or actor_id = ${ann.userId}`
    assert.ok(rows.length > 5)
    const texts = (await rowsOf('core.audit')).join('\n').toLowerCase()
    assert.ok(!texts.includes(ann.email))
    for (const { owner_id: owner, address, credential } of rows) {
      assert.equal(address, null)
      assert.equal(credential, null)
      assert.ok(owner)
    }
    assert.equal(rows.filter(({ action }) => action === 'user.deleted').length, 1)
    const others = await host.sql<Row>`select * from core.audit where actor_id = ${ben.userId} and address is not null`
    assert.ok(others.length > 0)
    await assert.rejects(host.sql`update core.audit set address = null`, /append-only/)
    await assert.rejects(
      host.write(async ctx => {
        await sql`select set_config('tasuki.audit_erasure', 'on', true)`.execute(ctx.db)
        await sql`update core.audit set action = 'x'`.execute(ctx.db)
      }),
      /append-only/,
    )
  })

  verifies('auth.operator_deletes', 'the last administrator is not deleted while others are there', async () => {
    await assert.rejects(portal.host.command('user delete', { email: 'owner@example.com', yes: true }), {
      code: 'conflict',
    })
    await assert.rejects(portal.host.command('user delete', { email: ann.email }), { code: 'not_found' })
  })
})
