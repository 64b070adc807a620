import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../../engines.ts'
import { portalHost } from '../../portal/portal-host.ts'

forEachEngine('dates of items in the portal', engine => {
  const portal = portalHost(engine, { config: { plugins: { portal: {}, project_admin: true } } })

  test('the board shows the time at which a task is due', async () => {
    const { call, email } = await portal.newUser()
    const due = { project_key: 'INBOX', due_date: '2026-06-05' }
    await call('items_create', { ...due, title: 'Call', due_time: '15:00' })
    await call('items_create', { ...due, title: 'Pay' })
    const { text } = await (await portal.signedIn(email)).get('/projects/INBOX/board')
    assert.match(text, /due 2026-06-05 15:00</)
    assert.match(text, /due 2026-06-05</)
  })

  test('an event has a date, and a task is due', async () => {
    const { call, email } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const at = { project_key: 'INBOX', due_date: '2026-06-05', due_time: '15:00' }
    await call('events_create', { ...at, title: 'Talk' })
    await call('items_create', { ...at, title: 'Pay' })
    const fields = async (number: number, language = 'en'): Promise<string> =>
      (await browser.get(`/projects/INBOX/items/${number}`, { 'accept-language': language })).text.replaceAll(
        /<[^>]*>|\s+/g,
        ' ',
      )
    assert.match(await fields(1), /Date\s+2026-06-05 15:00/)
    assert.match(await fields(1, 'ja'), /日時\s+2026-06-05 15:00/)
    assert.match(await fields(2), /Due\s+2026-06-05 15:00/)
  })
})
