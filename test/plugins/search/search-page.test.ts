import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { acceptAll } from '../../members.ts'
import { portalHost, type Browser } from '../portal/portal-host.ts'

forEachEngine('the search page', engine => {
  const portal = portalHost(engine)
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  before(async () => {
    ;({ caller, browser } = await portal.withProject())
    const create = (title: string, detail: string) => caller.call('items_create', { project_key: 'WEB', title, detail })
    await create('Repair the roof', '')
    await create('Call <b>Bob</b>', 'He said «two weeks» for the roof & <i>gutters</i>')
    await caller.call('notes_create', { project_key: 'INBOX', title: 'Wifi', body: 'The password is owl' })
  })
  const find = async (q: string, visitor = browser) => (await visitor.get(`/search?q=${encodeURIComponent(q)}`)).text
  /** Returns the references of the items found, best first. */
  const refsIn = (text: string) => [...text.matchAll(/<code>([^<]+)<\/code>/g)].map(([, ref]) => ref!)

  test('is in the main menu, and finds tasks and notes of all projects, with the words that were found', async () => {
    const empty = await browser.get('/search')
    assert.match(empty.text, /href="\/search" aria-current="page"/)
    assert.doesNotMatch(empty.text, /Nothing found|<article/)
    const roof = await find('roof')
    assert.deepEqual(refsIn(roof).toSorted(), ['WEB#1', 'WEB#2'])
    assert.match(
      roof,
      /«two weeks» for the <mark>roof<\/mark> &amp; &lt;i&gt;gutters|<mark>two weeks<\/mark> for the <mark>roof<\/mark> &amp; &lt;i&gt;gutters/,
    )
    assert.match(roof, /<a href="\/projects\/WEB\/items\/2">Call &lt;b&gt;Bob/)
    const note = await find('owl')
    assert.match(note, /<a href="\/projects\/INBOX\/items\/3">Wifi<\/a>[\s\S]*Note/)
    assert.match(await find('zebra'), /Nothing found\./)
  })

  test('a number leads to its item, filters apply, and a mistyped one is explained', async () => {
    assert.equal(refsIn(await find('web#2'))[0], 'WEB#2')
    assert.deepEqual(refsIn(await find('roof project:INBOX')), [])
    assert.match(await find('is:opne'), /role="alert">[^<]*opne/)
    assert.match(await find('word '.repeat(500)), /role="alert"/)
    assert.equal((await browser.get('/search?q=%00%F0%9F')).status < 500, true)
  })

  test('only what the reader may see is found, and shared items lead to their page', async () => {
    const { caller: member, browser: reader } = await portal.withProject()
    assert.doesNotMatch(await find('roof', reader), /<article/)
    await browser.get('/projects/WEB/members')
    await browser.send('/projects/WEB/members', { email: member.email, role: 'viewer' })
    await portal.host.write(ctx => acceptAll(ctx, member.email))
    const found = await find('gutters', reader)
    const [, address] = /<h2><a href="([^"]+)"/.exec(found)!
    assert.match((await reader.get(address!)).text, /two weeks/)
    assert.equal((await portal.browser().get('/search?q=roof')).status, 303)
  })
})
