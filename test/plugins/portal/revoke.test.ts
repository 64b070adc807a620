import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeCaller } from '../../../core/testing/caller.ts'
import { testHost } from '../../../core/testing/host.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { forEachEngine, noPostgres } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { answer, authorize, CALLBACK } from './client-app.ts'
import { newBrowser, PASSWORD, portalHost, type Browser, type Page } from './portal-host.ts'

const SECURITY = '/settings/security'
const REVOKE = `${SECURITY}/revoke-everything`
const ACTION = 'user.access_revoked'

forEachEngine('revoking everything', engine => {
  const portal = portalHost(engine)
  const status = async (token: string): Promise<number> =>
    (await makeCaller(portal.host.app, '', token).rpc('tools/list')).status
  const tokenIn = ({ text }: Page): string => /svc_pat_[0-9A-Za-z]{38}/.exec(text)![0]
  const issue = async (browser: Browser): Promise<string> => {
    await browser.get('/settings/integrations')
    return tokenIn(await browser.send('/settings/integrations/tokens', { name: 'a', scope: 'write', lifetime: '90' }))
  }
  const connect = async (browser: Browser): Promise<{ access_token: string; refresh_token: string; id: string }> => {
    const { id, verifier, page } = await authorize(portal.host.app, browser, {})
    const { address } = await answer(browser, page, { decision: 'allow', scope: 'write' })
    const code = new URL(address!).searchParams.get('code')!
    const granted = await redeem({ grant_type: 'authorization_code', client_id: id, code, code_verifier: verifier })
    return { ...granted.json<{ access_token: string; refresh_token: string }>(), id }
  }
  const redeem = (fields: Record<string, string>) =>
    portal.host.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { host: 'localhost:3000', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ redirect_uri: CALLBACK, ...fields }).toString(),
    })
  const isIn = async (browser: Browser): Promise<boolean> => (await browser.get(SECURITY)).status === 200
  const recorded = (userId: string) =>
    portal.host.sql<{ details: object; actor_kind: string }>`
      select details, actor_kind from core.audit where owner_id = ${userId} and action = ${ACTION}`

  verifies(
    'portal.revoke_everything',
    'one button revokes other sessions, apps and tokens at once, after the password only',
    async () => {
      const person = await portal.newUser()
      const other = await portal.newUser()
      const [here, elsewhere, otherBrowser] = [
        await portal.signedIn(person.email),
        await portal.signedIn(person.email),
        await portal.signedIn(other.email),
      ]
      const tokens = [person.token, await issue(here), (await connect(here)).access_token]
      const others = [other.token, (await connect(otherBrowser)).access_token]
      const refresh = await connect(elsewhere)
      const link = await portal.setupCode(person.email)
      for (const token of [...tokens, ...others]) assert.equal(await status(token), 200)

      await here.get(SECURITY)
      const asked = await here.send(REVOKE)
      assert.match(asked.text, /Confirm that it is you/)
      const wrong = await here.send(REVOKE, { confirm_password: `${PASSWORD}?` })
      assert.equal(wrong.status, 422)
      assert.match(wrong.text, /This is not your password/)
      assert.equal(await status(tokens[0]!), 200)
      const done = await here.send(REVOKE, { confirm_password: PASSWORD })
      assert.deepEqual([done.status, done.location], [303, SECURITY])
      assert.match((await here.get(SECURITY)).text, /2 sessions, 2 applications, 2 tokens/)

      for (const token of [...tokens, refresh.access_token]) assert.equal(await status(token), 401)
      const { id: client_id, refresh_token } = refresh
      assert.equal((await redeem({ grant_type: 'refresh_token', client_id, refresh_token })).statusCode, 400)
      assert.deepEqual([await isIn(here), await isIn(elsewhere), await isIn(otherBrowser)], [true, false, true])
      for (const token of others) assert.equal(await status(token), 200)
      const stranger = portal.browser()
      assert.match((await stranger.get('/setup')).text, /No set-up link is open here/, link)
      assert.deepEqual(
        (await recorded(person.userId)).map(({ details, actor_kind: kind }) => ({ ...details, kind })),
        [{ tokens: 2, apps: 2, sessions: 2, setup_links: 1, kind: 'human' }],
      )
      // Revoking asks for the password each time.
      await here.get(SECURITY)
      assert.match((await here.send(REVOKE)).text, /Confirm that it is you/)
    },
  )

  test('guesses at the password of an open browser are counted', async () => {
    const browser = await portal.signedIn()
    await browser.get(SECURITY)
    await browser.send(REVOKE)
    let last = await browser.send(REVOKE, { confirm_password: '' })
    assert.equal(last.status, 422)
    for (let n = 0; n < 11 && last.status !== 429; n++) last = await browser.send(REVOKE, { confirm_password: 'guess' })
    assert.deepEqual([last.status, last.headers['retry-after']], [429, '1'])
    const changed = { current: PASSWORD, password: 'A longer passphrase', again: 'A longer passphrase' }
    await browser.get(SECURITY)
    const refused = await browser.send(`${SECURITY}/password`, changed)
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1'])
    assert.equal((await browser.send(REVOKE, { confirm_password: PASSWORD })).status, 429)
  })

  verifies(
    'portal.confirm',
    'tokens and members need a password that was entered within ten minutes in this session',
    async () => {
      const person = await portal.newUser()
      await portal.host.command('project create', { key: 'APP', name: 'The app', user: person.email })
      const other = await portal.newUser()
      const browser = await portal.signedIn(person.email)
      const begun = portal.now
      const count = async (table: 'tokens' | 'invitations'): Promise<number> => {
        const [row] = await (table === 'tokens'
          ? portal.host.sql<{ n: number }>`select count(*)::int as n from core.tokens where user_id = ${person.userId}`
          : portal.host.sql<{ n: number }>`
              select count(*)::int as n from projects.invitations where owner_id = ${person.userId}`)
        return row!.n
      }
      const tokens = await count('tokens')
      portal.now = new Date(begun.getTime() + 11 * 60_000)
      // The members page asks for the password and keeps the posted values until then.
      await browser.get('/projects/APP/members')
      const invitation = { email: other.email, role: 'viewer' }
      assert.match((await browser.send('/projects/APP/members', invitation)).text, /Confirm that it is you/)
      assert.equal(await count('invitations'), 0)
      const kept = { email: other.email, role: 'viewer' }
      const done = await browser.send('/projects/APP/members', { ...kept, confirm_password: PASSWORD })
      assert.deepEqual([done.status, done.location, await count('invitations')], [303, '/projects/APP/members', 1])
      // The password is now recent, but only in this session.
      await issue(browser)
      assert.equal(await count('tokens'), tokens + 1)
      const elsewhere = await portal.signedIn(person.email)
      portal.now = new Date(begun.getTime() + 22 * 60_000)
      await elsewhere.get('/settings/integrations')
      const fields = { name: '<b>', scope: 'read', lifetime: '30' }
      const asked = await elsewhere.send('/settings/integrations/tokens', fields)
      assert.match(asked.text, /Confirm that it is you/)
      assert.match(asked.text, /name="name" value="&lt;b&gt;"/)
      assert.equal(await count('tokens'), tokens + 1)
      // Errors of the form come before the question for the password.
      await elsewhere.get('/settings/integrations')
      assert.equal((await elsewhere.send('/settings/integrations/tokens', { ...fields, name: '' })).status, 422)
      portal.now = begun
    },
  )

  verifies('auth.operator_revokes', 'the operator revokes all access of a user, and of nobody else', async () => {
    const person = await portal.newUser()
    const other = await portal.newUser()
    const browser = await portal.signedIn(person.email)
    const { access_token: token } = await connect(browser)
    const { text } = await portal.host.command('user revoke', { email: person.email })
    assert.match(text!, /: 1 token, 1 app, 2 sessions\. /)
    const again = await portal.host.command('user revoke', { email: person.email })
    assert.match(again.text!, /^\S+ had no access to end\. /)
    assert.deepEqual([await status(person.token), await status(token), await isIn(browser)], [401, 401, false])
    assert.equal(await status(other.token), 200)
    assert.equal((await recorded(person.userId))[0]!.actor_kind, 'system')
    await portal.signedIn(person.email)
    await assert.rejects(portal.host.command('user revoke', { email: 'nobody@example.com' }), { code: 'not_found' })
  })
})

describe('revoking everything on two instances', { skip: noPostgres }, () => {
  const portal = portalHost('postgres')
  const scope = suiteScope()

  test('the other instance refuses the tokens and sessions that it has cached', async () => {
    const second = await testHost(scope, { database: portal.host.databaseOptions, now: () => portal.now })
    const person = await portal.newUser()
    const caller = makeCaller(second.app, '', person.token)
    const browser = newBrowser(second.app)
    await browser.get('/sign-in')
    await browser.send('/sign-in', { email: person.email, password: PASSWORD, return_to: '/' })
    assert.equal((await caller.rpc('tools/list')).status, 200)
    assert.equal((await browser.get(SECURITY)).status, 200)
    await portal.host.command('user revoke', { email: person.email })
    for (const deadline = Date.now() + 15_000; (await caller.rpc('tools/list')).status !== 401; await sleep(20))
      assert.ok(Date.now() < deadline, 'the message about the end did not come')
    assert.equal((await browser.get(SECURITY)).status, 303)
  })
})
