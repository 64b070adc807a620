import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditEntry } from 'tasuki/plugin'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { followRedirects, openIdProvider } from './identity-provider.ts'
import { portalHost, type Browser, type Page } from './portal-host.ts'
import { fillSecondFactor } from './fill-portal.ts'

const idp = await openIdProvider()
after(() => void idp.server.close())

forEachEngine('sign-in through an OpenID provider', engine => {
  const openid = { issuer: idp.issuer, client_id: 'tasuki', name: 'Example ID' }
  const careful = portalHost(engine, { settings: { openid } })
  const trusting = portalHost(engine, {
    settings: { openid: { ...openid, trust_email: true }, password_sign_in: false },
  })
  // Port 9 is the one of the discard protocol, where nobody listens.
  const unreachable = portalHost(engine, { settings: { openid: { ...openid, issuer: 'http://localhost:9' } } })
  before(() => {
    // Tokens of the provider contain the real time.
    careful.now = new Date()
    trusting.now = new Date()
  })
  const arrive = async (browser: Browser, from = '/sign-in/provider'): Promise<Page> => {
    const away = await browser.get(from)
    return browser.get(await followRedirects(away.location!))
  }
  const link = async (browser: Browser): Promise<Page> => {
    await browser.get('/settings/security')
    const page = await browser.send('/settings/security/provider/link')
    const [, address] = /http-equiv="refresh"\s+content="0;url=([^"]+)"/.exec(page.text)!
    return browser.get(await followRedirects(address!.replaceAll('&amp;', '&')))
  }

  test('a provider that does not answer is said where the sign-in began', async () => {
    const says = /Your provider does not answer\. Try again in some minutes\./
    const guest = unreachable.browser()
    const back = await guest.get('/sign-in/provider?return_to=%2Fprojects')
    assert.deepEqual([back.status, back.location], [303, '/sign-in?return_to=%2Fprojects'])
    assert.match((await guest.get(back.location!)).text, says)
    const browser = await unreachable.signedIn()
    const confirm = await browser.get('/sign-in/provider/confirm?return_to=%2Fsettings%2Fsecurity')
    assert.deepEqual([confirm.status, confirm.location], [303, '/settings/security'])
    assert.match((await browser.get('/settings/security')).text, says)
    const linked = await browser.send('/settings/security/provider/link')
    assert.equal(linked.status, 422)
    assert.match(linked.text, says)
  })

  verifies('portal.open_redirect', 'of several targets none is returned to', async () => {
    const { status } = await careful.browser().get('/sign-in/provider?return_to=/settings&return_to=/projects')
    assert.equal(status, 303)
  })

  verifies('portal.provider', 'a linked account signs in even if its e-mail address changes', async () => {
    const { email } = await careful.newUser()
    const browser = await careful.signedIn(email)
    idp.person = { sub: `linked-${engine}`, email: 'else@example.org', verified: false }
    assert.equal((await link(browser)).location, '/settings/security')
    const { text } = await browser.get('/settings/security')
    assert.ok(text.includes('The account is linked') && text.includes('else@example.org'))
    idp.person.email = 'changed@example.org'
    const fresh = careful.browser()
    assert.match((await fresh.get('/sign-in')).text, /Sign in with Example ID/)
    const done = await arrive(fresh, '/sign-in/provider?return_to=%2Fsettings%2Faccount')
    assert.deepEqual([done.status, done.location], [303, '/settings/account'])
    assert.ok((await fresh.get('/settings/account')).text.includes(email))
    // One account of the provider cannot belong to two users.
    const other = await careful.signedIn()
    await link(other)
    assert.match((await other.get('/settings/security')).text, /linked to another user/)
    await browser.get('/settings/security')
    await browser.send('/settings/security/provider/unlink', { issuer: idp.issuer, subject: idp.person.sub })
    assert.equal((await arrive(careful.browser())).location, '/sign-in')
  })

  verifies(
    'portal.provider',
    'an e-mail address signs in nobody unless the provider is trusted and has verified it',
    async () => {
      for (const [portal, verified, signsIn] of [
        [careful, true, false],
        [trusting, false, false],
        [trusting, true, true],
      ] as const) {
        const email = `mail-${verified}-${portal === careful}@example.com`
        await portal.host.user(email)
        idp.person = { sub: `mail-${verified}-${portal === careful}-${engine}`, email: email.toUpperCase(), verified }
        const browser = portal.browser()
        const done = await arrive(browser)
        assert.equal(done.location, signsIn ? '/' : '/sign-in')
        assert.equal((await browser.get('/settings/account')).status, signsIn ? 200 : 303)
        // Without passwords, nobody is told to sign in with one.
        const advice = portal === careful ? 'Sign in with your password' : 'Ask the administrator'
        if (!signsIn)
          assert.match((await arriveNotice(portal)).text, new RegExp(`No user here has this account\\. ${advice}`))
      }
      async function arriveNotice(portal: typeof careful): Promise<Page> {
        const browser = portal.browser()
        await arrive(browser)
        return browser.get('/sign-in')
      }
    },
  )

  test('a sign-in that fails at the provider keeps where the person was going', async () => {
    const browser = careful.browser()
    const there = '/settings/account?x=1'
    const from = `/sign-in/provider?return_to=${encodeURIComponent(there)}`
    const back = `/sign-in?return_to=${encodeURIComponent(there)}`
    const state = new URL((await browser.get(from)).location!).searchParams.get('state')!
    const declined = await browser.get(`/sign-in/provider/callback?error=access_denied&state=${state}`)
    assert.deepEqual([declined.status, declined.location], [303, back])
    assert.match((await browser.get(back)).text, /That did not work/)
    idp.person = { sub: `nobody-${engine}`, email: `nobody-${engine}@example.com`, verified: true }
    assert.equal((await arrive(browser, from)).location, back)
    // A return is used once, and only in the browser that started it.
    assert.equal((await browser.get(`/sign-in/provider/callback?code=x&state=${state}`)).location, '/sign-in')
  })

  test('two tabs that are at the provider at once both arrive where they were going', async () => {
    const { email } = await careful.newUser()
    idp.person = { sub: `tabs-${engine}`, email, verified: true }
    await link(await careful.signedIn(email))
    const browser = careful.browser()
    const starts = ['/settings/account', '/settings/activity', `/projects?${'x'.repeat(2000)}`]
    const away: string[] = []
    for (const there of starts)
      away.push((await browser.get(`/sign-in/provider?return_to=${encodeURIComponent(there)}`)).location!)
    for (const [n, there] of starts.entries())
      assert.equal((await browser.get(await followRedirects(away[n]!))).location, there)
    assert.equal(browser.cookies.has('tasuki-provider'), false)
  })

  verifies('portal.provider', 'a user with a second factor is asked for it after the provider too', async () => {
    const { email, userId } = await careful.newUser()
    const browser = await careful.signedIn(email)
    idp.person = { sub: `second-${engine}`, email: 'else@example.org', verified: false }
    await link(browser)
    await fillSecondFactor(careful, userId)
    const fresh = careful.browser()
    const done = await arrive(fresh, '/sign-in/provider?return_to=%2Fsettings%2Faccount')
    assert.equal(done.location, '/sign-in/second-step')
    assert.equal((await fresh.get('/settings/account')).status, 303)
    // With a second factor, signing in at the provider is only the first step.
    const confirm = '/sign-in/provider/confirm?return_to=%2Fsettings%2Fsecurity'
    assert.equal((await arrive(browser, confirm)).location, '/sign-in/second-step')
    await browser.get('/settings/security')
    assert.match((await browser.send('/settings/security/revoke-everything')).text, /name="confirm_code"/)
  })

  verifies(
    'portal.provider',
    'a second factor that the provider reports counts, and the trail records it',
    async () => {
      const { email, userId } = await careful.newUser()
      const browser = await careful.signedIn(email)
      idp.person = { sub: `amr-${engine}`, email, verified: true }
      await link(browser)
      await fillSecondFactor(careful, userId)
      for (const [amr, location, second] of [
        [['pwd'], '/sign-in/second-step', undefined],
        [['pwd', 'otp', 'mfa'], '/', 'provider'],
      ] as const) {
        idp.person = { ...idp.person, amr }
        assert.equal((await arrive(careful.browser())).location, location)
        await careful.host.audit.flush()
        const { text } = await careful.host.command('audit', { user: email, limit: 100, format: 'json' })
        const [entry] = text!
          .split('\n')
          .map(line => JSON.parse(line) as AuditEntry)
          .filter(({ action }) => action === 'session.started')
        assert.deepEqual(
          [entry!.details['method'], entry!.details['second']],
          [second ? 'provider' : 'password', second],
        )
      }
    },
  )

  verifies('portal.provider', 'with passwords off, only the provider signs people in', async () => {
    const browser = trusting.browser()
    const { text } = await browser.get('/sign-in')
    assert.ok(!text.includes('name="password"') && text.includes('Sign in with Example ID'))
    assert.equal((await browser.post('/sign-in', { email: 'x', password: 'y' })).status, 403)
  })

  verifies(
    'portal.revoke_everything',
    'a user without a password must sign in at the provider again first',
    async () => {
      const email = `fresh-${engine}@example.com`
      const { userId } = await trusting.host.user(email)
      idp.person = { sub: `fresh-${engine}`, email, verified: true }
      const browser = trusting.browser()
      await arrive(browser)
      const revoke = async (): Promise<Page> => {
        await browser.get('/settings/security')
        return browser.send('/settings/security/revoke-everything')
      }
      const asked = await revoke()
      assert.match(asked.text, /You have no password/)
      const [, confirm] = /href="(\/sign-in\/provider\/confirm[^"]+)"/.exec(asked.text)!
      // Another account of the provider does not prove this person.
      idp.person = { ...idp.person, sub: `else-${engine}` }
      await arrive(browser, confirm)
      assert.match((await revoke()).text, /You have no password/)
      idp.person = { ...idp.person, sub: `fresh-${engine}` }
      const away = await browser.get(confirm!)
      assert.match(away.location!, /prompt=login/)
      const back = await browser.get(await followRedirects(away.location!))
      assert.equal(back.location, '/settings/security')
      assert.deepEqual((await revoke()).location, '/settings/security')
      const begun = trusting.now
      trusting.now = new Date(begun.getTime() + 11 * 60_000)
      assert.match((await revoke()).text, /You have no password/)
      trusting.now = begun
      const [row] = await trusting.host.sql<{ n: number }>`
      select count(*)::int as n from core.audit where owner_id = ${userId} and action = 'user.access_revoked'`
      assert.equal(row!.n, 1)
    },
  )

  verifies(
    'portal.provider',
    'an answer that this browser did not request, or requested long ago, is refused',
    async () => {
      idp.person = { sub: `mixed-${engine}`, email: 'mail-true-false@example.com', verified: true }
      const [one, other] = [trusting.browser(), trusting.browser()]
      const mine = await followRedirects((await one.get('/sign-in/provider')).location!)
      const theirs = await followRedirects((await other.get('/sign-in/provider')).location!)
      assert.equal((await one.get(theirs)).location, '/sign-in')
      assert.equal((await trusting.browser().get(mine)).location, '/sign-in')
      // The answer of another browser ends no sign-in of this one, whose own answer counts once.
      assert.equal((await one.get(mine)).location, '/')
      one.cookies.delete('tasuki-session')
      assert.equal((await one.get(mine)).location, '/sign-in')
      const late = trusting.browser()
      const answer = await followRedirects((await late.get('/sign-in/provider')).location!)
      const begun = trusting.now
      trusting.now = new Date(begun.getTime() + 11 * 60_000)
      assert.equal((await late.get(answer)).location, '/sign-in')
      trusting.now = begun
      const evil = await trusting.browser().get('/sign-in/provider?return_to=https%3A%2F%2Fevil.example')
      assert.ok(evil.location!.startsWith(idp.issuer))
      assert.equal((await other.get(theirs)).location, '/')
    },
  )
})
