import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { disableUser, enableUser } from '../../../core/identity/users.ts'
import { TOTP } from 'otpauth'
import type { AuditEntry } from 'tasuki/plugin'
import type { TestCaller } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { answer, authorize, CALLBACK } from './client-app.ts'
import { followRedirects, openIdProvider } from './identity-provider.ts'
import { PASSWORD, portalHost, type Browser } from './portal-host.ts'

const idp = await openIdProvider()
after(() => void idp.server.close())

type Person = TestCaller & { readonly email: string }

forEachEngine('the content of the audit trail', engine => {
  const openid = { issuer: idp.issuer, client_id: 'tasuki' }
  const portal = portalHost(engine, { settings: { openid } })
  before(() => {
    // Tokens of the provider contain the real time.
    portal.now = new Date()
  })
  const form = (path: string, fields: Readonly<Record<string, string>>) =>
    portal.host.app.inject({
      method: 'POST',
      url: path,
      headers: { host: 'localhost:3000', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(fields).toString(),
    })
  /** Approves an app and redeems its code. */
  const connect = async (browser: Browser) => {
    const { id: client, verifier, page } = await authorize(portal.host.app, browser)
    const { address } = await answer(browser, page, { decision: 'allow', scope: 'write' })
    const code = new URL(address!).searchParams.get('code')!
    const grant = {
      grant_type: 'authorization_code',
      client_id: client,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    }
    const redeem = () => form('/oauth/token', { ...grant, code })
    const tokens = (await redeem()).json<{ access_token: string; refresh_token: string }>()
    return { client, redeem, tokens }
  }
  const link = async (browser: Browser): Promise<void> => {
    await browser.get('/settings/security')
    const page = await browser.send('/settings/security/provider/link')
    const [, address] = /http-equiv="refresh"\s+content="0;url=([^"]+)"/.exec(page.text)!
    await browser.get(await followRedirects(address!.replaceAll('&amp;', '&')))
  }
  const openSettings = async (browser: Browser, path: string, to: string, fields = {}): Promise<void> => {
    await browser.get(path)
    const page = await browser.send(to, fields)
    assert.ok(page.status < 400, `${to}: ${page.status} ${page.text}`)
  }
  const setUpApp = async (browser: Browser): Promise<readonly string[]> => {
    const page = await browser.get('/settings/second-factor/app')
    const secret = /<dd><code>([A-Z2-7 ]+)<\/code>/.exec(page.text)![1]!.replaceAll(' ', '')
    const sealed = /name="secret" value="([^"]+)"/.exec(page.text)![1]!
    const code = new TOTP({ secret }).generate({ timestamp: portal.now.getTime() })
    const done = await browser.send('/settings/second-factor/app', { secret: sealed, code })
    return done.text.match(/\b[a-z2-9]{4}(-[a-z2-9]{4}){3}\b/g) ?? assert.fail(done.text)
  }
  const own = (host: typeof portal.host, email: string) =>
    host.command('audit', { user: email, limit: 1000, format: 'json' })

  /** A real flow for every action. If you add an action, add its flow here. */
  const flows: Readonly<Record<string, (person: Person, browser: Browser) => Promise<unknown>>> = {
    'token.issued': (_person, browser) =>
      openSettings(browser, '/settings/integrations', '/settings/integrations/tokens', {
        name: 'laptop',
        scope: 'read',
        lifetime: '30',
      }),
    'token.revoked': async (person, browser) => {
      const [token] = await portal.host.sql<{
        id: string
      }>`select id from core.tokens where user_id = ${person.userId} limit 1`
      await openSettings(browser, '/settings/integrations', `/settings/integrations/tokens/${token!.id}/revoke`)
    },
    'credential.refused': async ({ email, rpc, token }) => {
      const { rows } = await portal.host.command('token list', { user: email })
      await portal.host.command('token revoke', {
        id: String(rows!.find(row => row['hint'] === `…${token.slice(-4)}`)!['id']),
      })
      assert.equal((await rpc('tools/list')).status, 401)
    },
    'access.refused': async ({ email }) => {
      const { text } = await portal.host.command('token create', { name: 'reader', scope: 'read', user: email })
      const headers = { authorization: `Bearer ${text!.split('\n', 1)[0]}`, 'content-type': 'application/json' }
      const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'items_create', arguments: {} } }
      const refused = await portal.host.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { ...headers, accept: 'application/json, text/event-stream' },
        payload,
      })
      assert.ok(refused.statusCode === 403 || refused.body.includes('insufficient_scope'), refused.body)
    },
    'app.approved': async (_person, browser) => connect(browser),
    'app.tokens_issued': async (_person, browser) => connect(browser),
    'app.denied': async (_person, browser) => {
      const { page } = await authorize(portal.host.app, browser)
      await answer(browser, page, { decision: 'deny', scope: 'read' })
    },
    'app.refused': async (_person, browser) => {
      const { redeem } = await connect(browser)
      assert.equal((await redeem()).statusCode, 400)
    },
    'app.disconnected': async (_person, browser) => {
      const { client, tokens } = await connect(browser)
      assert.equal((await form('/oauth/revoke', { client_id: client, token: tokens.refresh_token })).statusCode, 200)
    },
    'user.created': async () => undefined,
    'user.changed': (_person, browser) =>
      openSettings(browser, '/settings/account', '/settings/account', {
        name: 'Ann',
        time_zone: 'Europe/Berlin',
        language: 'auto',
        theme: 'auto',
      }),
    'user.email_changed': ({ email }) => portal.host.command('user set-email', { email, new: `new.${email}` }),
    'user.disabled': ({ email }) => portal.host.write(ctx => disableUser(ctx, email)),
    'user.enabled': ({ email }) => portal.host.write(ctx => enableUser(ctx, email)),
    'person.confirmed': async (_person, browser) => {
      await browser.get('/settings/security')
      await browser.send('/settings/security/revoke-everything')
      const guessed = await browser.send('/settings/security/revoke-everything', { confirm_password: 'a guess' })
      assert.equal(guessed.status, 422)
    },
    'user.access_revoked': ({ email }) => portal.host.command('user revoke', { email }),
    'user.administrator_changed': ({ email }) => portal.host.command('user admin', { email }),
    'job.retried': async ({ email }, browser) => {
      await portal.host.command('user admin', { email })
      const [job] = await portal.host.sql<{ id: string }>`
        insert into core_jobs.job (name, data, state, retry_count, completed_on, output)
        values ('portal.sweep', '{}', 'failed', 6, now(), '{"message":"no room"}') returning id`
      await openSettings(browser, '/settings/jobs', `/settings/jobs/${job!.id}/retry`, { name: 'portal.sweep' })
    },
    'session.started': async () => undefined,
    'session.refused': async ({ email }) => {
      const browser = portal.browser()
      await browser.get('/sign-in')
      await browser.send('/sign-in', { email, password: 'not the password', return_to: '/' })
    },
    'session.ended': (_person, browser) => openSettings(browser, '/settings/account', '/sign-out'),
    'password.changed': (_person, browser) =>
      openSettings(browser, '/settings/security', '/settings/security/password', {
        current: PASSWORD,
        password: 'violet horse zinc cake',
        again: 'violet horse zinc cake',
      }),
    'identity.linked': async (_person, browser) => {
      idp.person = { sub: randomUUID(), email: 'else@example.org', verified: false }
      await link(browser)
    },
    'identity.unlinked': async (_person, browser) => {
      idp.person = { sub: randomUUID(), email: 'else@example.org', verified: false }
      await link(browser)
      const fields = { issuer: idp.issuer, subject: idp.person.sub }
      await openSettings(browser, '/settings/security', '/settings/security/provider/unlink', fields)
    },
    'second_factor.added': (_person, browser) => setUpApp(browser),
    'second_factor.changed': async (_person, browser) => {
      const codes = await setUpApp(browser)
      await openSettings(browser, '/settings/second-factor', '/settings/second-factor/recovery-codes')
      await browser.send('/settings/second-factor/recovery-codes', {
        confirm_password: PASSWORD,
        confirm_code: codes[0]!,
      })
    },
    'second_factor.removed': async ({ email }, browser) => {
      await setUpApp(browser)
      await portal.host.command('user reset-second-factor', { email })
    },
    'setup_link.issued': ({ email }) => portal.setupCode(email),
    'project.created': ({ email }) => portal.host.command('project create', { key: 'APP', name: 'App', user: email }),
    'project.changed': async ({ email }, browser) => {
      await portal.host.command('project create', { key: 'APP', name: 'App', user: email })
      await openSettings(browser, '/projects/APP/settings', '/projects/APP/settings', {
        name: 'Other',
        description: '',
        estimate_unit: 'points',
      })
    },
    'features.changed': async ({ email }, browser) => {
      await portal.host.command('project create', { key: 'APP', name: 'App', user: email })
      await openSettings(browser, '/projects/APP/features', '/projects/APP/features', { features: 'calendar' })
    },
    'member.changed': async ({ email }, browser) => {
      const other = await portal.newUser()
      await portal.host.command('project create', { key: 'APP', name: 'App', user: email })
      await openSettings(browser, '/projects/APP/members', '/projects/APP/members', {
        email: other.email,
        role: 'editor',
      })
    },
    'repository.linked': async ({ email }) => {
      await portal.host.command('project create', { key: 'APP', name: 'App', user: email })
      await portal.host.command('code link', { project_key: 'APP', host: 'github', repository: 'ann/app', user: email })
    },
    'items.imported': async ({ email }) => {
      await portal.host.command('project create', { key: 'APP', name: 'App', user: email })
      const folder = await mkdtemp(join(tmpdir(), 'tasuki-audit-'))
      const file = join(folder, 'items.csv')
      await writeFile(file, 'title\nBuy milk\n')
      await portal.host.command('import file', { file, project: 'APP', yes: true, user: email })
      await rm(folder, { recursive: true })
    },
    'items.exported': async ({ email }, browser) => {
      await portal.host.command('project create', { key: 'APP', name: 'App', user: email })
      await openSettings(browser, '/projects/APP/export', '/projects/APP/export', { q: 'is:open', format: 'csv' })
    },
    'user.exported': (_person, browser) =>
      openSettings(browser, '/settings/account', '/settings/account/export', { confirm_password: PASSWORD }),
    'repository.unlinked': async ({ email }) => {
      await portal.host.command('project create', { key: 'APP', name: 'App', user: email })
      const { rows } = await portal.host.command('code link', {
        project_key: 'APP',
        host: 'github',
        repository: 'ann/app',
        user: email,
      })
      await portal.host.command('code unlink', { id: String(rows![0]!['id']), user: email })
    },
  }

  test('every action has a flow here', () => {
    // No user remains to read the deletion of an account, so test/core/delete-user.test.ts covers it. Backups concern no single user.
    const covered = [...Object.keys(flows), 'user.deleted', 'backup.made', 'backup.copied'].toSorted()
    assert.deepEqual(covered, [...portal.host.registry.auditActions.keys()].toSorted())
    for (const { name, title } of portal.host.registry.auditActions.values())
      assert.ok(title.en !== '' && title['ja'], `${name} has a title in both languages`)
  })

  test('a backup and a copy are in the trail, without a user', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tasuki-audit-'))
    const { host } = portal
    await host.command('backup', { file: join(folder, 'all.tar.gz') })
    await host.command('copy', { to: join(folder, 'copy') })
    await rm(folder, { recursive: true })
    const { text } = await portal.host.command('audit', { limit: 1000, format: 'json' })
    const entries = text!.split('\n').map(line => JSON.parse(line) as AuditEntry)
    for (const action of ['backup.made', 'backup.copied'])
      assert.equal(entries.find(each => each.action === action)?.outcome, 'ok', action)
  })

  for (const [action, flow] of Object.entries(flows)) {
    test(`${action} is in the trail of the user it concerns`, async () => {
      const person = await portal.newUser()
      const browser = await portal.signedIn(person.email)
      await flow(person, browser)
      await portal.host.audit.flush()
      const renamed = action === 'user.email_changed' ? `new.${person.email}` : person.email
      const { text } = await own(portal.host, renamed)
      const entries = text!.split('\n').map(line => JSON.parse(line) as AuditEntry)
      const entry = entries.find(each => each.action === action)
      assert.ok(entry, `no ${action} among ${entries.map(each => each.action).join(', ')}`)
      assert.ok(!text!.includes(PASSWORD) && !text!.includes(person.token), 'no secret is in it')
      const isRefusal = [
        'credential.refused',
        'access.refused',
        'app.refused',
        'app.denied',
        'session.refused',
        'person.confirmed',
      ]
      assert.equal(entry.outcome, isRefusal.includes(action) ? 'refused' : 'ok')
      const { words = {} } = portal.host.registry.auditActions.get(action)!
      for (const name of Object.keys(entry.details)) assert.ok(words[name]?.['ja'], `${name} has a word in Japanese`)
    })
  }

  test('what an entry tells is shown in words of the language of the page', async () => {
    const { email } = await portal.newUser()
    await portal.host.command('token create', { name: 'read', scope: 'read', user: email })
    const browser = await portal.signedIn(email)
    const japanese = (await browser.get('/settings/activity', { 'accept-language': 'ja' })).text
    assert.match(japanese, /<strong>read<\/strong>[^]*許可する操作: 閲覧のみ/)
    assert.match(japanese, /方法: パスワード|最初のユーザー: (?:はい|いいえ)/)
    assert.match((await browser.get('/settings/activity')).text, /Permissions: Read only/)
  })

  test('times in the details of an entry are shown as times of the person', async () => {
    const person = await portal.newUser()
    const browser = await portal.signedIn(person.email)
    await browser.get('/settings/integrations')
    await browser.send('/settings/integrations/tokens', { name: 'laptop', scope: 'read', lifetime: '90' })
    const { text } = await browser.get('/settings/activity?action=token.issued')
    assert.match(text, /Permissions: Read only, Expires: <time datetime="/)
  })

  test('people see their own entries in both languages, with filters and pages; administrators see all entries', async () => {
    const person = await portal.newUser()
    const browser = await portal.signedIn(person.email)
    const { text } = await browser.get('/settings/activity')
    assert.ok(text.includes('Signed in') && !text.includes('All users'))
    assert.ok((await browser.get('/settings/activity', { 'accept-language': 'ja' })).text.includes('アクティビティ'))
    const filtered = (await browser.get('/settings/activity?action=token.issued')).text
    assert.ok(
      filtered.includes(`token of ${person.email}`) &&
        !/<time[^>]*>[^<]*<\/time>\s*<\/th>\s*<td[^>]*>Signed in/.test(filtered),
    )
    const other = await portal.newUser()
    const all = '/settings/activity?whose=all&action=user.created'
    assert.ok(!(await browser.get(all)).text.includes(other.email))
    await portal.host.command('user admin', { email: person.email })
    assert.ok((await browser.get(all)).text.includes(other.email))
    await portal.host.sql`
      insert into core.audit (owner_id, id, at, action, outcome, details)
      select ${person.userId}, gen_random_uuid(), now() - n * interval '1 hour', 'old.action', 'ok', '{}' from generate_series(1, 60) n`
    assert.match((await browser.get('/settings/activity')).text, /rel="next"/)
    assert.match((await browser.get('/settings/activity?from=50')).text, /old\.action/)
  })
})
