import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
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

  test('a slow download stops when its session ends', async () => {
    const user = await portal.newUser()
    const browser = await portal.signedIn(user.email)
    // Four pages: the sockets hold about one, one is being sent, and the next one was read ahead.
    const count = 2000
    await user.call('items_create', { project_key: 'INBOX', title: 'Long', detail: 'x'.repeat(20_000) })
    await portal.host.sql`insert into items.items
      select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'number', n))).*
      from items.items i, generate_series(2, ${count}) n where i.owner_id = ${user.userId}`
    const { port } = new URL(await portal.host.listen())
    const download = async (): Promise<IncomingMessage> => {
      await browser.get('/projects/INBOX/export')
      const headers = {
        host: 'localhost:3000',
        origin: 'http://localhost:3000',
        'content-type': 'application/x-www-form-urlencoded',
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      }
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/projects/INBOX/export', headers })
      sent.end(new URLSearchParams({ proof: browser.proof('/projects/INBOX/export')!, format: 'json' }).toString())
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      assert.equal(response.statusCode, 200)
      return response
    }
    assert.equal(JSON.parse(await text(await download())).items.length, count)
    const stopped = await download()
    const elsewhere = await portal.signedIn(user.email)
    await elsewhere.get('/settings/security')
    assert.equal((await elsewhere.send('/settings/security/sign-out-everywhere')).status, 303)
    await assert.rejects(text(stopped), { code: 'ECONNRESET' })
  })
})
