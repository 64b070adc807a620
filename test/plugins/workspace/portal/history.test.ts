import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { portalHost } from '../../portal/portal-host.ts'

forEachEngine('the history of an item in the portal', engine => {
  const portal = portalHost(engine)
  const plain = (text: string): string =>
    text
      .slice(text.indexOf('<ol class="history">'), text.indexOf('</ol>'))
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
  const japanese = { 'accept-language': 'ja' }

  test('says what was set and cleared, with the words of the language', async () => {
    const { call, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const { item } = await call('items_create', { project_key: 'INBOX', title: 'Pay', priority: 'normal' })
    await call('items_patch', { item_ref: item.ref, due_date: '2026-06-05', due_time: '09:00', priority: 'urgent' })
    await call('items_patch', { item_ref: item.ref, due_time: null })
    await call('items_patch', { item_ref: item.ref, due_date: null })
    await call('items_patch', { item_ref: item.ref, labels: ['rent'], detail: 'By transfer' })
    const history = `/projects/INBOX/items/${item.ref.split('#')[1]}/history`
    const english = plain((await browser.get(history)).text)
    assert.match(english, /Due: set to Jun 5/)
    assert.match(english, /Created Pay/)
    assert.match(english, /Due: cleared \( ?was Jun 5 \)/)
    assert.match(english, /Due time: cleared \( ?was 09:00 \)/)
    assert.match(english, /Priority: changed from normal to urgent/)
    const translated = plain((await browser.get(history, japanese)).text)
    assert.match(english, /Labels: set to rent/)
    assert.match(english, /Text: changed/)
    for (const part of [/ラベル: 設定 rent/, /期限: 設定 6月5日/, /期限: クリア/, /変更前 通常 変更後 緊急/])
      assert.match(translated, part)
  })

  test('shows what a person did in the portal as theirs, not as that of an app', async () => {
    const { call, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const { item } = await call('items_create', { project_key: 'INBOX', title: 'Pay' })
    const page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
    await browser.get(page)
    assert.equal((await browser.send(`${page}/comments`, { body: 'Done?', kind: 'progress' })).status, 303)
    const history = plain((await browser.get(`${page}/history`)).text)
    assert.match(history, /Added comment Done\? person\d+ ·/)
    assert.doesNotMatch(history, /"portal"/)
  })

  test('shows a kind by its name, whatever the name is', async () => {
    const { call, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    await portal.host.command('project kinds', { key: 'INBOX', set: 'constructor', user: email })
    const { item } = await call('items_create', { project_key: 'INBOX', title: 'Pay' })
    await call('agile_meta_patch', { item_ref: item.ref, kind: 'constructor' })
    const { text } = await browser.get(`/projects/INBOX/items/${item.ref.split('#')[1]}/history`)
    assert.match(plain(text), /from task to constructor/)
  })

  test('shows custom fields by their names, and their days in the language of the person', async () => {
    portal.now = new Date('2026-06-01T09:00:00Z')
    const { call, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const field = { project_key: 'INBOX' }
    await call('project_custom_fields_create', { ...field, label: 'Go-live', field_key: 'cf_day' })
    await call('project_custom_fields_create', { ...field, label: 'Depends on', field_key: 'relation' })
    const { item } = await call('items_create', { project_key: 'INBOX', title: 'Ship' })
    const set = (fields: object) => call('items_set_custom_fields', { item_ref: item.ref, custom_fields: fields })
    await set({ cf_day: '2026-06-05', relation: 'constructor' })
    await set({ cf_day: '2026-02-30' })
    await set({ cf_day: null })
    const page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
    for (const address of [page, `${page}/history`]) {
      const english = plain((await browser.get(address)).text)
      assert.match(english, /&quot;Go-live&quot;: set to Jun 5/)
      assert.match(english, /&quot;Go-live&quot;: changed from Jun 5 to 2026-02-30/)
      assert.match(english, /&quot;Go-live&quot;: cleared \( ?was 2026-02-30 \)/)
      assert.match(english, /&quot;Depends on&quot;: set to constructor/)
      assert.match(plain((await browser.get(address, japanese)).text), /「Go-live」: 設定 6月5日/)
    }
    await set({ cf_day: '2026-06-05' })
    assert.match((await browser.get(page)).text, /<dt>Go-live<\/dt>\s*<dd>Jun 5<\/dd>/)

    // A project that lacks the field keeps the value in the history, by its key.
    await portal.host.command('project create', { key: 'OTHER', name: 'Other', user: email })
    await browser.get(`${page}/move?to=OTHER`)
    assert.equal((await browser.send(`${page}/move`, { to_project: 'OTHER', agreed: 'yes' })).status, 303)
    const away = plain((await browser.get(`${page.replace('INBOX', 'OTHER')}/history`)).text)
    assert.match(away, /cf_day: set to Jun 5/)
  })

  test('shows skipped and moved occurrences as times of the person', async () => {
    portal.now = new Date('2026-06-01T09:00:00Z')
    const { call, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const weekly = { title: 'Report', recurrence_rule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9', timezone: 'Asia/Tokyo' }
    const { item } = await call('templates_create', weekly)
    const page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
    const nextOf = (text: string): string => /name="next" value="([^"]+)"/.exec(text)![1]!
    const first = nextOf((await browser.get(page)).text)
    await browser.send(`${page}/occurrences/skip`, { next: first })
    const conflict = await browser.send(`${page}/occurrences/skip`, { next: first }).catch(() => null)
    assert.equal(conflict, null, 'the redirect has no form')
    const { text } = await browser.get(page)
    const refused = await browser.send(`${page}/occurrences/skip`, { next: first })
    assert.match(refused.text, /The next occurrence of \S+ is 20\d\d-\d\d-\d\d \d\d:\d\d by now/)
    await browser.get(page)
    const to = new Date(Date.parse(nextOf(text)) + 86_400_000).toISOString().slice(0, 10)
    assert.equal((await browser.send(`${page}/occurrences/move`, { next: nextOf(text), to })).status, 303)
    const english = plain((await browser.get(`${page}/history`)).text)
    assert.match(english, /Template: skipped \w{3} \d+, 2026, [^{]*? next: \w{3} \d+, 2026/)
    assert.match(english, /Template: moved from \w{3} \d+, 2026, [^{]*? to \w{3} \d+, 2026/)
    const translated = plain((await browser.get(`${page}/history`, japanese)).text)
    assert.match(translated, /テンプレート: スキップ 2026\/06\/\d+ [^{]*次回: 2026/)
  })
})
