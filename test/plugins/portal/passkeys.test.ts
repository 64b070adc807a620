import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser as Chromium, BrowserContext, CDPSession, Page } from 'playwright-core'
import { launchChromium, skipWithoutChromium } from '../../chromium.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { forEachEngine } from '../../engines.ts'
import { PASSWORD, portalHost } from './portal-host.ts'

const SETTINGS = '/settings/second-factor'
const STEP = '/sign-in/second-step'

describe('passkeys in Chromium', { skip: skipWithoutChromium }, () => {
  forEachEngine('passkeys', engine => {
    const scope = suiteScope()
    const portal = portalHost(engine)
    let chromium: Chromium
    let origin = ''

    before(async () => {
      // Challenges expire, so the clock starts at the real time.
      portal.now = new Date()
      origin = new URL(await portal.host.listen()).origin
      chromium = await launchChromium()
      scope.after(() => chromium.close())
    })

    interface Visitor {
      readonly page: Page
      readonly context: BrowserContext
      readonly cdp: CDPSession
      readonly authenticatorId: string
      /** Opens a page, and advances the clock by a second. */
      open(address: string): Promise<void>
      /** Clicks a button and waits for the next page. */
      press(name: string): Promise<void>
    }

    /** Opens a browser with an authenticator; without `verifies` it is a security key that asks for no PIN. */
    const visitor = async (verifies = true): Promise<Visitor> => {
      const context = await chromium.newContext({ locale: 'en-US' })
      scope.after(() => context.close())
      const page = await context.newPage()
      const cdp = await context.newCDPSession(page)
      await cdp.send('WebAuthn.enable')
      const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: verifies ? 'internal' : 'usb',
          hasResidentKey: verifies,
          hasUserVerification: verifies,
          isUserVerified: verifies,
          automaticPresenceSimulation: true,
        },
      })
      const tick = (): void => void (portal.now = new Date(portal.now.getTime() + 1000))
      return {
        page,
        context,
        cdp,
        authenticatorId,
        async open(address) {
          tick()
          await page.goto(origin + address)
        },
        async press(name) {
          tick()
          await Promise.all([page.waitForNavigation(), page.getByRole('button', { name }).first().click()])
        },
      }
    }
    const signIn = async ({ page, open, press }: Visitor, email: string): Promise<void> => {
      await open('/sign-in')
      await page.fill('input[name=email]', email)
      await page.fill('input[name=password]', PASSWORD)
      await press('Sign in')
    }
    const addPasskey = async ({ page, open, press }: Visitor, name: string): Promise<void> => {
      await open(SETTINGS)
      await page.fill('form[action$=passkeys] input[name=name]', name)
      await press('Add a passkey')
    }
    const path = ({ page }: Visitor): string => new URL(page.url()).pathname

    test('a passkey is added, signs in alone, and replaces both steps where the password is required again', async () => {
      const { email } = await portal.newUser()
      const person = await visitor()
      await signIn(person, email)
      await addPasskey(person, 'my laptop')
      const { page, context, cdp, authenticatorId, open, press } = person
      assert.equal(await page.locator('h1').textContent(), 'Your recovery codes')
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      assert.deepEqual([credentials.length, credentials[0]!.rpId], [1, 'localhost'])
      await open(SETTINGS)
      assert.match((await page.textContent('table'))!, /my laptop/)
      // A new visitor of whom the service knows only the passkey.
      await context.clearCookies()
      await open('/sign-in?return_to=/settings/account')
      await press('Sign in with a passkey')
      assert.equal(path(person), '/settings/account')
      assert.match((await page.textContent('main'))!, new RegExp(email))
      await open('/settings/security')
      await press('Revoke everything')
      assert.match((await page.textContent('h1'))!, /Confirm that it is you/)
      await press('Use a passkey')
      assert.match((await page.textContent('main'))!, /Everything is revoked/)
      // The password alone no longer suffices.
      await context.clearCookies()
      await signIn(person, email)
      assert.equal(path(person), STEP)
      await press('Use a passkey')
      await open('/settings/account')
      assert.equal(path(person), '/settings/account')
    })

    test('a security key without user verification is a second factor, and cannot sign in alone', async () => {
      const { email } = await portal.newUser()
      const person = await visitor(false)
      await signIn(person, email)
      await addPasskey(person, '')
      const { page, context, open, press } = person
      await open(SETTINGS)
      assert.match((await page.textContent('table'))!, /Chrome/)
      await context.clearCookies()
      await signIn(person, email)
      assert.equal(path(person), STEP)
      await press('Use a passkey')
      await open('/settings/security')
      await press('Revoke everything')
      await press('Use a passkey')
      assert.match((await page.textContent('.summary'))!, /was not accepted/)
      await page.fill('input[name=confirm_password]', PASSWORD)
      await press('Use a passkey')
      assert.match((await page.textContent('main'))!, /Everything is revoked/)
    })

    test('a device that has a passkey of the account says so when another is added', async () => {
      const { email } = await portal.newUser()
      const person = await visitor()
      await signIn(person, email)
      await addPasskey(person, 'laptop')
      await person.open(SETTINGS)
      await person.page.getByRole('button', { name: 'Add a passkey' }).click()
      const alert = person.page.getByRole('alert')
      await alert.waitFor()
      assert.match((await alert.textContent())!, /already has a passkey/)
    })

    test('an assertion is valid once, and only in its browser; a removed passkey cannot sign in', async () => {
      const { email } = await portal.newUser()
      const person = await visitor()
      await signIn(person, email)
      await addPasskey(person, 'key')
      const { page, context, open, press } = person
      await context.clearCookies()
      await open('/sign-in')
      const [request] = await Promise.all([
        page.waitForRequest(sent => sent.url().endsWith('/sign-in/passkey')),
        press('Sign in with a passkey'),
      ])
      // Of another page: the same page may send a form twice (a double click).
      const posted = request.postData()!.replace(/(?<=once=)[\w-]+/, 'another')
      const headers = {
        host: new URL(origin).host,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      }
      const replay = async (cookie: string) =>
        portal.host.app.inject({
          method: 'POST',
          url: '/sign-in/passkey',
          headers: { ...headers, cookie },
          payload: posted,
        })
      const sent = (await request.allHeaders())['cookie']!
      const again = await replay(sent)
      assert.equal(again.statusCode, 422, again.body)
      assert.equal((await replay('tasuki-visitor=another-browser-another-browser')).statusCode, 403)
      for (const response of [
        '{}',
        '[]',
        'null',
        '"x"',
        '{"response":{"userHandle":"AAAA"}}',
        '{"id":"x","response":1}',
      ]) {
        const fields = new URLSearchParams(posted)
        fields.set('passkey', response)
        const wrong = await portal.host.app.inject({
          method: 'POST',
          url: '/sign-in/passkey',
          headers: { ...headers, cookie: sent },
          payload: fields.toString(),
        })
        assert.equal(wrong.statusCode, 422, `${response}: ${wrong.statusCode}`)
      }
      await open(SETTINGS)
      await press('Remove')
      await press('Use a passkey')
      assert.match((await page.textContent('main'))!, /The passkey is removed/)
      await context.clearCookies()
      await open('/sign-in')
      await press('Sign in with a passkey')
      assert.match((await page.textContent('.summary'))!, /not known here/)
      await signIn(person, email)
      assert.notEqual(path(person), STEP)
    })

    test('is renamed, and cancelled without harm', async () => {
      const { email } = await portal.newUser()
      const person = await visitor()
      await signIn(person, email)
      await addPasskey(person, 'old')
      const { page, cdp, authenticatorId, open, press } = person
      await open(SETTINGS)
      await page.click('summary')
      await page.fill('form[action$=rename] input[name=name]', 'new name')
      await press('Save')
      assert.match((await page.textContent('table'))!, /new name/)
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
      await page.context().clearCookies()
      await open('/sign-in')
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
      await page.waitForSelector('[data-passkey] [role=alert]:not([hidden])')
    })

    test('passkeys are offered where browsers can use them', async () => {
      const browser = portal.browser()
      assert.doesNotMatch((await browser.get('/sign-in', { host: '127.0.0.1:3000' })).text, /data-passkey/)
      const { host } = new URL(origin)
      assert.match((await browser.get('/sign-in', { host })).text, /data-passkey/)
    })
  })
})
