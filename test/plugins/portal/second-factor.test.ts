import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { TOTP } from 'otpauth'
import type { AuditEntry } from 'tasuki/plugin'
import { disableUser, enableUser } from '../../../core/identity/users.ts'
import { derivedKey } from '../../../core/identity/signing-key.ts'
import { createCsrfToken } from '../../../plugins/portal/auth/csrf.ts'
import { forEachEngine } from '../../engines.ts'
import { authorize, follow } from './client-app.ts'
import { PASSWORD, portalHost, type Browser } from './portal-host.ts'

const SETTINGS = '/settings/second-factor'
const SECRET = Buffer.alloc(32, 7)
const STEP = '/sign-in/second-step'

forEachEngine('a second factor', engine => {
  const portal = portalHost(engine, { secret: SECRET })
  const wait = (seconds: number): void => {
    portal.now = new Date(portal.now.getTime() + seconds * 1000)
  }
  beforeEach(() => wait(3600))

  const codeOf = (secret: string, later = 0): string =>
    new TOTP({ secret }).generate({ timestamp: portal.now.getTime() + later * 1000 })
  const secretIn = (text: string): string => /<dd><code>([A-Z2-7 ]+)<\/code>/.exec(text)![1]!.replaceAll(' ', '')
  const recoveryIn = (text: string): readonly string[] => text.match(/\b[a-z2-9]{4}(-[a-z2-9]{4}){3}\b/g) ?? []

  /** Sets up an authenticator app through the pages. */
  const setUp = async (browser: Browser) => {
    const page = await browser.get(`${SETTINGS}/app`)
    const secret = secretIn(page.text)
    const [, sealed] = /name="secret" value="([^"]+)"/.exec(page.text)!
    const done = await browser.send(`${SETTINGS}/app`, { secret: sealed!, code: codeOf(secret) })
    assert.equal(done.status, 200, done.text)
    wait(60)
    return { secret, codes: recoveryIn(done.text) }
  }
  const person = async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    return { ...user, ...(await setUp(browser)), browser }
  }
  const firstStep = async (email: string, browser = portal.browser(), returnTo = '/') => {
    await browser.get('/sign-in')
    const done = await browser.send('/sign-in', { email, password: PASSWORD, return_to: returnTo })
    assert.deepEqual([done.status, done.location], [303, STEP], done.text)
    assert.equal(browser.cookies.has('tasuki-session'), false)
    await browser.get(STEP)
    return browser
  }
  const isIn = async (browser: Browser): Promise<boolean> => (await browser.get('/settings/account')).status === 200

  test('two tabs at the second step both arrive where they were going', async () => {
    const { email, secret } = await person()
    const browser = await firstStep(email, portal.browser(), '/settings/account')
    const step = (returnTo: string) => ({ proof: browser.proof(STEP)!, code: codeOf(secret), return_to: returnTo })
    const first = step('/settings/account')
    await firstStep(email, browser, '/settings/activity')
    const second = step('/settings/activity')
    assert.match((await browser.get(STEP)).text, /name="return_to" value="\/settings\/activity"/)
    const wrong = await browser.post(STEP, { ...first, code: '' })
    assert.match(wrong.text, /name="return_to" value="\/settings\/account"/)
    assert.equal((await browser.post(STEP, first)).location, '/settings/account')
    assert.equal((await browser.post(STEP, second)).location, '/settings/activity')
  })

  test('who takes too long at the second step begins again on the way to the same page', async () => {
    const { email, secret } = await person()
    const browser = await firstStep(email, portal.browser(), '/settings/account')
    wait(11 * 60)
    const fields = { proof: browser.proof(STEP)!, code: codeOf(secret), return_to: '/settings/account' }
    assert.equal((await browser.post(STEP, fields)).location, '/sign-in?return_to=%2Fsettings%2Faccount')
  })

  test('a double click on “Turn on” shows the codes, and one at the second step uses one of them and signs in', async () => {
    const { email } = await portal.newUser()
    const owner = await portal.signedIn(email)
    const page = await owner.get(`${SETTINGS}/app`)
    const sealed = /name="secret" value="([^"]+)"/.exec(page.text)![1]!
    const twice = async (browser: Browser, address: string, fields: Record<string, string>) => {
      const form = { proof: browser.proof(address)!, once: 'as-rendered', ...fields }
      return Promise.all([browser.post(address, form), browser.post(address, form)])
    }
    const shown = await twice(owner, `${SETTINGS}/app`, { secret: sealed, code: codeOf(secretIn(page.text)) })
    const [codes, same] = shown.map(({ text }) => recoveryIn(text))
    assert.equal(codes!.length, 10, shown[0].text)
    assert.deepEqual(same, codes)
    const browser = await firstStep(email)
    const done = await twice(browser, STEP, { code: codes![0]!, return_to: '/settings/account' })
    assert.deepEqual(
      done.map(({ location }) => location),
      ['/settings/account', '/settings/account'],
    )
    assert.deepEqual(done[1].headers['set-cookie'], done[0].headers['set-cookie'])
    assert.equal(await isIn(browser), true)
    assert.match((await browser.get(SETTINGS)).text, /9 are left/)
  })

  test('an app is set up with one valid code, a QR code, the secret as text, and ten recovery codes', async () => {
    const { email, userId } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const page = await browser.get(`${SETTINGS}/app`)
    assert.match(page.text, /<svg[^>]*>.*<path/s)
    const secret = secretIn(page.text)
    const [, sealed] = /name="secret" value="([^"]+)"/.exec(page.text)!
    const wrong = await browser.send(`${SETTINGS}/app`, { secret: sealed!, code: codeOf(secret, 600) })
    assert.equal(wrong.status, 422)
    assert.equal(secretIn(wrong.text), secret, 'the picture that was scanned stays')
    assert.ok(!(await browser.get('/sign-in')).text.includes(secret))
    await browser.get(`${SETTINGS}/app`)
    const done = await browser.send(`${SETTINGS}/app`, { secret: sealed!, code: codeOf(secret) })
    assert.equal(new Set(recoveryIn(done.text)).size, 10)
    assert.match((await browser.get(SETTINGS)).text, /10 are left/)
    const [row] = await portal.host.sql<{
      secret: string
    }>`select secret from portal.authenticators where owner_id = ${userId}`
    assert.ok(!row!.secret.includes(secret))
    const kept = await portal.host.sql<{ hash: string }>`
      select hash from portal.recovery_codes where owner_id = ${userId}`
    assert.ok(kept.every(({ hash }) => /^[\w-]{43}$/.test(hash)))
    // A user cannot confirm the secret of another user.
    const other = await portal.signedIn()
    await other.get(`${SETTINGS}/app`)
    assert.equal((await other.send(`${SETTINGS}/app`, { secret: sealed!, code: codeOf(secret) })).status, 422)
  })

  test('signing in asks for the second step, and then returns to the requested page', async () => {
    const { email, secret } = await person()
    const browser = await firstStep(email, portal.browser(), '/settings/account?x=1')
    assert.equal(await isIn(browser), false)
    await browser.get(STEP)
    const done = await browser.send(STEP, { code: codeOf(secret) })
    assert.deepEqual([done.status, done.location], [303, '/settings/account?x=1'])
    assert.equal(await isIn(browser), true)
    assert.equal(browser.cookies.has('tasuki-second_step'), false)
    await portal.host.audit.flush()
    const { text } = await portal.host.command('audit', { user: email, limit: 100, format: 'json' })
    const [entry] = text!.split('\n').map(line => JSON.parse(line) as AuditEntry)
    assert.deepEqual([entry!.action, entry!.details['second']], ['session.started', 'app'])
    assert.ok(!text!.includes(secret))
  })

  test('a code is valid once, in any format, and only in its time window', async () => {
    const { email, secret } = await person()
    const code = codeOf(secret)
    const one = await firstStep(email)
    assert.equal((await one.send(STEP, { code: `${code.slice(0, 3)} ${code.slice(3)}` })).status, 303)
    const other = await firstStep(email)
    assert.equal((await other.send(STEP, { code })).status, 422)
    // A code before the last used one is also refused; the code of the next half minute passes.
    assert.equal((await other.send(STEP, { code: codeOf(secret, -30) })).status, 422)
    assert.equal((await other.send(STEP, { code: codeOf(secret, 90) })).status, 422)
    assert.equal((await other.send(STEP, { code: codeOf(secret, 30) })).status, 303)
    // Of two concurrent attempts with one code, one succeeds.
    wait(120)
    const pair = await Promise.all([firstStep(email), firstStep(email)])
    const again = codeOf(secret)
    const answers = await Promise.all(pair.map(browser => browser.send(STEP, { code: again })))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [303, 422],
    )
  })

  test('each recovery code works once, and new codes replace the former ones', async () => {
    const { email, codes, browser } = await person()
    const one = await firstStep(email)
    const done = await one.send(STEP, { code: codes[0]!.toUpperCase().replaceAll('-', ' ') })
    assert.equal(done.status, 303)
    assert.match((await one.get('/settings/account')).text, /9 are left/)
    const other = await firstStep(email)
    assert.equal((await other.send(STEP, { code: codes[0]! })).status, 422)
    await browser.get(SETTINGS)
    await browser.send(`${SETTINGS}/recovery-codes`)
    const fresh = await browser.send(`${SETTINGS}/recovery-codes`, {
      confirm_password: PASSWORD,
      confirm_code: codes[1]!,
    })
    assert.equal(recoveryIn(fresh.text).length, 10, fresh.text)
    await other.get(STEP)
    assert.equal((await other.send(STEP, { code: codes[2]! })).status, 422)
    assert.equal((await other.send(STEP, { code: recoveryIn(fresh.text)[0]! })).status, 303)
  })

  test('a thief with the password cannot guess codes, with any number of attempts from any address', async () => {
    const { email, secret, browser } = await person()
    let refused = 0
    // Each attempt comes from another address, after the right password.
    for (let n = 0; n < 12; n++) {
      const thief = await firstStep(email, portal.browser(`198.51.100.${n}`))
      const { status } = await thief.send(STEP, { code: '000000' })
      if (status === 429) refused++
    }
    assert.equal(refused, 2)
    const thief = await firstStep(email, portal.browser('198.51.100.77'))
    const late = await thief.send(STEP, { code: codeOf(secret) })
    assert.deepEqual([late.status, late.headers['retry-after']], [429, '1'])
    // The right password does not reset the count of an address.
    wait(3600)
    const alone = portal.browser('203.0.113.9')
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) {
      await alone.get('/sign-in')
      const first = await alone.send('/sign-in', { email, password: PASSWORD, return_to: '/' })
      statuses.push(first.status)
      if (first.status !== 303) continue
      await alone.get(STEP)
      statuses.push((await alone.send(STEP, { code: '000000' })).status)
    }
    assert.ok(statuses.includes(429), statuses.join(' '))
    // Attempts from elsewhere do not slow down a browser that the person has used before.
    await browser.get('/settings/account')
    await browser.send('/sign-out')
    await firstStep(email, browser)
    assert.equal((await browser.send(STEP, { code: codeOf(secret) })).status, 303)
  })

  test('the first step is valid for ten minutes, in its browser, and for its user only', async () => {
    const { email, secret } = await person()
    const browser = await firstStep(email)
    wait(601)
    const late = await browser.send(STEP, { code: codeOf(secret) })
    assert.deepEqual([late.status, late.location], [303, '/sign-in'])
    assert.match((await browser.get('/sign-in')).text, /took too long/)
    assert.equal((await portal.browser().get(STEP)).location, '/sign-in')
    const forged = portal.browser()
    forged.cookies.set('tasuki-second_step', Buffer.from('{"userId":"x"}').toString('base64url'))
    assert.equal((await forged.get(STEP)).location, '/sign-in')
    const other = await person()
    const theirs = await firstStep(other.email)
    assert.equal((await theirs.send(STEP, { code: codeOf(secret) })).status, 422)
  })

  test('the first step ends with a change of the password, a revocation, or disabling the user', async () => {
    const { email, secret, browser: signedIn } = await person()
    const ends: readonly (() => Promise<unknown>)[] = [
      async () => {
        await signedIn.get('/settings/security')
        const fields = { current: PASSWORD, password: 'another horse in zinc', again: 'another horse in zinc' }
        assert.equal((await signedIn.send('/settings/security/password', fields)).status, 303)
        await signedIn.get('/settings/security')
        const back = { current: fields.password, password: PASSWORD, again: PASSWORD }
        assert.equal((await signedIn.send('/settings/security/password', back)).status, 303)
      },
      () => portal.host.command('user revoke', { email }),
      async () => {
        await portal.host.write(ctx => disableUser(ctx, email))
        await portal.host.write(ctx => enableUser(ctx, email))
      },
      () => portal.host.write(ctx => disableUser(ctx, email)),
    ]
    for (const end of ends) {
      const browser = await firstStep(email)
      wait(60)
      await end()
      const kept = browser.cookies.get('tasuki-second_step')!
      const done = await browser.send(STEP, { code: codeOf(secret) })
      assert.deepEqual([done.status, done.location], [303, '/sign-in'])
      assert.equal(await isIn(browser), false)
      browser.cookies.set('tasuki-second_step', kept)
      assert.equal((await browser.get(STEP)).location, '/sign-in')
    }
    await portal.host.write(ctx => enableUser(ctx, email))
    const last = await firstStep(email)
    assert.equal((await last.send(STEP, { code: codeOf(secret) })).status, 303)
    assert.equal(await isIn(last), true)
  })

  test('steps that ask for the password also ask for the code, and accept neither alone', async () => {
    const { browser, secret } = await person()
    await browser.get('/settings/security')
    const REVOKE = '/settings/security/revoke-everything'
    const asked = await browser.send(REVOKE)
    assert.match(asked.text, /name="confirm_code"/)
    for (const fields of [
      { confirm_password: PASSWORD, confirm_code: '' },
      { confirm_password: PASSWORD, confirm_code: codeOf(secret, 900) },
      { confirm_password: 'a guess', confirm_code: codeOf(secret) },
      { confirm_password: '', confirm_code: codeOf(secret) },
      { confirm_password: '', confirm_passkey: 'not json', confirm_challenge: 'x' },
    ])
      assert.equal((await browser.send(REVOKE, fields)).status, 422, JSON.stringify(fields))
    const done = await browser.send(REVOKE, { confirm_password: PASSWORD, confirm_code: codeOf(secret) })
    assert.equal(done.status, 303, done.text)
  })

  test('a set-up link alone does not sign in', async () => {
    const { email, secret } = await person()
    const browser = portal.browser()
    const code = await portal.setupCode(email)
    await browser.get('/setup')
    const done = await browser.send('/setup', { code, password: PASSWORD, again: PASSWORD })
    assert.equal(done.location, STEP)
    assert.equal(await isIn(browser), false)
    await browser.get(STEP)
    assert.equal((await browser.send(STEP, { code: codeOf(secret) })).status, 303)
    assert.equal(await isIn(browser), true)
  })

  test('an app is approved after both steps', async () => {
    const { email, secret } = await person()
    const browser = portal.browser()
    const { page } = await authorize(portal.host.app, browser)
    const returnTo = /name="return_to" value="([^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&')
    await firstStep(email, browser, returnTo)
    const done = await browser.send(STEP, { code: codeOf(secret) })
    assert.equal(done.location, returnTo)
    assert.match((await follow(browser, await browser.get(returnTo))).text, /name="decision"/)
  })

  test('an app is removed after password and code; its recovery codes are deleted with it', async () => {
    const { email, userId, browser, secret } = await person()
    await browser.get(SETTINGS)
    await browser.send(`${SETTINGS}/app/remove`)
    const done = await browser.send(`${SETTINGS}/app/remove`, {
      confirm_password: PASSWORD,
      confirm_code: codeOf(secret),
    })
    assert.equal(done.status, 303, done.text)
    const left = await portal.host.sql`select 1 from portal.recovery_codes where owner_id = ${userId}`
    assert.equal(left.length, 0)
    assert.equal(await isIn(await portal.signedIn(email)), true)
  })

  test('the administrator resets a lost second factor', async () => {
    const { email, call } = await person()
    const { text } = await portal.host.command('user reset-second-factor', { email })
    assert.match(text!, /password alone/)
    assert.match((await portal.host.command('user reset-second-factor', { email })).text!, /no second factor/)
    assert.equal(await isIn(await portal.signedIn(email)), true)
    const { notifications } = await call('notifications_list', {})
    const kinds = notifications.map(({ kind }: { kind: string }) => kind)
    assert.ok(kinds.includes('access.less_proof') && kinds.includes('access.authenticator'), kinds.join(' '))
  })

  test('an invalid id and an id of another user are not found', async () => {
    const { userId, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const { id: holder } = (
      await portal.host.sql<{ id: string }>`
        select id from portal.sessions where owner_id = ${userId} order by created_at desc, id desc limit 1`
    )[0]!
    for (const address of [
      `${SETTINGS}/passkeys/nonsense/rename`,
      `${SETTINGS}/passkeys/${userId}/rename`,
      '/settings/security/sessions/nonsense/end',
    ]) {
      const proof = createCsrfToken({ key: purpose => derivedKey(SECRET, `plugin ${purpose}`) }, holder, address)
      const { status } = await browser.post(address, { proof, name: 'x' })
      assert.equal(status, 404, address)
    }
  })
})
