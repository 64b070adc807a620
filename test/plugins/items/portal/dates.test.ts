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
    await call('items_create', { ...due, due_date: '2027-01-02', title: 'Plan' })
    const { text } = await (await portal.signedIn(email)).get('/projects/INBOX/board')
    assert.match(text, /due Jun 5 15:00</)
    assert.match(text, /due Jun 5</)
    assert.match(text, /due Jan 2, 2027</, 'another year')
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
    assert.match(await fields(1), /Date\s+Jun 5 15:00/)
    assert.match(await fields(1, 'ja'), /日時\s+6月5日 15:00/)
    assert.match(await fields(2), /Due\s+Jun 5 15:00/)
  })
})
