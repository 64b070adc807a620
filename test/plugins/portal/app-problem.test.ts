import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine, noPostgres } from '../../engines.ts'
import { networkFaultHost } from '../../network-fault-host.ts'
import { verifies } from '../../verifies.ts'
import { newBrowser, portalHost } from './portal-host.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'en' }
const JAPANESE = { ...BROWSER, 'accept-language': 'ja' }
const authorize = (query: Readonly<Record<string, string>>): string =>
  `/oauth/authorize?${new URLSearchParams({ response_type: 'code', ...query }).toString()}`

forEachEngine('an application that cannot be connected', engine => {
  const portal = portalHost(engine)

  verifies(
    'portal.app_problem',
    'an unknown app leads to a page with the next step, under the strict policy',
    async () => {
      const browser = portal.browser()
      const page = await browser.get(authorize({ client_id: 'gone' }), BROWSER)
      assert.equal(page.status, 400)
      assert.match(String(page.headers['content-type']), /^text\/html/)
      assert.equal(
        page.headers['content-security-policy'],
        "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
      )
      assert.equal(page.headers['cache-control'], 'no-store')
      assert.match(page.text, /<h1>The application could not be connected<\/h1>/)
      assert.match(page.text, /codex mcp logout/)
      assert.match(page.text, /Clear authentication/)
      assert.match(page.text, /<code>invalid_client<\/code>/)
      assert.match(page.text, /href="\/portal\/assets\/portal\.[0-9a-f]+\.css"/)
      assert.doesNotMatch(page.text, /<form|<script|<style/)
      const other = await browser.get(authorize({ client_id: 'gone' }), JAPANESE)
      assert.match(other.text, /<html lang="ja"/)
      assert.match(other.text, /アプリケーションを接続できませんでした/)
    },
  )

  verifies(
    'portal.app_problem',
    'the page does not suggest to register again if the document of an app cannot be fetched',
    async () => {
      // A reserved name that never resolves (RFC 6761), like any name without internet access.
      const unread = authorize({ client_id: 'https://app.invalid/client.json' })
      const { text } = await portal.browser().get(unread, BROWSER)
      assert.match(text, /could not read the document that identifies the application/)
      assert.match(text, /oauth\.client_metadata_documents/)
      assert.doesNotMatch(text, /Clear authentication/)
      assert.match((await portal.browser().get(unread, JAPANESE)).text, /文書を、このサーバーが読み取れませんでした/)
    },
  )

  verifies('portal.app_problem', 'the page is in the language and appearance of the person', async () => {
    const browser = await portal.signedIn()
    await browser.get('/settings/account')
    await browser.send('/settings/account', { name: 'Ann', time_zone: 'Asia/Tokyo', language: 'ja', theme: 'dark' })
    const { text } = await browser.get(authorize({ client_id: 'gone' }), BROWSER)
    assert.match(text, /<html lang="ja"\s+data-theme="dark"/)
    const guest = portal.browser()
    await guest.get('/language/ja')
    assert.match((await guest.get(authorize({ client_id: 'gone' }), BROWSER)).text, /<html lang="ja"/)
  })

  verifies(
    'portal.app_problem',
    'a wrong redirect and an expired request have their own messages, without markup of the app',
    async () => {
      const { client_id: id } = await portal.host.app
        .inject({
          method: 'POST',
          url: '/oauth/register',
          headers: { host: 'localhost:3000' },
          payload: {
            client_name: 'App',
            redirect_uris: ['http://localhost/callback'],
            token_endpoint_auth_method: 'none',
          },
        })
        .then(answer => answer.json<{ client_id: string }>())
      const browser = portal.browser()
      const wrong = await browser.get(authorize({ client_id: id, redirect_uri: 'http://<b>evil.example/' }), BROWSER)
      assert.equal(wrong.status, 400)
      assert.match(wrong.text, /cannot be answered/)
      assert.doesNotMatch(wrong.text, /<b>/)
      const over = await browser.get('/oauth/sign-in/unknown', JAPANESE)
      assert.equal(over.status, 400)
      assert.match(over.text, /期限切れ/)
    },
  )

  verifies('portal.app_problem', 'the page links to an app that nobody approved, and shows its address', async () => {
    for (const [redirect, shown] of [
      ['https://evil.example/landing', 'evil.example'],
      ['cursor://anysphere.cursor-mcp/oauth/callback', 'cursor://anysphere.cursor-mcp'],
      ['com.example.app:/cb', 'com.example.app:'],
    ] as const) {
      const { client_id: id } = await portal.host.app
        .inject({
          method: 'POST',
          url: '/oauth/register',
          headers: { host: 'localhost:3000' },
          payload: { redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
        })
        .then(answer => answer.json<{ client_id: string }>())
      const address = authorize({ client_id: id, redirect_uri: redirect, state: '"><b>', prompt: 'none' })
      const page = await portal.browser().get(address, BROWSER)
      assert.deepEqual([page.status, page.location], [400, undefined])
      const [, href = ''] = /<a class="button plain" href="([^"]+)" rel="noreferrer">/.exec(page.text) ?? []
      assert.ok(href.startsWith(`${redirect}?error=`), href)
      assert.ok(page.text.includes(`Continue to ${shown}</a>`))
      assert.doesNotMatch(page.text, /<b>/)
      assert.ok((await portal.browser().get(address, JAPANESE)).text.includes(`${shown} へ進む</a>`))
    }
  })

  verifies('portal.app_problem', 'a rate limit is shown to people as a page, to programs as a code', async () => {
    const address = '203.0.113.7'
    const browser = portal.browser(address)
    const ask = (headers: Readonly<Record<string, string>>) => browser.get(authorize({ client_id: 'gone' }), headers)
    let status = 400
    for (let n = 0; n < 310 && status === 400; n++) ({ status } = await ask({ accept: '*/*' }))
    assert.equal(status, 429)
    assert.deepEqual(JSON.parse((await ask({ accept: '*/*' })).text), { error: 'slow_down' })
    const page = await ask(BROWSER)
    assert.equal(page.status, 429)
    assert.match(page.text, /too many requests/)
  })
})

test('without the database the page is shown in the language of the browser', { skip: noPostgres }, async t => {
  const { host, cut } = await networkFaultHost(t)
  const browser = newBrowser(host.app)
  await browser.get(authorize({ client_id: 'gone' }), BROWSER)
  browser.cookies.set('tasuki-session', Buffer.alloc(64, 1).toString('base64url'))
  await cut()
  const page = await browser.get(authorize({ client_id: 'gone' }), JAPANESE)
  assert.equal(page.status, 503)
  assert.equal(page.headers['retry-after'], '2')
  assert.match(page.text, /サーバー側で問題が発生しました/)
})
