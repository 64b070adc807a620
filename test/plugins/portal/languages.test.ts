import assert from 'node:assert/strict'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { portalHost, type Browser } from './portal-host.ts'

const linkTo = (text: string, tag: string): string | undefined =>
  new RegExp(`<a\\s+href="(/language/${tag}[^"]*)"`).exec(text)?.[1]!.replaceAll('&amp;', '&')
const languageOf = (text: string): string | undefined => /<html lang="(\w+)"/.exec(text)?.[1]

forEachEngine('the language of a browser', engine => {
  const portal = portalHost(engine)

  const choose = async (browser: Browser, text: string, tag: string): Promise<string> => {
    const chosen = await browser.get(linkTo(text, tag)!)
    assert.equal(chosen.status, 303)
    return chosen.location!
  }

  verifies('portal.language_switch', 'a link changes it, returns, and overrides the browser', async () => {
    const browser = portal.browser()
    const asked = { 'accept-language': 'en' }
    const first = await browser.get('/sign-in?return_to=%2Fsettings%2Fsecurity', asked)
    assert.equal(linkTo(first.text, 'en'), undefined, 'the present one is no link')
    const back = await choose(browser, first.text, 'ja')
    assert.equal(back, '/sign-in?return_to=%2Fsettings%2Fsecurity')
    const second = await browser.get(back, asked)
    assert.equal(languageOf(second.text), 'ja')
    assert.ok(second.text.includes('<h1>サインイン</h1>'))
    // A refused sign-in keeps the return address.
    const refused = await browser.send('/sign-in', {
      email: 'nobody@example.com',
      password: 'x',
      return_to: '/notifications',
    })
    assert.equal(languageOf(refused.text), 'ja')
    assert.equal(await choose(browser, refused.text, 'en'), '/sign-in?return_to=%2Fnotifications')
    assert.equal(languageOf((await browser.get('/sign-in', { 'accept-language': 'ja' })).text), 'en')
  })

  verifies(
    'portal.language_switch',
    'the link leads only to paths of this origin, and accepts only supported languages',
    async () => {
      for (const there of [
        'https://evil.example/',
        '//evil.example',
        '/\\evil.example',
        '/\t/evil.example',
        'javascript:alert(1)',
        '',
      ]) {
        const { location, status } = await portal.browser().get(`/language/ja?return_to=${encodeURIComponent(there)}`)
        assert.equal(status, 303)
        assert.equal(location, '/', there)
      }
      const twice = await portal.browser().get('/language/ja?return_to=/a&return_to=//evil.example')
      assert.equal(twice.location, '/')
      const browser = portal.browser()
      for (const tag of ['xx', 'constructor', 'JA'])
        assert.equal((await browser.get(`/language/${tag}?return_to=/sign-in`)).location, '/sign-in')
      assert.equal(browser.cookies.size, 0)
    },
  )

  verifies('portal.language_switch', 'another site cannot change it', async () => {
    const browser = portal.browser()
    for (const site of ['cross-site', 'same-site']) await browser.get('/language/ja', { 'sec-fetch-site': site })
    assert.equal(browser.cookies.size, 0)
  })

  verifies('portal.language_switch', 'the setting of the person takes precedence, and there is no link', async () => {
    const browser = await portal.signedIn()
    await browser.get('/language/ja')
    // For a signed-in person without a chosen language, the consent page offers the choice too.
    const consent = await browser.get('/consent/unknown')
    assert.equal(languageOf(consent.text), 'ja')
    assert.equal(await choose(browser, consent.text, 'en'), '/consent/unknown')
    await browser.get('/language/ja')
    await browser.get('/settings/account')
    const fields = { name: 'Ann', time_zone: 'Asia/Tokyo', theme: 'auto' }
    await browser.send('/settings/account', { ...fields, language: 'en' })
    const own = await browser.get('/consent/unknown')
    assert.equal(languageOf(own.text), 'en')
    assert.equal(linkTo(own.text, 'ja'), undefined)
    // "As the browser says" uses the browser's language, not the remembered one.
    await browser.get('/language/ja')
    await browser.get('/settings/account')
    await browser.send('/settings/account', { ...fields, language: 'auto' })
    assert.equal(languageOf((await browser.get('/settings/account', { 'accept-language': 'en' })).text), 'en')
  })
})
