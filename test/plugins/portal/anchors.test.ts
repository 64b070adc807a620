import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { portalHost } from './portal-host.ts'

forEachEngine('the place on a page of the portal', engine => {
  const portal = portalHost(engine)

  test('is kept after a small action: the next page opens at what was changed', async () => {
    const { call, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const { item } = await call('items_create', { project_key: 'INBOX', title: 'Pay by card' })
    const { checklist_item: step } = await call('checklist_add', { item_ref: item.ref, content: 'Ask the bank' })
    const daily = { project_key: 'INBOX', title: 'Every day', recurrence_rule: 'FREQ=DAILY' }
    const { item: template } = await call('templates_create', daily)
    const pageOf = (ref: string): string => `/projects/INBOX/items/${ref.split('#')[1]}`
    const [task, series] = [pageOf(item.ref), pageOf(template.ref)]
    const number = item.ref.split('#')[1]
    const { states } = await call('workflow_states_list', { project_key: 'INBOX' })
    const state = { status_definition_id: states[1].id }
    const next = /name="next" value="([^"]+)"/.exec((await browser.get(series)).text)![1]!
    const url = 'https://example.com/plan'
    for (const [page, address, fields, anchor] of [
      [task, `${task}/steps/${step.id}`, { done: 'yes' }, `step-${step.id}`],
      [task, `${task}/comments`, { body: 'First', kind: 'fact' }, 'comments'],
      [task, `${task}/comments`, { body: 'Second', kind: 'fact' }, 'comments'],
      [task, `${task}/links`, { url, title: '' }, 'links'],
      [task, `${task}/links/remove`, { url }, 'links'],
      [task, `${task}/state`, state, 'fields'],
      [series, `${series}/occurrences/skip`, { next }, 'recurrence'],
      ['/projects/INBOX/board', `/projects/INBOX/board/${number}`, state, `card-${number}`],
    ] as const) {
      await browser.get(page)
      const sent = await browser.send(address, fields)
      assert.equal(sent.location, `${page}#${anchor}`)
      const { text } = await browser.get(page)
      assert.equal(text.split(`id="${anchor}"`).length, 2, `${page} has one ${anchor}`)
      if ('body' in fields) assert.match(text, new RegExp(`id="${anchor}"(?:(?!</article>)[\\s\\S])*${fields.body}`))
    }
  })
})
