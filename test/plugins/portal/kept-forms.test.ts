import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { portalHost, type Browser } from './portal-host.ts'

forEachEngine('a form of the portal that cannot be carried out', engine => {
  const portal = portalHost(engine)
  let caller: Awaited<ReturnType<typeof portal.newUser>>
  let browser: Browser
  let page: string
  before(async () => {
    caller = await portal.newUser()
    browser = await portal.signedIn(caller.email)
    const { item } = await caller.call('items_create', { project_key: 'INBOX', title: 'Pay by card' })
    page = `/projects/INBOX/items/${item.ref.split('#')[1]}`
  })
  const comments = async (): Promise<readonly { body: string }[]> =>
    (await caller.call('discussions_list', { item_ref: `INBOX#${page.split('/').at(-1)}` })).discussions
  const typed = { body: 'We take <b>cards</b>\nfrom May.', kind: 'decision' }

  test('after the session ended, the text is kept, and is sent once the person has signed in again', async () => {
    await browser.get(page)
    const proof = browser.proof(`${page}/comments`)!
    browser.cookies.delete('tasuki-session')
    const out = await browser.post(`${page}/comments`, { proof, ...typed })
    assert.equal(out.status, 403)
    assert.match(out.text, /You are signed out/)
    assert.match(out.text, new RegExp(`<a href="/sign-in\\?return_to=${encodeURIComponent(page)}" target="_blank">`))
    assert.match(out.text, /<textarea[^>]*>\n?We take &lt;b&gt;cards&lt;\/b&gt;\nfrom May\.<\/textarea>/)
    assert.match(out.text, /name="kind" value="decision"/)
    const old = browser.proof(`${page}/comments`)!
    const again = await portal.signedIn(caller.email)
    const stale = await again.post(`${page}/comments`, { proof: old, ...typed })
    assert.equal(stale.status, 403)
    assert.match(stale.text, /send it again/)
    assert.deepEqual(await comments(), [], 'nothing is carried out without a valid proof')
    assert.equal((await again.send(`${page}/comments`, typed)).status, 303)
    assert.equal((await comments())[0]!.body, typed.body)
  })

  test('what another origin sent is not shown', async () => {
    for (const visitor of [portal.browser(), await portal.signedIn(caller.email)]) {
      const answer = await visitor.post(`${page}/comments`, typed, { 'sec-fetch-site': 'cross-site' })
      assert.equal(answer.status, 403)
      assert.doesNotMatch(answer.text, /We take|Send again/)
    }
  })

  test('an upload after the session ended offers to sign in, and a form with a password keeps nothing', async () => {
    const visitor = portal.browser()
    const answer = await visitor.upload('/imports', {}, [{ field: 'file', name: 'a.csv', bytes: 'x' }])
    assert.equal(answer.status, 403)
    assert.match(answer.text, /You are signed out/)
    const password = { current: 'secret one', password: 'secret two', again: 'secret two' }
    const refused = await visitor.post('/settings/security/password', password)
    assert.doesNotMatch(refused.text, /secret/)
  })

  test('a text that is too long is reported as such, and stays in its field', async () => {
    const again = await portal.signedIn(caller.email)
    await again.get(page)
    const body = `${'pasted '.repeat(5000)}to the end`
    const kept = await again.send(`${page}/comments`, { body, kind: 'fact' })
    assert.equal(kept.status, 422)
    assert.match(kept.text, /Your comment: Use at most 32000 characters\./)
    assert.ok(kept.text.includes(`${body}</textarea>`))
    const texts = [[/This text is too long/, 'en'] as const, [/テキストが長すぎます/, 'ja'] as const]
    for (const [said, language] of texts) {
      await again.get(`/language/${language}`)
      await again.get(page)
      const refused = await again.send(`${page}/comments`, { body: 'あ'.repeat(60_000), kind: 'fact' })
      assert.equal(refused.status, 413)
      assert.match(refused.text, said)
    }
  })

  test('a collapsed form is open when it is rejected, and only that one', async () => {
    assert.doesNotMatch((await browser.get(page)).text, /<details class="edit"\s+open/)
    const again = await portal.signedIn(caller.email)
    await again.get(page)
    const refused = await again.send(`${page}/links`, { url: 'not a url', title: '' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /<details class="edit"\s+open>(?:(?!<\/details>)[\s\S])*value="not a url"/)
    await again.get(page)
    const other = await again.send(`${page}/comments`, { body: '', kind: 'fact' })
    assert.doesNotMatch(other.text, /<details class="edit"\s+open/)
  })

  test('an archived project says so on its board, where nothing can be moved', async () => {
    const owner = await portal.signedIn(caller.email)
    await owner.get('/projects')
    await owner.send('/projects', { key: 'OLD', name: 'Old', description: '' })
    await caller.call('items_create', { project_key: 'OLD', title: 'Was planned' })
    assert.match((await owner.get('/projects/OLD/board')).text, /Move to/)
    await owner.get('/projects/OLD/settings')
    await owner.send('/projects/OLD/archive', { archived: 'yes' })
    const { text } = await owner.get('/projects/OLD/board')
    assert.match(text, /<h1>\s*Old\s*<span class="tag">archived<\/span>/)
    assert.doesNotMatch(text, /Move to/)
    const wrong = (await owner.get('/projects/OLD/board?q=nope:1')).text
    assert.doesNotMatch(/role="alert">([^<]*)/.exec(wrong)![1]!, /`/)
  })
})
