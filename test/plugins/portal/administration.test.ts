import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { listEffectiveSettings } from '../../../core/host/config/effective.ts'
import { createCsrfToken } from '../../../plugins/portal/auth/csrf.ts'
import { deleteUser } from '../../../core/identity/delete-user.ts'
import { requireUser, disableUser, setAdministrator } from '../../../core/identity/users.ts'
import { derivedKey } from '../../../core/identity/signing-key.ts'
import type { ToolError, WriteContext } from 'tasuki/plugin'
import { forEachEngine } from '../../engines.ts'
import { fillSecondFactor } from './fill-portal.ts'
import { PASSWORD, portalHost, type Browser } from './portal-host.ts'

const USERS = '/settings/users'
const PAGES = [USERS, '/settings/service', '/settings/jobs', '/settings/effective']
const SECRET = Buffer.alloc(32, 9)

forEachEngine("the administrator's pages", engine => {
  const search = { provider: 'openai:m', url: 'http://127.0.0.1:9/v1' }
  const portal = portalHost(engine, { secret: SECRET, config: { plugins: { portal: {}, search } } })
  let admin: Browser
  let own: string
  before(async () => {
    const { email, userId } = await portal.newUser()
    own = userId
    await portal.host.command('user admin', { email })
    admin = await portal.signedIn(email)
  })
  const signsIn = async (email: string): Promise<boolean> => {
    const browser = portal.browser()
    await browser.get('/sign-in')
    await browser.send('/sign-in', { email, password: PASSWORD, return_to: '/' })
    return (await browser.get('/settings/account')).status === 200
  }
  /** Performs an action on a user, and enters the password if the page asks for it. */
  const act = async (id: string, deed: string): Promise<string> => {
    const path = `${USERS}/${id}/${deed}`
    await admin.get(`${USERS}/${id}`)
    let done = await admin.send(path)
    if (done.text.includes('confirm_password')) done = await admin.send(path, { confirm_password: PASSWORD })
    assert.ok(done.status < 400, done.text)
    return done.location ? (await admin.get(done.location)).text : done.text
  }

  test('others see no entry, no page, and can send no form of them', async () => {
    const { email, userId } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const { text } = await browser.get('/settings/account')
    for (const path of PAGES) {
      assert.ok(!text.includes(`href="${path}"`), path)
      assert.equal((await browser.get(path)).status, 403, path)
    }
    assert.equal((await browser.get(`${USERS}/${own}`)).status, 403)
    const [session] = await portal.host.sql<{ id: string }>`
      select id from portal.sessions where owner_id = ${userId} order by created_at desc, id desc limit 1`
    const fields = { confirm_password: PASSWORD, email: 'x@example.com', name: 'x' }
    for (const path of [USERS, `${USERS}/${own}/disable`, `${USERS}/${own}/delete`, `/settings/jobs/${own}/retry`]) {
      const proof = createCsrfToken({ key: purpose => derivedKey(SECRET, `plugin ${purpose}`) }, session!.id, path)
      assert.equal((await browser.post(path, { ...fields, proof })).status, 403, path)
    }
    assert.match((await admin.get('/settings/account')).text, /href="\/settings\/users"/)
  })

  test('a user is invited by a link that works', async () => {
    await admin.get(USERS)
    const asked = await admin.send(USERS, { email: 'Invited@Example.com', name: 'Ivy' })
    const [, code] = /\/setup#([\w-]{43})/.exec(asked.text)!
    assert.match((await admin.get(USERS)).text, /invited@example\.com[\s\S]*not set up/)
    const browser = portal.browser()
    await browser.get('/setup')
    assert.equal((await browser.send('/setup', { code: code!, password: PASSWORD, again: PASSWORD })).status, 303)
    assert.equal(await signsIn('invited@example.com'), true)
    await admin.get(USERS)
    assert.match((await admin.send(USERS, { email: 'invited@example.com', name: '' })).text, /user already exists/)
    await admin.get(USERS)
    assert.equal((await admin.send(USERS, { email: 'nothing', name: '' })).status, 422)
  })

  test('the command invites too, and repeats the link for a user without a password', async () => {
    const { text } = await portal.host.command('user invite', { email: 'by.command@example.com' })
    assert.match(text!, /Created by\.command@example\.com[\s\S]*\/setup#[\w-]{43}/)
    const again = await portal.host.command('user invite', { email: 'by.command@example.com' })
    assert.match(again.text!, /There is a user[\s\S]*\/setup#[\w-]{43}/)
  })

  test('a user is disabled, enabled, revoked and deleted, after the password', async () => {
    const { email, userId, rpc } = await portal.newUser()
    await admin.get(`${USERS}/${userId}`)
    const asked = await admin.send(`${USERS}/${userId}/disable`)
    assert.match(asked.text, /Confirm that it is you/)
    assert.equal(await signsIn(email), true, 'no action before the password')
    assert.match(await act(userId, 'disable'), /The user is disabled/)
    assert.equal(await signsIn(email), false)
    assert.equal((await rpc('tools/list')).status, 401)
    await act(userId, 'enable')
    assert.equal(await signsIn(email), true)
    assert.equal((await rpc('tools/list')).status, 200)
    await act(userId, 'revoke')
    assert.equal((await rpc('tools/list')).status, 401)
    await fillSecondFactor(portal, userId)
    assert.equal(await signsIn(email), false)
    assert.match(await act(userId, 'reset-second-factor'), /second factor was removed/)
    assert.equal(await signsIn(email), true)
    assert.match(await act(userId, 'setup-link'), /\/setup#[\w-]{43}/)
    await act(userId, 'promote')
    await act(userId, 'demote')
    assert.match(await act(userId, 'delete'), /The user is deleted/)
    assert.equal(await signsIn(email), false)
    assert.equal((await admin.get(`${USERS}/${userId}`)).status, 404)
    assert.equal((await admin.get(`${USERS}/nonsense`)).status, 404)
    await portal.host.audit.flush()
    const { text } = await portal.host.command('audit', { limit: 1000, format: 'json' })
    for (const action of ['user.disabled', 'user.enabled', 'user.access_revoked', 'user.deleted'])
      assert.match(text!, new RegExp(`"action":"${action}"`), action)
  })

  test('administrators cannot disable themselves', async () => {
    const { text } = await admin.get(`${USERS}/${own}`)
    assert.match(text, /your own account/)
    const [session] = await portal.host.sql<{ id: string }>`
      select id from portal.sessions where owner_id = ${own} order by created_at desc, id desc limit 1`
    for (const deed of ['disable', 'delete', 'demote', 'revoke']) {
      const path = `${USERS}/${own}/${deed}`
      const proof = createCsrfToken({ key: purpose => derivedKey(SECRET, `plugin ${purpose}`) }, session!.id, path)
      assert.equal((await admin.post(path, { proof, confirm_password: PASSWORD })).status, 403, deed)
    }
  })

  test('two administrators who disable each other, or take the role from each other, leave one', async () => {
    const [one, two] = [await portal.newUser(), await portal.newUser()]
    const enabled = () =>
      portal.host.sql<{ id: string }>`select id from core.users where is_administrator and disabled_at is null`
    // Makes sure that there is no other administrator during the test.
    const others = (await enabled()).map(({ id }) => id)
    for (const id of others) await portal.host.sql`update core.users set is_administrator = false where id = ${id}`
    const ways = [
      disableUser,
      (ctx: WriteContext, email: string) => setAdministrator(ctx, email, { administrator: false }),
    ]
    const deletion = async (ctx: WriteContext, email: string) =>
      void (await deleteUser(ctx, await requireUser(ctx, email)))
    for (let round = 0; round < 6; round++) {
      await portal.host.sql`
        update core.users set is_administrator = true, disabled_at = null where id in (${one.userId}, ${two.userId})`
      const way = ways[round % 2]!
      const answers = await Promise.allSettled([one, two].map(({ email }) => portal.host.write(ctx => way(ctx, email))))
      const refused = answers.filter(each => each.status === 'rejected').map(each => each.reason as ToolError)
      assert.deepEqual(
        refused.map(({ code, help }) => [code, /Make somebody else administrator first/.test(help.hint!)]),
        [['conflict', true]],
      )
      assert.equal((await enabled()).length, 1)
    }
    const [left] = await enabled()
    const email = [one, two].find(({ userId }) => userId === left!.id)!.email
    for (const way of [...ways, deletion])
      await assert.rejects(
        portal.host.write(ctx => way(ctx, email)),
        { code: 'conflict' },
      )
    for (const id of others) await portal.host.sql`update core.users set is_administrator = true where id = ${id}`
  })

  test('jobs that failed are listed with their error, and run once more', async () => {
    const [job] = await portal.host.sql<{ id: string }>`
      insert into core_jobs.job (name, data, state, retry_count, completed_on, output)
      values ('portal.sweep', '{}', 'failed', 6, now(), '{"message":"no room <left>\\nat line 7"}') returning id`
    const { text } = await admin.get('/settings/jobs')
    assert.match(text, /no room &lt;left&gt;/)
    assert.ok(!text.includes('at line 7'))
    const done = await admin.send(`/settings/jobs/${job!.id}/retry`, { name: 'portal.sweep' })
    assert.equal(done.status, 303, done.text)
    const after = (await admin.get('/settings/jobs')).text
    assert.ok(after.includes('No job has failed'), after)
    const [row] = await portal.host.sql<{ state: string }>`select state::text from core_jobs.job where id = ${job!.id}`
    assert.notEqual(row!.state, 'failed')
  })

  test('the page shows version, storage and plugins, and settings with their source and without secrets', async () => {
    const service = (await admin.get('/settings/service')).text
    assert.match(service, /tasuki \d+\.\d+\.\d+, Node v24/)
    assert.match(service, engine === 'pglite' ? /embedded \d/ : /PostgreSQL \d/)
    assert.ok(service.includes('<code>project_admin</code>') && service.includes('<code>items</code>'))
    assert.match(service, /Whole database: [\d.]+ MB/)
    assert.match(service, /Health[\s\S]*works, \d+ ms/)
    assert.match(service, /provider openai[\s\S]*does not work[\s\S]*check provider, url, model/)
    for (const table of ['Files by user', 'Search index']) assert.ok(service.includes(`<h2>${table}</h2>`), table)
    assert.ok(
      (await admin.get('/settings/service', { 'accept-language': 'ja' })).text.includes('ユーザーごとのファイル'),
    )
    const settings = (await admin.get('/settings/effective')).text
    assert.match(settings, /plugins\.portal\.session_days<\/code>[\s\S]{0,200}<code>30<\/code>/)
  })

  test('people see the pages in both languages', async () => {
    for (const path of PAGES) {
      const { status, text } = await admin.get(path, { 'accept-language': 'ja' })
      assert.equal(status, 200)
      assert.match(text, /ユーザー/)
    }
  })
})

test('a setting is shown with its source, and a secret only as set', () => {
  const config = {
    limits: { calls: 5, burst: 9 },
    plugins: { x: { api_key: 'hush', key_file: '/run/key', tokens_per_user: 3, list: ['a'] } },
  }
  const shownSettings = listEffectiveSettings(
    config,
    { limits: { calls: 5 }, plugins: { x: { api_key: 'hush' } } },
    {
      PORT: '80',
      SECRET_KEY: 'hush',
      DATABASE_URL: 'postgres://ann:hush@db/x',
      HOME: '/root',
    },
  )
  assert.ok(!JSON.stringify(shownSettings).includes('hush') && !JSON.stringify(shownSettings).includes('/root'))
  assert.deepEqual(Object.fromEntries(shownSettings.map(({ name, value, source }) => [name, `${value} ${source}`])), {
    PORT: '80 environment',
    SECRET_KEY: 'null environment',
    DATABASE_URL: 'null environment',
    'limits.calls': '5 file',
    'limits.burst': '9 default',
    'plugins.x.api_key': 'null file',
    'plugins.x.key_file': '/run/key default',
    'plugins.x.tokens_per_user': '3 default',
    'plugins.x.list': '["a"] default',
  })
})
