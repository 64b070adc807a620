import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { before, describe } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { testHost, type TestHost } from 'tasuki/testing'
import { launchChromium, skipWithoutChromium } from '../../chromium.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { verifies } from '../../verifies.ts'
import { PASSWORD } from './portal-host.ts'
import { fillWork, type Work } from './fill-portal.ts'

const EMAIL = 'owner@example.com'
/** Covers each language, theme and width once, because their effects are independent. */
const LOOKS = [
  { locale: 'en-US', colorScheme: 'light', width: 1200 },
  { locale: 'ja-JP', colorScheme: 'dark', width: 390 },
] as const
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Folder for screenshots of every page. */
const PICTURES = process.env['PICTURES']

describe('pages about work in Chromium', { skip: skipWithoutChromium }, () => {
  const scope = suiteScope()
  const clock = { now: new Date('2026-06-01T09:00:00Z') }
  let host: TestHost
  let origin = ''
  let browser: Browser
  let work: Work
  before(async () => {
    host = await testHost(scope, { config: { plugins: { portal: {}, estimation: {} } }, now: () => clock.now })
    origin = new URL(await host.listen()).origin
    await host.command('project create', { key: 'SHOP', name: 'Web shop', description: 'What we sell' })
    work = await fillWork(host, clock)
    browser = await launchChromium()
    scope.after(() => browser.close())
    const page = await (await browser.newContext()).newPage()
    const { text } = await host.command('portal setup-link', { user: EMAIL })
    await page.goto(text!.split('\n')[0]!)
    await page.fill('input[name=password]', PASSWORD)
    await page.fill('input[name=again]', PASSWORD)
    await page.click('main button[type=submit]')
    await page.waitForURL(`${origin}/projects**`)
  })

  const complaints: string[] = []
  const signedIn = async (options: Parameters<Browser['newContext']>[0]): Promise<Page> => {
    const page = await (await browser.newContext(options)).newPage()
    page.on('console', message => {
      if (/Content Security Policy|blocked|Refused/i.test(message.text())) complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(String(error)))
    page.on('request', request => {
      if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`)
    })
    await page.goto(`${origin}/sign-in`)
    await page.fill('input[name=email]', EMAIL)
    await page.fill('input[name=password]', PASSWORD)
    await page.click('main button[type=submit]')
    await page.waitForURL(`${origin}/projects`)
    return page
  }

  /** States of pages without a reliable link; the test of every page covers the others. */
  const addresses = (): Readonly<Record<string, string>> => ({
    'board filtered': '/projects/SHOP/board?q=label%3Apayments',
    'board refused': '/projects/SHOP/board?q=nonsense%3Ax',
    sprint: `/projects/SHOP/sprints/${work.sprintId}`,
    'closed sprint': `/projects/SHOP/sprints/${work.closedSprintId}`,
  })

  for (const { locale, colorScheme, width } of LOOKS) {
    verifies(
      ['portal.accessible', 'portal.languages', 'portal.charts'],
      `boards, sprints, comparisons and refusals in ${locale}, ${colorScheme}, pass the accessibility checker`,
      async () => {
        const page = await signedIn({ locale, colorScheme, viewport: { width, height: 900 } })
        const found: string[] = []
        const check = async (name: string): Promise<void> => {
          for (const summary of await page.locator('main details:not([open]) > summary:visible').all())
            await summary.click()
          if (PICTURES)
            await page.screenshot({
              path: join(PICTURES, `${name.replaceAll(' ', '-')}.${locale}.${colorScheme}.png`),
              fullPage: true,
            })
          assert.equal(await page.getAttribute('html', 'lang'), locale.slice(0, 2), name)
          if (
            await page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')
          )
            found.push(`${name}: scrolls sideways`)
          const problems = await page.evaluate<string[]>(
            `${axe}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
          )
          found.push(...problems.map(problem => `${name}: ${problem}`))
        }
        for (const [name, address] of Object.entries(addresses())) {
          const answer = await page.goto(origin + address)
          if (answer?.status() !== 200) found.push(`${name}: ${answer?.status()}`)
          await check(name)
        }
        await page.goto(`${origin}/projects/SHOP/items/${work.task.split('#')[1]}/revisions`)
        await page.click('tbody th a')
        await check('diff')
        await page.goto(`${page.url()}?view=side`)
        await check('diff side by side')
        const seen = (kind: string): Promise<boolean> => page.locator(kind).isVisible()
        assert.equal(await seen('table.diff.side'), width > 832, 'side by side')
        assert.equal(await seen('table.diff:not(.side)'), width <= 832, 'one below the other')
        await page.goto(`${origin}/projects`)
        await page.click('.card button[type=submit]')
        await check('projects refused')
        assert.deepEqual(found, [])
        assert.deepEqual(complaints, [])
        await page.context().close()
      },
    )
  }

  verifies('portal.accessible', 'on a phone, a menu takes one row and shows where the person is', async () => {
    const page = await signedIn({ locale: 'ja-JP', viewport: { width: 390, height: 844 } })
    for (const [address, menu] of [
      ['/settings/effective', '.side'],
      ['/projects/SHOP/export', '.side'],
      ['/projects/SHOP/library', 'nav.project'],
    ]) {
      await page.goto(origin + address)
      const rows = await page.$$eval(
        `${menu} a`,
        links => new Set(links.map(link => link.getBoundingClientRect().top)).size,
      )
      assert.equal(rows, 1, address)
      const box = (await page.locator(`${menu} [aria-current]`).boundingBox())!
      assert.ok(box.x >= 0 && box.x + box.width <= 390, `${address}: ${JSON.stringify(box)}`)
    }
    await page.context().close()
  })

  verifies(['portal.board', 'portal.accessible'], 'a card moves by keyboard alone, without scripts', async () => {
    const page = await signedIn({ javaScriptEnabled: false })
    await page.goto(`${origin}/projects/SHOP/board`)
    const form = page.locator(`form[action$="/board/${work.task.split('#')[1]}"]`)
    await form.locator('select').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.notice')
    const { item } = await host.call('items_get', { item_ref: work.task })
    assert.equal(item.status, 'In review')
    await page.context().close()
  })
})
