import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { forEachEngine, noPostgres } from '../../engines.ts'
import { networkFaultHost } from '../../network-fault-host.ts'
import { verifies } from '../../verifies.ts'
import { newBrowser, portalHost } from './portal-host.ts'

const PEOPLE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('host names of the service', () => {
  const portal = portalHost('pglite', { config: { plugins: { portal: {} }, allowed_hosts: ['tasks.lan'] } })

  verifies(
    'portal.hosts',
    'an allowed name serves pages and accepts forms, also from browsers that send only Origin',
    async () => {
      const browser = portal.browser()
      const namedHost = { host: 'tasks.lan:8080' }
      assert.equal((await browser.get('/sign-in', namedHost)).status, 200)
      const form = { proof: browser.proof('/sign-in')!, email: 'nobody@example.com', password: 'x', return_to: '/' }
      const post = async (headers: Readonly<Record<string, string>>): Promise<number> => {
        const { statusCode } = await portal.host.app.inject({
          method: 'POST',
          url: '/sign-in',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
            ...headers,
          },
          payload: new URLSearchParams(form).toString(),
        })
        return statusCode
      }
      assert.equal(await post({ ...namedHost, 'sec-fetch-site': 'same-origin' }), 422)
      assert.equal(await post({ ...namedHost, origin: 'http://tasks.lan:8080' }), 422)
      for (const origin of ['http://tasks.lan', 'http://evil.example', 'null'])
        assert.equal(await post({ ...namedHost, origin }), 403)
      // An origin with one host name is not valid for another host name.
      assert.equal(await post({ host: 'localhost:3000', origin: 'http://tasks.lan:8080' }), 403)
      assert.equal(await post({ host: 'evil.example', origin: 'http://evil.example' }), 421)
      assert.equal(await post({ host: 'evil.example', 'sec-fetch-site': 'same-origin' }), 421)
    },
  )

  verifies('portal.hosts', 'a foreign name is refused everywhere, without a page', async () => {
    const browser = portal.browser()
    const { text } = await browser.get('/sign-in')
    const style = /href="(\/portal\/assets\/[^"]+\.css)"/.exec(text)![1]!
    for (const address of ['/', '/sign-in', '/setup', '/settings/account', '/language/ja', style, '/nothing-here']) {
      const page = await browser.get(address, { ...PEOPLE, host: 'evil.example' })
      assert.equal(page.status, 421, address)
      assert.match(String(page.headers['content-type']), /^application\/json/)
      assert.equal(page.headers['set-cookie'], undefined)
    }
    for (const host of ['LOCALHOST', '127.0.0.1:3000', '[::1]:3000', 'tasks.lan'])
      assert.equal((await browser.get('/sign-in', { host })).status, 200, host)
  })

  verifies('portal.hosts', 'a request with two host names is refused', async () => {
    const { hostname, port } = new URL(await portal.host.listen())
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname)
      let text = ''
      socket
        .on('data', chunk => (text += String(chunk)))
        .on('close', () => resolve(text))
        .on('error', reject)
      socket.write('GET /sign-in HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    })
    assert.match(answer, /^HTTP\/1\.1 400/)
  })
})

forEachEngine('unknown addresses', engine => {
  const portal = portalHost(engine)

  verifies('portal.unknown_address', 'browsers get a page of the portal, programs JSON', async () => {
    const guest = portal.browser()
    const page = await guest.get('/nothing/here?x=1', { ...PEOPLE, 'accept-language': 'ja' })
    assert.equal(page.status, 404)
    assert.match(page.text, /<html lang="ja"[\s\S]*<h1>ページが見つかりません<\/h1>/)
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'/)
    assert.doesNotMatch(page.text, /nothing\/here\?x=1"(?! )[^>]*>nothing/)
    const person = await portal.signedIn()
    const own = await person.get('/nothing', PEOPLE)
    assert.match(own.text, /action="\/sign-out"/)
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream']) {
      const { status, text, headers } = await guest.get('/.well-known/nothing', { accept })
      assert.equal(status, 404)
      assert.match(String(headers['content-type']), /^application\/json/)
      assert.deepEqual(JSON.parse(text), { error: 'not found' })
    }
    const posted = await portal.host.app.inject({
      method: 'POST',
      url: '/nothing',
      headers: { ...PEOPLE, host: 'localhost' },
    })
    assert.deepEqual([posted.statusCode, posted.json()], [404, { error: 'not found' }])
    // Routes of other plugins still work.
    assert.equal((await guest.get('/healthz', PEOPLE)).status, 200)
    assert.equal((await guest.get('/.well-known/oauth-protected-resource', PEOPLE)).status, 200)
    assert.equal((await guest.get('/mcp', PEOPLE)).status, 401)
  })
})

verifies('portal.away', 'without the database a page says so and asks to try again', { skip: noPostgres }, async t => {
  const { host, cut } = await networkFaultHost(t)
  const browser = newBrowser(host.app)
  browser.cookies.set('tasuki-session', Buffer.alloc(64, 1).toString('base64url'))
  await cut()
  const page = await browser.get('/projects', { 'accept-language': 'ja' })
  assert.equal(page.status, 503)
  assert.equal(page.headers['retry-after'], '2')
  assert.match(page.text, /<h1>今は利用できません<\/h1>/)
})

test('without the portal an unknown address is JSON for everybody', async t => {
  const host = await testHost(t, { config: { plugins: { portal: false } } })
  const answer = await host.app.inject({ url: '/nothing', headers: PEOPLE })
  assert.deepEqual([answer.statusCode, answer.json()], [404, { error: 'not found' }])
})
