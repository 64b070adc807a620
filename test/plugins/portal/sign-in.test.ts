import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import fc from 'fast-check'
import type { HttpRequest } from '../../../plugins/portal/http-context.ts'
import { countAttempt, forgetAttempts } from '../../../plugins/portal/auth/attempts.ts'
import { safePath } from '../../../plugins/portal/auth/csrf.ts'
import { findWeakness, hashPassword, verifyPassword } from '../../../plugins/portal/auth/password.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { PASSWORD, portalHost, type Browser } from './portal-host.ts'

const WRONG = 'not the right password'

async function tryPassword(browser: Browser, email: string, password: string, returnTo = '/') {
  await browser.get('/sign-in')
  return browser.send('/sign-in', { email, password, return_to: returnTo })
}

forEachEngine('sign-in', engine => {
  const portal = portalHost(engine)
  const { signedIn, newUser } = portal
  beforeEach(() => {
    // Later than the counts of the previous test last.
    portal.now = new Date(portal.now.getTime() + 3_600_000)
  })

  test('leads from any page to the sign-in page and back', async () => {
    const { email } = await newUser()
    const browser = portal.browser()
    const asked = await browser.get('/settings/account?x=1')
    assert.equal(asked.status, 303)
    assert.equal(asked.location, `/sign-in?return_to=${encodeURIComponent('/settings/account?x=1')}`)
    const page = await browser.get(asked.location)
    assert.match(page.text, /name="return_to"\s+value="\/settings\/account\?x=1"/)
    const done = await browser.send('/sign-in', { email, password: PASSWORD, return_to: '/settings/account?x=1' })
    assert.deepEqual([done.status, done.location], [303, '/settings/account?x=1'])
    const account = await browser.get('/settings/account')
    assert.match(account.text, new RegExp(email))
    assert.equal((await browser.get('/sign-in')).status, 303)
  })

  test('a mistyped password keeps where the person was going', async () => {
    const { email } = await newUser()
    const browser = portal.browser()
    const there = '/settings/account?x=1'
    for (const attempt of ['first', 'second']) {
      const refused = await tryPassword(browser, email, WRONG, there)
      const kept = refused.text.match(/name="return_to"\s+value="\/settings\/account\?x=1"/g)
      assert.equal(kept?.length, 2, `${attempt}: by password and by passkey`)
    }
    const { text } = await tryPassword(browser, email, WRONG, 'https://evil.example/')
    assert.equal(text.match(/name="return_to"\s+value="\/"/g)?.length, 2)
  })

  test('a second tab with the sign-in page leads on after the first, and is shown again after a sign-out', async () => {
    const { email } = await newUser()
    const browser = portal.browser()
    await browser.get('/sign-in')
    const fields = { proof: browser.proof('/sign-in')!, email, password: PASSWORD, return_to: '/settings/account' }
    assert.equal((await browser.post('/sign-in', fields)).status, 303)
    const second = await browser.post('/sign-in', fields)
    assert.deepEqual([second.status, second.location], [303, '/settings/account'])
    const foreign = await browser.post('/sign-in', fields, { 'sec-fetch-site': 'cross-site' })
    assert.equal(foreign.status, 403)
    await browser.get('/settings/account')
    await browser.send('/sign-out')
    const third = await browser.post('/sign-in', fields)
    assert.equal(third.status, 403)
    assert.match(third.text, /This form had expired, and nothing was changed\. Send it again\./)
    assert.ok(third.text.includes(email) && !third.text.includes(PASSWORD))
    const sent = await browser.send('/sign-in', { email, password: PASSWORD, return_to: '/settings/account' })
    assert.equal(sent.location, '/settings/account')
  })

  test('accepts the e-mail address in any case, and with surrounding spaces', async () => {
    const { email } = await newUser()
    assert.equal((await tryPassword(portal.browser(), ` ${email.toUpperCase()} `, PASSWORD)).status, 303)
  })

  test("refuses a disabled user, and ends the user's sessions", async () => {
    const { email, userId } = await newUser()
    const browser = await signedIn(email)
    await portal.host.sql`update core.users set disabled_at = now() where id = ${userId}`
    assert.equal((await browser.get('/settings/account')).status, 303)
    assert.equal((await tryPassword(portal.browser(), email, PASSWORD)).status, 422)
  })

  const wait = (seconds: number): void => {
    portal.now = new Date(portal.now.getTime() + seconds * 1000)
  }

  verifies('portal.brute_force', 'after ten failures an address waits, twice as long each time', async () => {
    const { email } = await newUser()
    const browser = portal.browser('198.51.100.1')
    for (let n = 0; n < 10; n++) assert.equal((await tryPassword(browser, email, WRONG)).status, 422, String(n))
    for (const seconds of [1, 2, 4, 8]) {
      const refused = await tryPassword(browser, email, PASSWORD)
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, String(seconds)])
      assert.match(refused.text, /Too many attempts\. Try again in \d+ seconds?\./)
      wait(seconds)
      assert.equal((await tryPassword(browser, email, WRONG)).status, 422)
    }
    wait(16)
    assert.equal((await tryPassword(browser, email, PASSWORD)).status, 303)
    const kept = await portal.host
      .sql`select key from portal.attempts where key like 'pair %' and expires_at > ${portal.now}`
    assert.deepEqual(kept, [])
  })

  verifies('portal.brute_force', 'guessing passwords locks nobody else out', async () => {
    const { email } = await newUser()
    const home = portal.browser('192.0.2.1')
    assert.equal((await tryPassword(home, email, PASSWORD)).status, 303)
    await home.get('/settings/security')
    home.cookies.delete('tasuki-session')
    const guess = async (address: string) => (await tryPassword(portal.browser(address), email, WRONG)).status
    for (let n = 0; n < 14; n++) await guess('198.51.100.9')
    assert.equal(await guess('198.51.100.9'), 429)
    // With another address and another browser, the right password succeeds at once.
    assert.equal((await tryPassword(portal.browser('198.51.100.10'), email, PASSWORD)).status, 303)
    // Attempts from many addresses: a browser that has signed in before succeeds at once, others after five seconds.
    await portal.host.sql`
      update portal.attempts set failures = 99 where key = ${`account ${hash('sha256', email, 'base64url')}`}`
    await guess('203.0.113.1')
    assert.equal((await tryPassword(home, email, PASSWORD)).status, 303)
    const elsewhere = await tryPassword(portal.browser('198.51.100.11'), email, PASSWORD)
    assert.deepEqual([elsewhere.status, elsewhere.headers['retry-after']], [429, '5'])
    wait(5)
    assert.equal((await tryPassword(portal.browser('198.51.100.11'), email, PASSWORD)).status, 303)
  })

  verifies('portal.brute_force', 'a browser is known only for the user who signed in there', async () => {
    const [{ email }, other] = [await newUser(), await newUser()]
    const browser = portal.browser('198.51.100.20')
    assert.equal((await tryPassword(browser, other.email, PASSWORD)).status, 303)
    browser.cookies.delete('tasuki-session')
    for (let n = 0; n < 10; n++) await tryPassword(browser, email, WRONG)
    assert.equal((await tryPassword(browser, email, PASSWORD)).status, 429)
    // Attempts of one browser are limited too.
    for (let n = 0; n < 10; n++) assert.equal((await tryPassword(browser, other.email, WRONG)).status, 422)
    assert.equal((await tryPassword(browser, other.email, PASSWORD)).status, 429)
  })

  verifies('portal.brute_force', 'attempts on many accounts from one address or IPv6 network are limited', async () => {
    const { email } = await newUser()
    await portal.host.sql`
      insert into portal.attempts (key, failures, expires_at)
      values ('ip 2001:db8:1:2::/64', 105, ${new Date(portal.now.getTime() + 15 * 60_000)})`
    const refused = await tryPassword(portal.browser('2001:db8:1:2:ffff::7'), email, PASSWORD)
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '32'])
    assert.equal((await tryPassword(portal.browser('2001:db8:1:3::7'), email, PASSWORD)).status, 303)
  })

  test('attempts that succeed and attempts that begin do not deadlock', async () => {
    const { write } = portal.host
    const http = { request: { ip: '203.0.113.77', headers: {} } } as HttpRequest
    const attempted = { account: 'deadlock@example.com', userId: null }
    const attempts = Array.from({ length: 30 }, (_, n) =>
      write<unknown>(ctx => (n % 2 === 0 ? countAttempt(ctx, http, attempted) : forgetAttempts(ctx, http, attempted))),
    )
    await Promise.all(attempts)
  })

  verifies('portal.brute_force', 'twenty parallel attempts are all counted', async () => {
    const { email } = await newUser()
    const browsers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = portal.browser('203.0.113.250')
        await browser.get('/sign-in')
        return browser
      }),
    )
    const answers = await Promise.all(
      browsers.map(browser => browser.send('/sign-in', { email, password: WRONG, return_to: '/' })),
    )
    assert.equal(answers.filter(({ status }) => status === 422).length, 10)
    assert.equal(answers.filter(({ status }) => status === 429).length, 10)
  })

  verifies(
    'portal.enumeration',
    'an unknown user gets the same page as a wrong password, in the same time',
    async () => {
      const { email } = await newUser()
      const timed = async (address: string) => {
        const browser = portal.browser()
        await browser.get('/sign-in')
        const began = performance.now()
        const page = await browser.send('/sign-in', { email: address, password: WRONG, return_to: '/' })
        const took = performance.now() - began
        return {
          took,
          // The passkey challenge is new on every page.
          text: page.text
            .replaceAll(address, 'ADDRESS')
            .replace(/name="(?:proof|once|challenge)"\s+value="[^"]+"/g, '')
            .replace(/&quot;challenge&quot;:&quot;[\w-]{43}&quot;/g, ''),
          status: page.status,
        }
      }
      const known: number[] = []
      const unknown: number[] = []
      for (let n = 0; n < 5; n++) {
        const [one, other] = [await timed(email), await timed(`nobody${n}@example.com`)]
        assert.deepEqual([one.status, one.text], [other.status, other.text])
        known.push(one.took)
        unknown.push(other.took)
      }
      // Hashing takes nearly all of the time, so without a hash the unknown user would be much faster.
      const least = (times: readonly number[]): number => Math.min(...times)
      assert.ok(least(unknown) > least(known) / 3, `${least(unknown)} ms against ${least(known)} ms`)
    },
  )

  verifies('portal.open_redirect', 'continues only to paths of this origin', async () => {
    const { email } = await newUser()
    for (const evil of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
    ]) {
      const done = await tryPassword(portal.browser(), email, PASSWORD, evil)
      assert.equal(done.location, '/', evil)
    }
    const services = { baseUrl: () => 'https://tasks.example' }
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('/', '\\', '.', '@', ':', '\t', '\n', '%2f', 'evil', 'https', '?', '#')),
        parts => {
          const to = safePath(services, parts.join(''))
          assert.equal(new URL(to, 'https://tasks.example/sign-in').origin, 'https://tasks.example')
          assert.ok(to.startsWith('/') && !to.startsWith('//'))
        },
      ),
    )
  })

  verifies('portal.fixation', 'a planted cookie does not become a session', async () => {
    const { email } = await newUser()
    const attacker = await signedIn()
    const planted = attacker.cookies.get('tasuki-session')!
    const victim = portal.browser()
    victim.cookies.set('tasuki-session', planted)
    await victim.get('/settings/account')
    // In the attacker's session, the victim signs out and signs in with their own account.
    await victim.send('/sign-out')
    await victim.get('/sign-in')
    victim.cookies.set('tasuki-visitor', 'planted-by-somebody-else-12345')
    await victim.get('/sign-in')
    const done = await victim.send('/sign-in', { email, password: PASSWORD, return_to: '/' })
    assert.equal(done.status, 303)
    assert.notEqual(victim.cookies.get('tasuki-session'), planted)
    assert.equal((await attacker.get('/settings/account')).status, 303)
    const before = victim.cookies.get('tasuki-session')
    const again = await signedIn(email)
    assert.notEqual(again.cookies.get('tasuki-session'), before)
  })

  verifies('portal.sessions', 'signing out ends one session, others continue', async () => {
    const { email } = await newUser()
    const [one, other] = [await signedIn(email), await signedIn(email)]
    const kept = one.cookies.get('tasuki-session')!
    await one.get('/settings/account')
    const out = await one.send('/sign-out')
    assert.equal(out.location, '/sign-in')
    assert.equal(one.cookies.has('tasuki-session'), false)
    assert.match((await one.get('/sign-in')).text, /You are signed out/)
    assert.doesNotMatch((await one.get('/sign-in')).text, /You are signed out/)
    one.cookies.set('tasuki-session', kept)
    assert.equal((await one.get('/settings/account')).status, 303)
    assert.equal((await other.get('/settings/account')).status, 200)
  })

  verifies('portal.sessions', 'sessions are listed, and ended one by one or all at once', async () => {
    const { email } = await newUser()
    const [one, two, three] = [await signedIn(email), await signedIn(email), await signedIn(email)]
    const { text } = await one.get('/settings/security')
    assert.equal(text.match(/Firefox, Linux/g)!.length >= 3, true)
    const ends = [...text.matchAll(/action="(\/settings\/security\/sessions\/[^"]+\/end)"/g)].map(match => match[1]!)
    assert.ok(ends.length >= 2)
    for (const end of ends) {
      assert.equal((await one.send(end)).status, 303)
      await one.get('/settings/security')
    }
    for (const browser of [two, three]) assert.equal((await browser.get('/settings/account')).status, 303)
    assert.equal((await one.get('/settings/account')).status, 200)
    const four = await signedIn(email)
    await one.get('/settings/security')
    assert.equal((await one.send('/settings/security/sign-out-everywhere')).location, '/sign-in')
    for (const browser of [one, four]) assert.equal((await browser.get('/settings/account')).status, 303)
  })

  verifies(
    'portal.sessions',
    'no session is hidden among others: the list shows all 200 that a user may have',
    async () => {
      const { email, userId } = await newUser()
      const browser = await signedIn(email)
      await portal.host.sql`update portal.sessions set seen_at = seen_at - interval '1 hour' where owner_id = ${userId}`
      await portal.host.sql`
      insert into portal.sessions (owner_id, id, hash, ip, user_agent, created_at, seen_at, expires_at)
      select owner_id, gen_random_uuid(), hash, ip, user_agent, created_at, seen_at + interval '1 minute', expires_at
      from portal.sessions, generate_series(1, 205) where owner_id = ${userId}`
      const { text } = await (await signedIn(email)).get('/settings/security')
      assert.equal(text.match(/action="\/settings\/security\/sessions\//g)!.length, 199, 'all but this one')
      assert.equal((await portal.host.sql`select from portal.sessions where owner_id = ${userId}`).length, 200)
      assert.equal((await browser.get('/settings/account')).status, 303, 'the one last seen longest ago has ended')
    },
  )

  verifies('portal.sessions', 'a session of another user cannot be ended', async () => {
    const stranger = await signedIn()
    const { email, userId } = await newUser()
    const browser = await signedIn(email)
    const [row] = await portal.host.sql<{
      id: string
    }>`select id from portal.sessions where owner_id = ${userId} order by created_at desc limit 1`
    await stranger.get('/settings/security')
    // A proof is bound to an address: try the proof of the stranger's own page on the other's session.
    const refused = await stranger.post(`/settings/security/sessions/${row!.id}/end`, {
      proof: stranger.proof('/sign-out')!,
    })
    assert.equal(refused.status, 403)
    assert.equal((await browser.get('/settings/account')).status, 200)
  })

  verifies('portal.sessions', 'a session ends when it is idle for a week or a month old', async () => {
    const { email } = await newUser()
    const begun = portal.now.getTime()
    const at = (days: number) => void (portal.now = new Date(begun + days * 86_400_000))
    const browser = await signedIn(email)
    for (const day of [6, 12, 18, 24, 29]) {
      at(day)
      assert.equal((await browser.get('/settings/account')).status, 200, `day ${day}`)
    }
    at(30.01)
    assert.equal((await browser.get('/settings/account')).status, 303)
    const idle = await signedIn(email)
    at(37.2)
    assert.equal((await idle.get('/settings/account')).status, 303)
    await portal.host.runner.write({ ...(await sweepScope()) }, async ctx =>
      portal.host.registry.jobs.find(({ name }) => name === 'portal.sweep')!.run(ctx, {}),
    )
    assert.deepEqual(
      await portal.host
        .sql`select count(*)::int as n from portal.sessions where seen_at < ${portal.now}::timestamptz - interval '168 hours'`,
      [{ n: 0 }],
    )
  })
  const sweepScope = async () => ({
    principal: portal.host.authenticator.systemPrincipal(),
    name: 'portal.sweep',
    requestId: 'test',
    ifUpdatedAt: null,
    clientName: null,
    cancellation: new AbortController(),
    log: portal.host.app.log,
    client: undefined as never,
  })

  verifies(
    'portal.passwords',
    'a password is changed with the current one, and signs out everywhere else',
    async () => {
      const { email, userId } = await newUser()
      const [one, other] = [await signedIn(email), await signedIn(email)]
      const change = async (fields: Record<string, string>) => {
        await one.get('/settings/security')
        return one.send('/settings/security/password', fields)
      }
      const next = 'seven green bottles fall'
      assert.match((await change({ current: WRONG, password: next, again: next })).text, /not your password/)
      assert.match(
        (await change({ current: PASSWORD, password: next, again: `${next}!` })).text,
        /two passwords differ/,
      )
      assert.match((await change({ current: PASSWORD, password: 'short', again: 'short' })).text, /at least 12/)
      const done = await change({ current: PASSWORD, password: next, again: next })
      assert.equal(done.location, '/settings/security')
      assert.match((await one.get('/settings/security')).text, /password is changed/)
      assert.equal((await other.get('/settings/account')).status, 303)
      assert.equal((await tryPassword(portal.browser(), email, PASSWORD)).status, 422)
      assert.equal((await tryPassword(portal.browser(), email, next)).status, 303)
      const [row] = await portal.host.sql<{
        hash: string
      }>`select hash from portal.passwords where owner_id = ${userId}`
      assert.match(row!.hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    },
  )

  test('with passwords off in the config is refused', async () => {
    assert.equal((await portal.browser().get('/sign-in/provider')).status, 404)
  })
})

verifies('portal.passwords', 'common passwords are refused, without composition rules', () => {
  for (const [password, reason] of [
    ['elevenchars', 'short'],
    ['🐴🐴🐴', 'short'],
    ['x'.repeat(201), 'long'],
    ['aaaaaaaaaaaaaa', 'common'],
    ['123456789012', 'common'],
    ['password1234', 'common'],
    ['Passw0rd!2026', 'common'],
    ['annexample123', 'common'],
    ['qwertyuiop123', 'common'],
    ['horse cake violet zinc', null],
    ['correcthorsebatterystaple', null],
    ['正しい馬の電池の留め金です', null],
    ['kq7vz2m9xw4t', null],
  ] as const) {
    assert.equal(findWeakness(password, ['ann', 'example', 'com']), reason, password)
  }
})

verifies('portal.passwords', 'a hash matches its password in every Unicode form, and no other', async () => {
  const phc = await hashPassword('パスワードはガラスの靴')
  assert.equal(await verifyPassword('パスワードはガラスの靴'.normalize('NFD'), phc), true)
  assert.equal(await verifyPassword('パスワードはガラスの窓', phc), false)
  assert.equal(await verifyPassword('anything', null), false)
  assert.notEqual(await hashPassword('パスワードはガラスの靴'), phc)
})
