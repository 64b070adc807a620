import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { portalPages } from '../../../plugins/portal/index.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { newBrowser, PASSWORD, portalHost, proofs } from './portal-host.ts'

const ID = '0190f2a0-0000-7000-8000-000000000001'
const filled = (path: string): string => path.replace(/:\w+/g, ID)

forEachEngine('pages of the portal', engine => {
  const portal = portalHost(engine)

  verifies('portal.csrf', 'a form with a valid CSRF token is refused if another site sends it', async () => {
    const browser = await portal.signedIn()
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      await browser.get('/settings/account')
      assert.equal((await browser.send('/sign-out', {}, headers)).status, 403)
    }
    // Browsers that send no Sec-Fetch-Site send an Origin.
    const old = async (headers: Record<string, string>) => {
      await browser.get('/settings/account')
      const { statusCode } = await portal.host.app.inject({
        method: 'POST',
        url: '/settings/account',
        headers: {
          host: 'localhost:3000',
          cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        payload: new URLSearchParams({
          proof: browser.proof('/settings/account')!,
          name: 'Ann',
          time_zone: 'Asia/Tokyo',
          language: 'auto',
          theme: 'auto',
        }).toString(),
      })
      return statusCode
    }
    assert.equal(await old({ origin: 'https://evil.example' }), 403)
    assert.equal(await old({ origin: 'null' }), 403)
    assert.equal(await old({}), 403)
    assert.equal(await old({ origin: 'http://localhost:3000' }), 303)
  })

  verifies('portal.csrf', 'a sign-in form cannot be sent for a visitor who did not see it', async () => {
    const attacker = portal.browser()
    await attacker.get('/sign-in')
    const proof = attacker.proof('/sign-in')!
    const { email } = await portal.newUser()
    const victim = portal.browser()
    const fields = { proof, email, password: PASSWORD, return_to: '/' }
    assert.equal((await victim.post('/sign-in', fields)).status, 403)
    await victim.get('/sign-in')
    assert.equal((await victim.post('/sign-in', fields)).status, 403)
    await victim.get('/sign-in')
    assert.equal((await victim.send('/sign-in', { email, password: PASSWORD, return_to: '/' })).status, 303)
  })

  verifies('portal.headers', 'every page has a strict policy, nothing inline, and is not cached', async () => {
    const browser = await portal.signedIn()
    const { email } = await portal.newUser()
    const code = await portal.setupCode(email)
    for (const visitor of [browser, portal.browser()]) {
      for (const { path } of portal.host.registry.all(portalPages)) {
        const { headers, text, status } = await visitor.get(filled(path))
        assert.equal(
          headers['content-security-policy'],
          "default-src 'none';style-src 'self';script-src 'self';img-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
        )
        assert.equal(headers['x-frame-options'], 'DENY')
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.equal(headers['referrer-policy'], 'same-origin')
        assert.equal(headers['cross-origin-opener-policy'], 'same-origin-allow-popups')
        assert.equal(headers['cache-control'], 'no-store')
        if (status === 303) continue
        assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|javascript:/i, path)
        for (const [, address] of text.matchAll(/<(?:script|link|img|iframe)[^>]*?(?:src|href)="([^"]*)"/g))
          assert.match(address!, /^\/portal\/assets\//)
        assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)/)
      }
    }
    const last = portal.browser()
    await last.get('/setup')
    assert.equal((await last.send('/setup', { code, password: PASSWORD, again: PASSWORD })).status, 303)
  })

  test('styles, scripts and images are cached forever under an address with a content hash', async () => {
    const browser = portal.browser()
    const { text } = await browser.get('/sign-in')
    const addresses = [...text.matchAll(/"(\/portal\/assets\/[^"]+)"/g)].map(match => match[1]!)
    assert.deepEqual(addresses.map(address => /[^.]+$/.exec(address)![0]).toSorted(), ['css', 'js', 'svg'])
    for (const address of addresses) {
      assert.match(address, /\.[0-9a-f]{16}\.(css|js|svg)$/)
      const { status, headers } = await browser.get(address)
      assert.equal(status, 200)
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    }
    assert.equal((await browser.get(addresses[0]!.replace(/[0-9a-f]{16}/, '0'.repeat(16)))).status, 404)
  })

  test('a foreign host name is refused', async () => {
    const { status } = await portal.browser().get('/sign-in', { host: 'evil.example' })
    assert.equal(status, 421)
  })

  test('names of people are escaped', async () => {
    const browser = await portal.signedIn()
    const name = `<img src=x onerror=alert(1)>"'&`
    await browser.get('/settings/account')
    const fields = { name, time_zone: 'Asia/Tokyo', language: 'en', theme: 'dark' }
    assert.equal((await browser.send('/settings/account', fields)).status, 303)
    const { text } = await browser.get('/settings/account')
    assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;'))
    assert.ok(!text.includes('<img'))
  })

  verifies('portal.account', 'name, time zone, language and appearance are saved', async () => {
    const { email, userId } = await portal.newUser()
    const browser = await portal.signedIn(email)
    const page = await browser.get('/settings/account')
    assert.match(page.text, /<html lang="en"\s*>/)
    const fields = { name: ' 安 ', time_zone: 'Europe/Berlin', language: 'ja', theme: 'dark' }
    const done = await browser.send('/settings/account', fields)
    assert.equal(done.location, '/settings/account')
    const { text } = await browser.get('/settings/account')
    assert.match(text, /<html lang="ja"\s+data-theme="dark"\s*>/)
    assert.match(text, /保存しました/)
    assert.match(text, /value="Europe\/Berlin"/)
    assert.deepEqual(await portal.host.sql`select name, time_zone from core.users where id = ${userId}`, [
      { name: '安', time_zone: 'Europe/Berlin' },
    ])
    const other = await portal.signedIn(email)
    assert.match((await other.get('/settings/security')).text, /data-theme="dark"/)
    await browser.send('/settings/account', { ...fields, language: 'auto', theme: 'auto' })
    assert.match((await browser.get('/settings/account')).text, /<html lang="en"\s*>/)
  })

  test('a refused form is shown again with its input, and a summary with links to the fields', async () => {
    const browser = await portal.signedIn()
    await browser.get('/settings/account')
    const typed = { name: '', time_zone: 'Mars/Olympus "x"', language: 'ja', theme: 'dark' }
    const first = await browser.send('/settings/account', typed)
    assert.equal(first.status, 422)
    assert.match(first.text, /<title>Error: Account/)
    assert.match(first.text, /href="#settings-account-name"/)
    assert.match(
      first.text,
      /id="settings-account-name"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*id="settings-account-name"/,
    )
    assert.match(first.text, /value="Mars\/Olympus &quot;x&quot;"/)
    assert.match(first.text, /<option\s+value="ja"\s+selected>/)
    const second = await browser.send('/settings/account', { ...typed, name: 'Ann' })
    assert.match(second.text, /href="#settings-account-time_zone"/)
    assert.equal((await browser.send('/settings/account', { ...typed, language: 'xx' })).status, 422)
    // People reload the address of a refused form, so it must answer GET.
    assert.equal((await browser.get('/settings/integrations/tokens')).location, '/settings/integrations')
  })

  verifies('portal.languages', 'signed out, pages are in the language that the browser asks for', async () => {
    for (const [header, language] of [
      ['ja', 'ja'],
      ['ja-JP,ja;q=0.9,en;q=0.8', 'ja'],
      ['en;q=0.1, ja;q=0.2', 'ja'],
      ['de,fr;q=0.5', 'en'],
      ['de, ja;q=0.1', 'ja'],
      ['ja;q=0, en', 'en'],
      ['', 'en'],
    ] as const) {
      const { text } = await portal.browser().get('/sign-in', { 'accept-language': header })
      assert.match(text, new RegExp(`<html lang="${language}"`), header)
    }
  })

  test('an unknown page and an invalid form have error pages', async () => {
    const browser = await portal.signedIn()
    assert.equal((await browser.get('/nowhere')).status, 404)
    const { statusCode, body } = await portal.host.app.inject({
      method: 'POST',
      url: '/sign-in',
      headers: { host: 'localhost:3000', 'content-type': 'application/json' },
      payload: '{}',
    })
    assert.equal(statusCode, 415)
    assert.match(body, /<h1>/)
  })

  test('an address that cannot be decoded is an unknown page for people, and JSON for programs', async () => {
    const browser = await portal.signedIn()
    for (const address of ['/%E0%A4%A', '/projects/%zz/board', '/projects/INBOX/items/%', '/%?q=%']) {
      const page = await browser.get(address, { accept: 'text/html' })
      assert.equal(page.status, 404, address)
      assert.match(page.text, /<h1>Page not found<\/h1>/, address)
    }
    const { status, text } = await portal.browser().get('/%E0%A4%A', { accept: 'application/json' })
    assert.deepEqual([status, JSON.parse(text)], [404, { error: 'not found' }])
    assert.equal((await browser.get('/projects/%49NBOX/board?q=%')).status, 200, 'others are decoded as before')
  })

  test('/settings leads to the first page of the settings', async () => {
    const browser = await portal.signedIn()
    const first = /href="([^"]*)"[^>]*>Settings</.exec((await browser.get('/projects')).text)![1]
    assert.equal((await browser.get('/settings')).location, first)
    assert.equal((await portal.browser().get('/settings')).location, '/sign-in?return_to=%2Fsettings')
  })

  verifies('portal.languages', 'an error page is in the language and appearance of the person', async () => {
    const browser = await portal.signedIn()
    await browser.get('/settings/account')
    await browser.send('/settings/account', { name: 'Ann', time_zone: 'Asia/Tokyo', language: 'ja', theme: 'dark' })
    const { status, text } = await browser.get('/projects/NONE/settings', { 'accept-language': 'en' })
    assert.equal(status, 404)
    assert.match(text, /<html lang="ja"\s+data-theme="dark"/)
    assert.match(text, /action="\/sign-out"/)
  })
})

test('over TLS cookies have the __Host- prefix, and HSTS is set', async t => {
  const origin = 'https://tasks.example'
  const host = await testHost(t, { baseUrl: origin, config: { plugins: { portal: {} } } })
  const browser = newBrowser(host.app, origin)
  const { text } = await host.command('portal setup-link', { user: 'owner@example.com' })
  assert.match(text!, /^https:\/\/tasks\.example\/setup#/)
  const page = await browser.get('/setup')
  assert.equal(page.headers['strict-transport-security'], 'max-age=31536000')
  const code = /#(\S+)/.exec(text!)![1]!
  assert.ok(proofs(page.text).has('/setup'))
  const done = await browser.send('/setup', { code, password: PASSWORD, again: PASSWORD })
  assert.equal(done.status, 303)
  const set = [done.headers['set-cookie']].flat().find(cookie => String(cookie).includes('-session'))
  assert.match(
    String(set),
    /^__Host-tasuki-session=[\w-]{86}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
})
