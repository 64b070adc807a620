import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { PASSWORD, portalHost, withoutPageId, type Browser } from './portal-host.ts'

forEachEngine('the e-mail address of an account', engine => {
  const portal = portalHost(engine)
  const change = async (browser: Browser, email: string, password = PASSWORD) => {
    await browser.get('/settings/account')
    const asked = await browser.send('/settings/account/email', { email })
    assert.match(asked.text, /Confirm that it is you/)
    return browser.send('/settings/account/email', { email, confirm_password: password })
  }
  const signsIn = async (email: string): Promise<boolean> => {
    const browser = portal.browser()
    await browser.get('/sign-in')
    return (await browser.send('/sign-in', { email, password: PASSWORD, return_to: '/' })).status === 303
  }
  const invited = async (browser: Browser) => (await browser.get('/settings/invitations')).text
  const invite = async (owner: Browser, key: string, email: string): Promise<void> => {
    await owner.get('/projects')
    await owner.send('/projects', { key, name: `Project ${key}`, description: '' })
    await owner.get(`/projects/${key}/members`)
    const done = await owner.send(`/projects/${key}/members`, { email, role: 'viewer' })
    assert.equal(done.status, 303, done.text)
  }

  test('is changed with the password; sessions, tokens and data stay, and the person is notified', async () => {
    const person = await portal.newUser()
    const browser = await portal.signedIn(person.email)
    assert.equal((await change(browser, 'ann.new@example.com', 'a guess')).status, 422)
    assert.equal(await signsIn('ann.new@example.com'), false)
    const done = await change(browser, ' Ann.New@Example.com ')
    assert.deepEqual([done.status, done.location], [303, '/settings/account'])
    assert.match((await browser.get('/settings/account')).text, /ann\.new@example\.com/)
    assert.deepEqual([await signsIn('ann.new@example.com'), await signsIn(person.email)], [true, false])
    const { notifications } = await person.call('notifications_list', {})
    const notice = notifications.find(({ kind }: { kind: string }) => kind === 'access.email')
    assert.equal(notice.data.name, 'ann.new@example.com')
  })

  test('is unique, and must be a valid address', async () => {
    const [one, other] = [await portal.newUser(), await portal.newUser()]
    const browser = await portal.signedIn(one.email)
    const taken = await change(browser, other.email.toUpperCase())
    assert.equal(taken.status, 422)
    assert.match(taken.text, /has this address already/)
    assert.match((await change(browser, 'no address')).text, /such as ann@example\.com/)
    await assert.rejects(
      portal.host.command('user set-email', { email: one.email, new: other.email }),
      /already a user/,
    )
    await assert.rejects(portal.host.command('user set-email', { email: one.email, new: 'nothing' }), /no e-mail/)
    assert.ok((await signsIn(one.email)) && (await signsIn(other.email)))
  })

  test('cannot imitate an address by letters that look like others', async () => {
    const person = await portal.newUser()
    const browser = await portal.signedIn(person.email)
    for (const email of ['\u0430nn@example.com', 'ann\u200b@example.com', 'ann@example\uff0ecom']) {
      const refused = await change(browser, email)
      assert.equal(refused.status, 422)
      assert.match(refused.text, /may look like the address of somebody else/)
    }
    // The operator vouches for the addresses that they set.
    await portal.host.command('user set-email', { email: person.email, new: 'jörg@example.com' })
    assert.ok(await signsIn('jörg@example.com'))
  })

  test('tells a user of few addresses whether they have an account', async () => {
    const [person, other] = [await portal.newUser(), await portal.newUser()]
    const browser = await portal.signedIn(person.email)
    const statuses = []
    for (let n = 0; n < 12; n++)
      statuses.push((await change(browser, n % 2 ? other.email : `free${n}@example.com`)).status)
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, (_, n) => (n % 2 ? 422 : 303)), 429, 429])
    const late = await change(browser, other.email)
    assert.match(late.text, /Too many attempts/)
    assert.match(String(late.headers['retry-after']), /^\d+$/)
    assert.ok(await signsIn(other.email))
    const elsewhere = await portal.signedIn(other.email)
    assert.equal((await change(elsewhere, 'of.another@example.com')).status, 303)
  })

  test('of two concurrent requests for one address, one succeeds', async () => {
    const people = [await portal.newUser(), await portal.newUser()]
    const browsers = await Promise.all(people.map(({ email }) => portal.signedIn(email)))
    const answers = await Promise.all(browsers.map(browser => change(browser, 'wanted@example.com')))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [303, 422],
    )
  })

  test('keeps the invitations of the user, and hides pending invitations to the new address', async () => {
    const owner = await portal.signedIn()
    const person = await portal.newUser()
    const browser = await portal.signedIn(person.email)
    await invite(owner, 'MINE', person.email)
    await invite(owner, 'THEIRS', 'boss@example.com')
    assert.equal((await change(browser, 'boss@example.com')).status, 303)
    const text = await invited(browser)
    assert.ok(text.includes('Project MINE') && !text.includes('Project THEIRS'), text)
    // The operator may assign an address without proof.
    const other = await portal.newUser()
    await invite(owner, 'AGAIN', 'ben@example.com')
    await portal.host.command('user set-email', { email: other.email, new: 'ben@example.com' })
    assert.match(await invited(await portal.signedIn('ben@example.com')), /Project AGAIN/)
  })

  test('who invited a former or the new address learns nothing of the change', async () => {
    const owner = await portal.signedIn()
    const person = await portal.newUser()
    await invite(owner, 'FORMER', person.email)
    await invite(owner, 'LATER', 'carl@example.com')
    const pages = async () => {
      const both = []
      for (const key of ['FORMER', 'LATER']) both.push((await owner.get(`/projects/${key}/members`)).text)
      return both.map(withoutPageId)
    }
    // The first ones say what was done last.
    await pages()
    const before = await pages()
    const browser = await portal.signedIn(person.email)
    assert.equal((await change(browser, 'carl@example.com')).status, 303)
    assert.deepEqual(await pages(), before)
    // The address that was entered still names the invitation.
    await owner.get('/projects/FORMER/members')
    await owner.send('/projects/FORMER/members/remove', { email: person.email })
    assert.doesNotMatch(await invited(browser), /Project FORMER/)
    await owner.get('/projects/FORMER/members')
    await owner.send('/projects/FORMER/members', { email: 'carl@example.com', role: 'viewer' })
    assert.match(await invited(browser), /Project FORMER/)
  })

  test('an owner without an address is asked for it', async () => {
    const [first] = await portal.host.sql<{ email: string }>`
      select email from core.users order by created_at limit 1`
    await portal.host.command('user set-email', { email: first!.email, new: 'owner@localhost' })
    const code = await portal.setupCode('owner@localhost')
    const browser = portal.browser()
    assert.match((await browser.get('/setup')).text, /name="email"/)
    await browser.send('/setup', { code, password: PASSWORD, again: PASSWORD })
    const { text } = await browser.get('/settings/account')
    assert.match(text, /placeholder from the first start/)
    assert.doesNotMatch(text, /id="set-address"/, 'this page has the form anyway')
    const { text: page } = await browser.get('/settings/security')
    assert.match(page, /id="set-address"[^]*href="\/settings\/account"/)
    assert.match(
      (await browser.get('/settings/security', { 'accept-language': 'ja' })).text,
      /メールアドレスを設定してください/,
    )
    await browser.send('/sign-out')
    await browser.get('/sign-in')
    await browser.send('/sign-in', { email: 'owner@localhost', password: PASSWORD, return_to: '/' })
    assert.match((await browser.get('/settings/security')).text, /still owner@localhost/)
    // A new set-up link asks for the address and accepts it.
    const next = await portal.setupCode('owner@localhost')
    const other = portal.browser()
    await other.get('/setup')
    const chosen = { code: next, password: PASSWORD, again: PASSWORD, email: 'the.owner@example.com' }
    assert.equal((await other.send('/setup', chosen)).status, 303)
    assert.equal(await signsIn('the.owner@example.com'), true)
    // Nobody is alarmed about the address that they have just entered.
    const alarms = () => portal.host.sql<{ name: string }>`
      select data->>'name' as name from workspace.notifications where kind = 'access.email'`
    assert.ok(!(await alarms()).some(({ name }) => name === 'the.owner@example.com'))
    assert.doesNotMatch((await other.get('/settings/security')).text, /id="set-address"/)
    // On the account page: it asks for the password, then changes the address.
    await portal.host.command('user set-email', { email: 'the.owner@example.com', new: 'owner@localhost' })
    await other.get('/settings/account')
    const asked = await other.send('/settings/account/email', { email: 'chosen@example.com' })
    assert.match(asked.text, /confirm_password/)
    const done = await other.send('/settings/account/email', {
      email: 'chosen@example.com',
      confirm_password: PASSWORD,
    })
    assert.equal(done.status, 303)
    assert.ok((await alarms()).some(({ name }) => name === 'chosen@example.com'))
    assert.doesNotMatch((await other.get('/settings/security')).text, /id="set-address"/)
  })
})
