import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { portalHost } from '../portal/portal-host.ts'

forEachEngine('pages of imports and exports', engine => {
  const portal = portalHost(engine)

  test('a project is downloaded with the filter of its board, in pages', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    await user.call('items_create', { project_key: 'INBOX', title: '=SUM(1)', labels: ['bug'] })
    await user.call('items_create', { project_key: 'INBOX', title: 'Other' })
    const board = await browser.get('/projects/INBOX/board?q=label%3Abug')
    const address = /href="(\/projects\/INBOX\/export\?q=[^"]+)"/.exec(board.text)?.[1]
    assert.equal(address, '/projects/INBOX/export?q=label%3Abug')
    const page = await browser.get(address)
    assert.match(page.text, /name="q"[^>]*value="label:bug"/)
    const csv = await browser.send('/projects/INBOX/export', { q: 'label:bug', format: 'csv' })
    assert.equal(csv.status, 200)
    assert.match(String(csv.headers['content-disposition']), /^attachment; filename="INBOX-\d{4}-\d{2}-\d{2}\.csv"$/)
    assert.match(csv.text, /,task,'=SUM\(1\),/)
    assert.doesNotMatch(csv.text, /Other/)
    await browser.get(address)
    const refused = await browser.send('/projects/INBOX/export', { q: 'is:nonsense', format: 'json' })
    assert.equal(refused.status, 422)
    await browser.get(address)
    const whole = await browser.send('/projects/INBOX/export', { format: 'json' })
    assert.equal(JSON.parse(whole.text).items.length, 2)
  })
})
