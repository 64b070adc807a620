import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ToolError } from 'tasuki/plugin'
import { ToolFailure, type TestCaller } from 'tasuki/testing'
import { forEachEngine } from './engines.ts'
import { portalHost } from './plugins/portal/portal-host.ts'

const MAX = 3
const refused = async (call: Promise<unknown>): Promise<void> => {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof ToolFailure || error instanceof ToolError, String(error))
    const { hint, details } = error instanceof ToolFailure ? error : error.help
    assert.equal(error.code, 'limit_exceeded', error.message)
    assert.ok(hint, 'says what to do')
    assert.deepEqual(details, { limit: MAX })
    return true
  })
}

forEachEngine('limits per user', engine => {
  const portal = portalHost(engine, {
    config: {
      plugins: {
        project_admin: {},
        portal: { tokens_per_user: MAX },
        projects: { projects_per_user: MAX },
        numbering: { series_per_user: MAX },
        code_refs: { links_per_user: MAX },
        reminders: { pending_per_user: MAX },
        attachments: { pending_uploads: MAX },
      },
    },
  })
  const task = async ({ call }: TestCaller): Promise<string> =>
    (await call('items_create', { project_key: 'INBOX', title: 'Task' })).item.ref
  /** Repeats the work up to the limit, as one person and once as another, and expects the next call of the first to be refused. */
  const fill = async (work: (person: Person, n: number) => Promise<unknown>, held = 0) => {
    const [person, other] = [await portal.newUser(), await portal.newUser()]
    for (let n = held; n < MAX; n++) await work(person, n)
    await refused(work(person, MAX))
    await work(other, 0)
    return { person, again: () => work(person, MAX) }
  }
  type Person = Awaited<ReturnType<typeof portal.newUser>>

  test('projects: up to the limit, including the Inbox; a taken key below the limit is still a conflict', async () => {
    const person = await portal.newUser()
    await person.call('projects_create', { key: 'ONE', name: 'One' })
    await assert.rejects(person.call('projects_create', { key: 'one', name: 'One' }), /already a project ONE/)
    await fill(({ call }, n) => call('projects_create', { key: `P${n}`, name: 'Project' }), 1)
    await fill(({ email }, n) => portal.host.command('project create', { key: `P${n}`, name: 'x', user: email }), 1)
  })

  test('numbering series', async () => {
    const { person } = await fill(({ call }, n) =>
      call('custom_sequences_create', { series_key: `s${n}`, prefix: `S${n}` }),
    )
    const { call } = await portal.newUser()
    await call('custom_sequences_create', { series_key: 's0', prefix: 'S0' })
    await assert.rejects(call('custom_sequences_create', { series_key: 's0', prefix: 'T0' }), /exists already/)
    assert.equal((await person.call('custom_sequences_list', {})).sequences.length, MAX)
  })

  test('links to repositories; unlinking makes room', async () => {
    const link = ({ email: user }: Person, n: number) =>
      portal.host.command('code link', { project_key: 'INBOX', host: 'github', repository: `ann/r${n}`, user })
    const { person, again } = await fill(link)
    const { rows } = await portal.host.command('code list', { user: person.email })
    await portal.host.command('code unlink', { id: String(rows![0]!['id']), user: person.email })
    await assert.rejects(link(person, 1), /linked to ann\/r1 already/)
    await again()
  })

  test('pending reminders, including recurring ones; a sent reminder makes room', async () => {
    const at = new Date(portal.now.getTime() + 3_600_000).toISOString()
    const { person, again } = await fill(async user =>
      user.call('reminders_create', { item_ref: await task(user), remind_at: at }),
    )
    const ref = await task(person)
    await refused(person.call('reminders_repeat', { item_ref: ref, recurrence_rule: 'FREQ=DAILY' }))
    await portal.host.sql`update reminders.reminders set status = 'sent' where owner_id = ${person.userId}
      and id = (select min(id::text)::uuid from reminders.reminders where owner_id = ${person.userId})`
    await again()
  })

  test('incomplete uploads; inline files need none, and an expired address makes room', async () => {
    const file = { parent_kind: 'item', filename: 'a.txt', mime_type: 'text/plain' }
    const { person, again } = await fill(async user =>
      user.call('attachments_upload', { ...file, parent_ref: await task(user) }),
    )
    const content = { content_base64: Buffer.from('text').toString('base64') }
    await person.call('attachments_upload', { ...file, ...content, parent_ref: await task(person) })
    portal.now = new Date(portal.now.getTime() + 16 * 60_000)
    await again()
  })

  test('personal tokens, refused in both languages; a revoked token makes room', async () => {
    const person = await portal.newUser()
    const browser = await portal.signedIn(person.email)
    const issue = async (headers = {}) => {
      await browser.get('/settings/integrations', headers)
      return browser.send('/settings/integrations/tokens', { name: 'laptop', scope: 'read', lifetime: '30' }, headers)
    }
    // The token of the test is the first one.
    for (let n = 1; n < MAX; n++) assert.equal((await issue()).status, 200)
    const full = await issue()
    assert.equal(full.status, 422)
    assert.match(full.text, /as many tokens as are allowed\. Revoke one/)
    assert.match((await issue({ 'accept-language': 'ja' })).text, /トークンの数が上限に達しました/)
    const [token] = await portal.host.sql<{ id: string }>`
      select id from core.tokens where user_id = ${person.userId} and name = 'laptop' limit 1`
    await browser.get('/settings/integrations')
    await browser.send(`/settings/integrations/tokens/${token!.id}/revoke`)
    assert.equal((await issue()).status, 200)
    await portal.host.command('token create', { name: 'operator', scope: 'read', user: person.email })
  })
})
