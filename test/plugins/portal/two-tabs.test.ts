import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { unescape } from './crawl.ts'
import { portalHost, type Browser, type Page } from './portal-host.ts'

forEachEngine('a form of the portal that is open in two tabs', engine => {
  const portal = portalHost(engine)
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  before(async () => {
    ;({ caller, browser } = await portal.withProject())
  })

  /** Returns the hidden fields of the form with an address. */
  const hiddenIn = ({ text }: Page, address: string): Record<string, string> => {
    const start = text.indexOf(`action="${address}"`)
    assert.ok(start > 0, text)
    const inputs = text.slice(start, text.indexOf('</form>', start)).matchAll(/name="([^"]+)"\s+value="([^"]*)"/g)
    return Object.fromEntries([...inputs].map(([, name, value]) => [name!, unescape(value!)]))
  }
  /** Opens a form in a tab. @returns sends what that tab shows, with changes */
  const open = async (page: string, address = page) => {
    const { proof, shown } = hiddenIn(await browser.get(page), address)
    return (fields: Parameters<Browser['post']>[1]) =>
      browser.post(address, { proof: proof!, shown: shown!, ...fields })
  }
  /** Sends a refused form again. */
  const again = (page: Page, address: string, fields: Parameters<Browser['post']>[1]) =>
    browser.post(address, { ...hiddenIn(page, address), ...fields })
  const newTask = async () => {
    const { item } = await caller.call('items_create', { project_key: 'WEB', title: 'Pay by card' })
    const { states } = await caller.call('workflow_states_list', { project_key: 'WEB' })
    const state = (name: string): string => states.find((each: { name: string }) => each.name === name).id
    const number: string = item.ref.split('#')[1]
    const stateNow = async (): Promise<string> =>
      (await caller.call('items_get', { item_ref: item.ref })).item.status as string
    return { number, state, stateNow }
  }

  for (const place of ['the page of the task', 'the board']) {
    test(`a task that was moved elsewhere is not moved back from ${place}, unless the person insists`, async () => {
      const { number, state, stateNow } = await newTask()
      const page = place === 'the board' ? '/projects/WEB/board' : `/projects/WEB/items/${number}`
      const address = place === 'the board' ? `${page}/${number}` : `${page}/state`
      const [first, second] = [await open(page, address), await open(page, address)]
      assert.equal((await second({ status_definition_id: state('Done') })).status, 303)
      const refused = await first({ status_definition_id: state('Backlog') })
      assert.equal(refused.status, 409)
      assert.match(refused.text, /changed meanwhile to “Done”\. Send the form again/)
      assert.equal(await stateNow(), 'Done')
      assert.equal((await again(refused, address, { status_definition_id: state('Backlog') })).status, 303)
      assert.equal(await stateNow(), 'Backlog')
    })
  }

  test('fields that were not edited keep what another tab saved, and an edited one is shown again', async () => {
    const page = '/projects/WEB/settings'
    const [first, second, third] = [await open(page), await open(page), await open(page)]
    const shown = { name: 'Web', description: '', estimate_unit: 'points' }
    await second({ ...shown, description: 'What we sell', estimate_unit: 'hours' })
    assert.equal((await first({ ...shown, name: 'Shop' })).status, 303)
    const { text } = await browser.get(page)
    for (const part of [/value="Shop"/, /What we sell/, /value="hours"[^>]*checked/]) assert.match(text, part)
    await browser.get('/language/ja')
    const edited = { ...shown, description: 'What we make', estimate_unit: 'none' }
    const refused = await third(edited)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /その間に「What we sell」に変更されました/)
    assert.match(refused.text, /その間に「時間」に変更されました/)
    assert.match(refused.text, /What we make/)
    assert.match(refused.text, /value="Shop"/, 'the field that was not edited shows what is stored')
    await browser.get('/language/en')
    assert.equal((await again(refused, page, { ...edited, name: 'Shop' })).status, 303)
    assert.match((await browser.get(page)).text, /What we make/)
  })

  for (const page of ['/projects/WEB/features', '/settings/features']) {
    test(`a switch of ${page} that was not touched stays as another tab left it`, async () => {
      const on = [...(await browser.get(page)).text.matchAll(/value="(\w+)"\s+checked/g)].map(([, name]) => name!)
      assert.ok(on.includes('sprints') && on.includes('roadmap'))
      const [first, second] = [await open(page), await open(page)]
      await second({ features: on.filter(name => name !== 'sprints') })
      await first({ features: on.filter(name => name !== 'roadmap') })
      const { text } = await browser.get(page)
      assert.doesNotMatch(text, /value="(sprints|roadmap)"\s+checked/)
    })
  }

  test('the account keeps the name that another tab saved', async () => {
    const page = '/settings/account'
    const [first, second] = [await open(page), await open(page)]
    const shown = { name: caller.email, time_zone: 'UTC', language: 'auto', theme: 'auto' }
    const { name } = JSON.parse(hiddenIn(await browser.get(page), page)['shown']!) as { name: string }
    await second({ ...shown, name: 'Ann' })
    assert.equal((await first({ ...shown, name, theme: 'dark' })).status, 303)
    assert.match((await browser.get(page)).text, /value="Ann"/)
  })

  test('kinds that another tab saved are not lost, unless the person insists', async () => {
    const page = '/projects/WEB/kinds'
    const [first, second] = [await open(page), await open(page)]
    assert.equal((await second({ kinds: 'risk' })).status, 303)
    const refused = await first({ kinds: 'spike' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /changed meanwhile to “risk”/)
    assert.match((await browser.get(page)).text, /value="risk"/)
    const stale = await first({ kinds: 'spike' })
    assert.equal((await again(stale, page, { kinds: 'risk, spike' })).status, 303)
    assert.match((await browser.get(page)).text, /value="risk, spike"/)
  })

  test('a workflow that another tab chose stays, and so do its rules', async () => {
    const page = '/projects/WEB/workflow'
    const [copy, enforce] = [`${page}/copy`, `${page}/enforce`]
    await (
      await open(page, copy)
    )({ name: 'First' })
    const { workflows } = await caller.call('workflow_states_list', {})
    const inUse = async () => (await caller.call('workflow_states_list', { project_key: 'WEB' })).workflows[0]
    const [staleChoice, staleRule] = [await open(page), await open(page, enforce)]
    await (
      await open(page, copy)
    )({ name: 'Second' })
    const before = await inUse()
    const refusedRule = await staleRule(before.enforce_transitions ? {} : { enforce: 'on' })
    assert.equal(refusedRule.status, 409)
    assert.match(refusedRule.text, /uses the workflow &quot;Second&quot; now/)
    assert.deepEqual(await inUse(), before)
    const refused = await staleChoice({ workflow_id: workflows[0].id })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /changed meanwhile to “Second”/)
    assert.deepEqual(await inUse(), before)
    assert.equal((await again(refusedRule, enforce, { enforce: 'on' })).status, 303, 'as it was shown the new one')
    assert.equal((await again(refused, page, { workflow_id: workflows[0].id })).status, 303)
    assert.equal((await inUse()).id, workflows[0].id)
  })

  test('the language of answers stays as another tab chose it', async () => {
    const page = '/settings/chat'
    const [first, second] = [await open(page), await open(page)]
    assert.equal((await second({ language: 'ja' })).status, 303)
    const refused = await first({ language: 'en' })
    assert.equal(refused.status, 409)
    assert.match(refused.text, /changed meanwhile to “日本語”/)
    assert.equal((await again(refused, page, { language: 'en' })).status, 303)
  })
})
