import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser as Chromium } from 'playwright-core'
import { launchChromium, skipWithoutChromium } from '../../../chromium.ts'
import { suiteScope } from '../../../core/suite-scope.ts'
import { portalHost } from '../../portal/portal-host.ts'

describe('the page of an item in Chromium', { skip: skipWithoutChromium }, () => {
  const scope = suiteScope()
  const portal = portalHost('pglite')
  let chromium: Chromium
  let origin = ''
  before(async () => {
    origin = new URL(await portal.host.listen()).origin
    chromium = await launchChromium()
    scope.after(() => chromium.close())
  })

  test('shows state and fields above the text on a phone, and beside it on a laptop', async () => {
    const { caller, browser } = await portal.withProject()
    const task = { project_key: 'WEB', title: 'Pay by card', detail: 'Ask the bank', due_date: '2026-06-05' }
    const { item } = await caller.call('items_create', task)
    const page = await chromium.newPage()
    await page.context().addCookies([...browser.cookies].map(([name, value]) => ({ name, value, url: origin })))
    await page.goto(`${origin}/projects/WEB/items/${item.ref.split('#')[1]}`)
    const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!

    await page.setViewportSize({ width: 390, height: 844 })
    const [fields, due, text] = [await boxOf('#fields'), await boxOf('#fields dd'), await boxOf('.item .prose')]
    assert.ok(fields.y + fields.height <= text.y, `${fields.y} + ${fields.height} is above ${text.y}`)
    assert.ok(due.width > 0)
    await page.setViewportSize({ width: 1100, height: 844 })
    const [aside, beside] = [await boxOf('#fields'), await boxOf('.item .prose')]
    assert.ok(beside.x + beside.width <= aside.x, `${beside.x} + ${beside.width} is left of ${aside.x}`)
    assert.ok(Math.abs(beside.y - aside.y) < 40, `${beside.y} is beside ${aside.y}`)
    await page.close()
  })
})
