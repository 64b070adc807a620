import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { launchChromium, skipWithoutChromium } from '../../chromium.ts'
import { PASSWORD } from '../portal/portal-host.ts'

const MB = 1024 * 1024
const ITEMS = 4000
const DETAIL = 'What happened, and what was expected instead. '.repeat(45)
/** Folder for screenshots. */
const PICTURES = process.env['PICTURES']

describe('imports in Chromium', { skip: skipWithoutChromium }, () => {
  test('a file over 6 MB is uploaded and planned, in both languages and themes', async t => {
    const host = await testHost(t, {})
    const origin = new URL(await host.listen()).origin
    const folder = await mkdtemp(join(tmpdir(), 'tasuki-upload-'))
    t.after(() => rm(folder, { recursive: true }))
    const file = join(folder, 'many.csv')
    const due = (n: number): string => (n === 3 ? 'soon' : '2026-12-01')
    const rows = Array.from({ length: ITEMS }, (_, n) => `k${n},Item ${n},Open,${due(n)},"${DETAIL}"`)
    const text = ['key,title,status,due,detail', ...rows].join('\n')
    assert.ok(text.length > 6 * MB)
    await writeFile(file, text)
    const chromium = await launchChromium()
    t.after(() => chromium.close())
    const { text: link } = await host.command('portal setup-link', { user: 'owner@example.com' })
    const first = await (await chromium.newContext({ locale: 'en-US' })).newPage()
    await first.goto(link!.split('\n')[0]!)
    for (const name of ['password', 'again']) await first.fill(`input[name=${name}]`, PASSWORD)
    await first.click('main form button[type=submit]')
    await first.goto(`${origin}/imports`)
    await first.setInputFiles('input[type=file]', file)
    await first.click('main form button[type=submit]')
    await first.waitForURL(/\/imports\/[0-9a-f-]{36}$/, { timeout: 120_000 })
    const state = await first.context().storageState()
    for (const [locale, colorScheme, remark] of [
      ['en-US', 'light', 'is no date that can be read'],
      ['ja-JP', 'dark', '日付として読み取れない'],
    ] as const) {
      const context = await chromium.newContext({ locale, colorScheme, storageState: state })
      const page = await context.newPage()
      await page.goto(first.url())
      const content = await page.textContent('main')
      assert.ok(content!.includes(remark), content!)
      assert.match(content!, /4,?000/)
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `import.${locale}.png`), fullPage: true })
      await context.close()
    }
  })
})
