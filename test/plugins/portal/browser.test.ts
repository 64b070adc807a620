import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { testHost, type TestHost } from 'tasuki/testing'
import { launchChromium, skipWithoutChromium } from '../../chromium.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { verifies } from '../../verifies.ts'
import { PASSWORD } from './portal-host.ts'

const EMAIL = 'owner@example.com'
/** Covers each language, theme and width once, because their effects are independent. */
const LOOKS = [
  { locale: 'en-US', colorScheme: 'light', viewport: { width: 1100, height: 800 } },
  { locale: 'ja-JP', colorScheme: 'dark', viewport: { width: 390, height: 800 } },
] as const
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the violated rules of WCAG 2.2 AA and best practices. */
async function violations(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `${axe}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )
}

describe('the portal in Chromium', { skip: skipWithoutChromium }, () => {
  const scope = suiteScope()
  let host: TestHost
  let origin = ''
  let browser: Browser
  before(async () => {
    host = await testHost(scope, { config: { plugins: { portal: {} } } })
    origin = new URL(await host.listen()).origin
    browser = await launchChromium()
    scope.after(() => browser.close())
    // The owner sets a password, as in the tests without a browser.
    const page = await open()
    await page.goto(await setupLink())
    await setPassword(page)
    await page.context().close()
  })

  const setupLink = async (): Promise<string> => {
    const { text } = await host.command('portal setup-link', { user: EMAIL })
    return text!.split('\n')[0]!
  }
  /** Browser errors, by page. */
  const complaints: string[] = []
  const open = async (options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-US', ...options })
    const page = await context.newPage()
    page.on('console', message => {
      if (/Content Security Policy|blocked|Refused/i.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(String(error)))
    page.on('request', request => {
      if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`)
    })
    return page
  }
  const setPassword = async (page: Page): Promise<void> => {
    await page.fill('input[name=password]', PASSWORD)
    await page.fill('input[name=again]', PASSWORD)
    await page.click('main button[type=submit]')
    await page.waitForURL(`${origin}/projects`)
  }
  const signIn = async (page: Page): Promise<void> => {
    await page.goto(`${origin}/sign-in`)
    await page.fill('input[name=email]', EMAIL)
    await page.fill('input[name=password]', PASSWORD)
    await page.click('main button[type=submit]')
    await page.waitForURL(`${origin}/projects`)
  }
  const consentAddress = async (): Promise<string> => {
    const registered = await fetch(`${origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Claude Code',
        redirect_uris: [`${origin}/healthz`],
        token_endpoint_auth_method: 'none',
      }),
    })
    const { client_id: id } = (await registered.json()) as { client_id: string }
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: id,
      redirect_uri: `${origin}/healthz`,
      scope: 'read write',
      state: 'xyz',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      resource: `${origin}/mcp`,
    })
    return `${origin}/oauth/authorize?${query.toString()}`
  }

  for (const look of LOOKS) {
    verifies(
      ['portal.accessible', 'portal.languages'],
      `every page in ${look.locale}, ${look.colorScheme}, passes the accessibility checker`,
      async () => {
        const page = await open(look)
        const found: string[] = []
        const check = async (name: string): Promise<void> => {
          assert.equal(await page.getAttribute('html', 'lang'), look.locale.slice(0, 2), name)
          const wide = await page.evaluate<boolean>(
            'document.documentElement.scrollWidth > document.documentElement.clientWidth',
          )
          if (wide) found.push(`${name}: scrolls sideways`)
          found.push(...(await violations(page)).map(problem => `${name}: ${problem}`))
        }
        await setupLink()
        await page.goto(`${origin}/setup`)
        await check('set-up')
        await page.goto(`${origin}/sign-in`)
        await check('sign-in')
        await page.fill('input[name=email]', EMAIL)
        await page.click('main button[type=submit]')
        await check('sign-in refused')
        await signIn(page)
        await page.goto(`${origin}/settings/integrations`)
        await check('integrations')
        await page.fill('.card input[name=name]', `token ${look.locale} ${look.colorScheme}`)
        await page.click('.card button[type=submit]')
        for (const summary of await page.locator('summary').all()) await summary.click()
        await check('new token')
        await page.goto(`${origin}/settings/account`)
        await check('account')
        await page.fill('input[name=name]', '')
        await page.click('main button[type=submit]')
        await check('account refused')
        await page.goto(`${origin}/settings/security`)
        await check('security')
        await page.goto(await consentAddress())
        await check('consent')
        await page.check('input[value=some]')
        await page.click('button[value=allow]')
        await check('consent refused')
        assert.ok(await page.isVisible('.reach .problem'))
        await page.goto(`${origin}/consent/unknown`)
        await check('consent over')
        const unknown = (await consentAddress()).replace(/client_id=[^&]*/, 'client_id=unknown')
        assert.equal((await page.goto(unknown))?.status(), 400)
        await check('unknown application')
        await page.goto(`${origin}/oauth/sign-in/unknown`)
        await check('request over')
        await page.goto(`${origin}/nothing-here`)
        await check('not found')
        await page.goto(`${origin}/projects/INBOX/features`)
        await page.uncheck('input[value=sprints]')
        await page.click('main button[type=submit]')
        assert.equal((await page.goto(`${origin}/projects/INBOX/sprints`))?.status(), 404)
        await check('feature off')
        await page.goto(`${origin}/settings/integrations`)
        await check('integrations with a token')
        assert.deepEqual(found, [])
        assert.deepEqual(complaints, [])
        await page.context().close()
      },
    )
  }

  verifies('portal.accessible', 'on a phone each filter of the activity stays with its label', async () => {
    const page = await open(LOOKS[1])
    await signIn(page)
    await page.goto(`${origin}/settings/activity`)
    const apart = await page.$$eval('.filter select', selects =>
      selects.flatMap(select => {
        const [label] = select.labels
        const first = label!.getClientRects()[0]!
        const { top, bottom } = select.getBoundingClientRect()
        return first.top < bottom && first.bottom > top ? [] : [label!.textContent]
      }),
    )
    assert.deepEqual(apart, [])
    assert.deepEqual(await violations(page), [])
    const text = await page.innerText('main')
    assert.match(text, /ブラウザー: Chrome, Linux/)
    assert.doesNotMatch(text, /Mozilla/)
    await page.context().close()
  })

  verifies(
    'portal.accessible',
    'without scripts a person sets a password with the code, signs out and in, and issues a token',
    async () => {
      const page = await open({ javaScriptEnabled: false })
      const [address, code] = (await setupLink()).split('#')
      await page.goto(address!)
      await page.fill('input[name=code]', code!)
      await setPassword(page)
      await page.goto(`${origin}/settings/integrations`)
      await page.fill('.card input[name=name]', 'without scripts')
      await page.click('.card button[type=submit]')
      assert.match((await page.textContent('pre'))!, /^svc_pat_[0-9A-Za-z]{38}$/)
      await page.click('header button[type=submit]')
      assert.equal(page.url(), `${origin}/sign-in`)
      await signIn(page)
      await page.context().close()
    },
  )

  verifies('portal.secrets', 'with scripts the link fills in its code and removes it from the address', async () => {
    const page = await open()
    const link = await setupLink()
    await page.goto(link)
    assert.equal(page.url(), `${origin}/setup`)
    assert.equal(await page.inputValue('input[name=code]'), link.split('#')[1])
    await page.context().close()
  })

  verifies('portal.language_switch', 'changing the language keeps the code of the link', async () => {
    const page = await open()
    const link = await setupLink()
    await page.goto(link)
    await page.click('.languages a[lang=ja]')
    await page.waitForSelector('html[lang=ja]')
    assert.equal(page.url(), `${origin}/setup`)
    assert.equal(await page.inputValue('input[name=code]'), link.split('#')[1])
    await page.context().close()
  })

  verifies('portal.language_switch', 'without scripts a person selects the language, and it persists', async () => {
    const page = await open({ javaScriptEnabled: false })
    await page.goto(`${origin}/sign-in?return_to=%2Fsettings%2Fsecurity`)
    await page.click('.languages a[lang=ja]')
    assert.equal(await page.getAttribute('html', 'lang'), 'ja')
    assert.equal(page.url(), `${origin}/sign-in?return_to=%2Fsettings%2Fsecurity`)
    await signIn(page)
    assert.equal(await page.getAttribute('html', 'lang'), 'ja')
    await page.context().close()
  })

  verifies('portal.accessible', 'by keyboard a person skips to the content and reaches the errors', async () => {
    const page = await open()
    await page.goto(`${origin}/sign-in`)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.name'), 'email')
    await page.keyboard.type(EMAIL)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.summary')
    assert.equal(await page.evaluate('document.activeElement.className'), 'summary')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.name'), 'password')
    await page.context().close()
  })

  verifies('portal.consent', 'consent continues to the application under the policy for forms', async () => {
    const page = await open()
    await signIn(page)
    await page.goto(await consentAddress())
    await page.click('button[value=allow]')
    await page.waitForURL(`${origin}/healthz?code=**`)
    assert.equal(new URL(page.url()).searchParams.get('state'), 'xyz')
    assert.deepEqual(complaints, [])
    await page.context().close()
  })

  verifies(
    'portal.consent',
    'projects are selected by keyboard, and only if not all projects are allowed',
    async () => {
      const page = await open()
      await signIn(page)
      await page.goto(await consentAddress())
      const boxes = page.locator('input[name=projects]')
      assert.ok(!(await boxes.first().isVisible()))
      await page.focus('input[name=reach][value=all]')
      await page.keyboard.press('ArrowDown')
      assert.ok(await boxes.first().isVisible())
      await page.keyboard.press('Tab')
      await page.keyboard.press('Space')
      // Selected projects stay visible, whatever other option is selected.
      await page.check('input[value=all]')
      assert.ok(await boxes.first().isVisible())
      await page.click('button[value=allow]')
      assert.match(await page.innerText('.reach .problem'), /but allowed all/)
      assert.ok(await boxes.first().isChecked())
      await page.check('input[value=some]')
      await page.click('button[value=allow]')
      await page.waitForURL(`${origin}/healthz?code=**`)
      await page.goto(`${origin}/settings/integrations`)
      assert.match(await page.innerText('main'), /INBOX –/)
      assert.deepEqual(complaints, [])
      await page.context().close()
    },
  )

  verifies('portal.headers', 'a page of another site cannot frame the portal', async () => {
    const page = await open()
    const context: BrowserContext = page.context()
    // For the browser, another host name of this machine is another site.
    const elsewhere = origin.replace('localhost', '127.0.0.1')
    await context.route(`${elsewhere}/frame`, route =>
      route.fulfill({ contentType: 'text/html', body: `<iframe src="${origin}/sign-in"></iframe>` }),
    )
    await page.goto(`${elsewhere}/frame`)
    await page.waitForTimeout(300)
    const frame = page.frames()[1]
    assert.ok(frame === undefined || !(await frame.content().catch(() => '')).includes('name="password"'))
    complaints.length = 0
    await context.close()
  })

  test('the selected appearance overrides that of the device', async () => {
    const page = await open({ colorScheme: 'light' })
    await signIn(page)
    const ground = (): Promise<string> => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await page.goto(`${origin}/settings/account`)
    await page.check('input[value=dark]')
    await page.click('main button[type=submit]')
    await page.waitForSelector('[data-theme=dark]')
    assert.notEqual(await ground(), light)
    await page.context().close()
  })
})
