import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, describe } from 'node:test'
import type { Browser as Chromium, Page } from 'playwright-core'
import { launchChromium, skipWithoutChromium } from '../../chromium.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { verifies } from '../../verifies.ts'
import { authorize, consentForm } from './client-app.ts'
import { crawl, kindOf } from './crawl.ts'
import { PASSWORD, portalHost, type Browser } from './portal-host.ts'
import { fillAdministration, fillEverything, fillSecondFactor } from './fill-portal.ts'

/** Folder for screenshots of every page in every look. */
const PICTURES = process.env['PICTURES']
const LOOKS = ['en-US', 'ja-JP'].flatMap(locale =>
  (['light', 'dark'] as const).flatMap(colorScheme =>
    [1280, 390].map(width => ({ locale, colorScheme, viewport: { width, height: 900 } })),
  ),
)
/** Covers each language, theme and width once, because their effects are independent. */
const USUAL = [LOOKS.at(0)!, LOOKS.at(-1)!]
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Finds content that only horizontal scrolling reaches: the page itself, or controls in tables. Boards may scroll, and so may texts of
 * users.
 */
const OVERFLOWING = `[
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['scrolls sideways'] : []),
  ...[...document.querySelectorAll('main :is(button, select, input, a):not(.unseen)')]
    .filter(each => each.checkVisibility() && !each.closest('.board, .prose') && each.getBoundingClientRect().right > innerWidth)
    .map(each => 'outside the screen: ' + each.outerHTML),
]`

/** Finds controls that touch the border of the frame around them. */
const UNPADDED = `[...document.querySelectorAll('main :is(details, .card) :is(button, select, input, label, p)')]
  .filter(each => each.checkVisibility())
  .filter(each => each.getBoundingClientRect().left - each.closest('details, .card').getBoundingClientRect().left < 8)
  .map(each => 'touches its frame: ' + each.outerHTML)`

/** Logs every violation of the content security policy to the console. */
const WATCH = `addEventListener('securitypolicyviolation', event => console.error('stopped: ' + event.violatedDirective + ' ' + event.blockedURI))`

describe('every page of the portal in Chromium', { skip: skipWithoutChromium }, () => {
  const scope = suiteScope()
  const openid = { issuer: 'https://id.example', client_id: 'tasuki' }
  const portal = portalHost('pglite', { settings: { openid } })
  let chromium: Chromium
  let origin = ''
  /** Addresses for signed-in users, and addresses for guests. */
  let inside: readonly string[]
  /** The longest page of each kind. */
  let fullest: readonly string[]
  let email: string
  let browser: Browser
  /** A browser whose second sign-in step is pending. */
  let halfway: Browser

  before(async () => {
    const caller = await portal.newUser()
    email = caller.email
    browser = await portal.signedIn(email)
    const users = await fillAdministration(portal, caller.email)
    const starts = [...(await fillEverything(portal, caller, browser)), ...users]
    await fillSecondFactor(portal, caller.userId)
    halfway = portal.browser()
    await halfway.get('/sign-in')
    await halfway.send('/sign-in', { email, password: PASSWORD, return_to: '/' })
    await caller.call('items_create', { project_key: 'SHOP', title: 'Long'.repeat(40), kind: 'story' })
    await browser.get('/projects')
    await browser.send('/projects', { key: 'OFF', name: 'Without sprints', description: '' })
    await browser.get('/projects/OFF/features')
    await browser.send('/projects/OFF/features', { features: 'calendar' })
    const { page } = await authorize(portal.host.app, browser, { name: '<b>Codex</b>' })
    const { pages } = await crawl(portal.host, browser, [...starts, consentForm(page)])
    const shown = [...pages].filter(([, { headers }]) => String(headers['content-type']).startsWith('text/html'))
    inside = shown.map(([address]) => address)
    const kinds = Object.values(Object.groupBy(shown, ([address]) => kindOf(portal.host, address)))
    fullest = kinds.map(alike => alike!.toSorted(([, a], [, b]) => b.text.length - a.text.length)[0]![0])
    await portal.setupCode(email)
    origin = new URL(await portal.host.listen()).origin
    chromium = await launchChromium()
    scope.after(() => chromium.close())
  })

  for (const look of PICTURES ? LOOKS : USUAL) {
    const { locale, colorScheme, viewport } = look
    const isFirst = look === LOOKS[0]
    verifies(
      ['portal.headers', 'portal.languages', 'portal.accessible'],
      `passes the accessibility checker and loads nothing that the policy blocks or that is of another origin, ${locale}, ${colorScheme}, ${viewport.width} px`,
      async () => {
        const found: string[] = []
        const context = await chromium.newContext(look)
        await context.addInitScript(WATCH)
        const page = await context.newPage()
        page.on(
          'console',
          message =>
            void (
              message.type() === 'error' &&
              !/status of 4/.test(message.text()) &&
              found.push(`${page.url()}: ${message.text()}`)
            ),
        )
        page.on('pageerror', error => found.push(`${page.url()}: ${String(error)}`))
        page.on(
          'request',
          request => void (request.url().startsWith(`${origin}/`) || found.push(`asked for ${request.url()}`)),
        )
        let opened = 0
        const see = async (address: string): Promise<void> => {
          await page.goto(origin + address)
          opened++
          if (!address.startsWith('/sign-in') && page.url().startsWith(`${origin}/sign-in`))
            found.push(`${address}: signed out`)
          if ((await page.getAttribute('html', 'lang')) !== locale.slice(0, 2))
            found.push(`${address}: not in ${locale}`)
          await page.evaluate(`document.querySelectorAll('main details').forEach(each => (each.open = true))`)
          for (const width of new Set([viewport.width, 390])) {
            await page.setViewportSize({ ...viewport, width })
            for (const faults of [OVERFLOWING, UNPADDED])
              for (const fault of await page.evaluate<string[]>(faults)) found.push(`${address}: ${width} px: ${fault}`)
          }
          await page.setViewportSize(viewport)
          if (PICTURES) await picture(page, opened, `${locale.slice(0, 2)}.${colorScheme}.${viewport.width}`)
          if (!PICTURES && inside.includes(address) && !fullest.includes(address)) return
          const problems = await page.evaluate<string[]>(
            `${axe}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
          )
          found.push(...problems.map(problem => `${address}: ${problem}`))
        }
        const signInAs = ({ cookies }: Browser) =>
          context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: origin })))
        for (const address of ['/sign-in', '/setup', '/nothing']) await see(address)
        await signInAs(halfway)
        await see('/sign-in/second-step')
        await context.clearCookies()
        await signInAs(browser)
        for (const address of [
          ...(PICTURES || isFirst ? inside : fullest),
          '/nothing',
          '/projects/NONE/board',
          '/projects/OFF/sprints',
        ])
          await see(address)
        assert.ok(opened > (isFirst ? 40 : 25), String(opened))
        assert.deepEqual(found, [])
        await context.close()
      },
    )
  }
})

/** @param n distinguishes pages of one kind */
async function picture(page: Page, n: number, look: string): Promise<void> {
  const name = new URL(page.url()).pathname
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
    .replace(/(?<=consent\/).*/, 'x')
    .replace(/[^\w]+/g, '-')
    .slice(1, 80)
  await page.screenshot({ path: join(PICTURES!, `${name}-${n}.${look}.png`), fullPage: true })
}
