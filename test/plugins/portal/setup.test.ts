import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { runCommand } from '../../../core/cli/run-command.ts'
import { readEnvironment } from '../../../core/host/config/environment.ts'
import { firstStart } from '../../../core/host/first-start.ts'
import type { Host } from '../../../core/host/host.ts'
import { makeCaller } from '../../../core/testing/caller.ts'
import { loggerOptions } from '../../../core/host/log-stream.ts'
import { bareDatabase, bareHost } from '../../core/bare-host.ts'
import { suiteScope } from '../../core/suite-scope.ts'
import { databaseText } from '../../database-text.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { newBrowser, PASSWORD, type Browser } from './portal-host.ts'

const CONFIG = { plugins: { portal: {} } }
const chosen = { password: PASSWORD, again: PASSWORD }

async function start(
  host: Host,
  variables: NodeJS.ProcessEnv,
): Promise<{ email: string | null; token: string | null; code: string }> {
  const first = await firstStart(host, readEnvironment(variables))
  const text = first!.notes.map(note => note('https://tasks.example')).join('\n')
  return { ...first!, code: /https:\/\/tasks\.example\/setup#([\w-]{43})\s*$/.exec(text)![1]! }
}
async function emails(host: Host): Promise<readonly string[]> {
  const { rows } = await sql<{ email: string }>`select email from core.users order by email`.execute(
    host.database.write,
  )
  return rows.map(({ email }) => email)
}
async function setUp(browser: Browser, fields: Record<string, string>) {
  await browser.get('/setup')
  return browser.send('/setup', { ...chosen, ...fields })
}

forEachEngine('the set-up link', engine => {
  const scope = suiteScope()
  let now = new Date('2026-06-01T09:00:00Z')
  const newHost = async (): Promise<Host> =>
    bareHost(scope, await bareDatabase(scope, engine), { config: CONFIG, now: () => now })

  verifies(
    'portal.setup',
    'on a loopback address the owner exists, and the link of the first start sets the password once',
    async () => {
      const host = await newHost()
      const { email, token, code } = await start(host, {})
      assert.equal(email, 'owner@localhost')
      assert.ok(token)
      assert.equal(await firstStart(host, readEnvironment({})), null)
      const browser = newBrowser(host.app)
      const page = await browser.get('/setup')
      // An empty field keeps the address; the account page asks for it later.
      assert.match(page.text, /name="email"[^>]*(?<!required)/)
      const weak = await setUp(browser, { code, password: 'password1234', again: 'password1234' })
      assert.match(weak.text, /easy to guess/)
      const wrong = await setUp(browser, { code: `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}` })
      assert.match(wrong.text, /unknown, already used or expired/)
      const late = newBrowser(host.app)
      await late.get('/setup')
      const done = await setUp(browser, { code })
      assert.deepEqual([done.status, done.location], [303, '/'])
      assert.equal((await browser.get('/settings/account')).status, 200)
      const over = newBrowser(host.app)
      assert.match((await over.get('/setup')).text, /No set-up link is open here: each works once, within a day\./)
      assert.doesNotMatch((await over.get('/setup')).text, /name="password"/)
      const again = await late.post('/setup', { ...chosen, code, proof: late.proof('/setup')! })
      assert.equal(again.status, 422)
      assert.match(again.text, /unknown, already used or expired\. Ask the administrator for a new link/)
    },
  )

  verifies(
    'portal.setup',
    'on another address the first person with the link becomes the owner, also with parallel requests',
    async () => {
      const host = await newHost()
      const first = await start(host, { HOST: '0.0.0.0' })
      assert.deepEqual([first.email, first.token], [null, null])
      assert.deepEqual(await emails(host), [])
      // A second start or instance shows another link; both work until the owner exists.
      const second = await start(host, { HOST: '0.0.0.0' })
      const codes = [first.code, second.code, first.code, second.code]
      const browsers = await Promise.all(
        codes.map(async () => {
          const browser = newBrowser(host.app)
          await browser.get('/setup')
          return browser
        }),
      )
      const nameless = await browsers[0]!.send('/setup', { ...chosen, code: first.code, email: 'nobody' })
      assert.match(nameless.text, /Enter an e-mail address/)
      const answers = await Promise.all(
        browsers.map((browser, n) =>
          browser.send('/setup', { ...chosen, code: codes[n]!, email: `ann${n}@example.com`, name: 'Ann' }),
        ),
      )
      assert.deepEqual(answers.filter(({ status }) => status === 303).length, 1)
      assert.equal((await emails(host)).length, 1)
      const winner = answers.findIndex(({ status }) => status === 303)
      assert.equal((await browsers[winner]!.get('/settings/account')).status, 200)
      const { rows } = await sql<{
        n: number
      }>`select count(*)::int as n from projects.projects where is_inbox`.execute(host.database.write)
      assert.deepEqual(rows, [{ n: 1 }])
    },
  )

  verifies(
    ['portal.setup', 'portal.recovery'],
    'with BOOTSTRAP_EMAIL the owner has no password until the link sets one; a new link sets another',
    async () => {
      const host = await newHost()
      const { email, code } = await start(host, { HOST: '0.0.0.0', BOOTSTRAP_EMAIL: 'Ann@Example.com' })
      assert.equal(email, 'ann@example.com')
      const browser = newBrowser(host.app)
      await browser.get('/sign-in')
      assert.equal(
        (await browser.send('/sign-in', { email: 'ann@example.com', password: PASSWORD, return_to: '' })).status,
        422,
      )
      assert.equal((await setUp(browser, { code })).status, 303)

      const link = async (): Promise<string> => {
        const { text } = await runCommand(host, 'portal setup-link', { user: 'ann@example.com' })
        return /\/setup#(\S+)/.exec(text!)![1]!
      }
      const [old, fresh] = [await link(), await link()]
      const other = newBrowser(host.app)
      assert.equal((await setUp(other, { code: old })).status, 422)
      const next = { password: 'seven green bottles fall', again: 'seven green bottles fall' }
      assert.equal((await setUp(other, { code: fresh, ...next })).status, 303)
      assert.equal((await browser.get('/settings/account')).status, 303)
      assert.equal((await other.get('/settings/account')).status, 200)
      const late = await link()
      now = new Date(now.getTime() + 24 * 3_600_000)
      assert.match((await newBrowser(host.app).get('/setup')).text, /No set-up link is open here/)
      const third = await link()
      assert.equal((await setUp(newBrowser(host.app), { code: late })).status, 422)
      assert.equal((await setUp(newBrowser(host.app), { code: third })).status, 303)
      await assert.rejects(runCommand(host, 'portal setup-link', { user: 'nobody@example.com' }), { code: 'not_found' })
    },
  )

  verifies('portal.secrets', 'no secret is in an address, in the log or, unhashed, in the database', async () => {
    const lines: string[] = []
    const logger = {
      ...loggerOptions({ logLevel: 'trace' }),
      stream: { write: (line: string) => void lines.push(line) },
    }
    const host = await bareHost(scope, await bareDatabase(scope, engine), { config: CONFIG, logger })
    const { code, token } = await start(host, {})
    const browser = newBrowser(host.app)
    const addresses: (string | undefined)[] = []
    const seen = async (page: Promise<{ location: string | undefined }>): Promise<void> =>
      void addresses.push((await page).location)
    await browser.get('/setup')
    await seen(browser.send('/setup', { ...chosen, code: 'a wrong code' }))
    await seen(browser.send('/setup', { ...chosen, code }))
    const session = browser.cookies.get('tasuki-session')!
    await browser.get('/settings/integrations')
    const issued = await browser.send('/settings/integrations/tokens', { name: 'x', scope: 'write', lifetime: '90' })
    const pat = /svc_pat_[0-9A-Za-z]{38}/.exec(issued.text)![0]
    assert.equal((await makeCaller(host.app, '', pat).rpc('tools/list')).status, 200)
    await browser.get('/settings/integrations')
    await seen(browser.send('/sign-out'))
    await browser.get(`/sign-in?return_to=/&password=${PASSWORD.replaceAll(' ', '+')}`)
    const typed = 'my other password'
    await seen(browser.send('/sign-in', { email: typed, password: typed, return_to: '/' }))
    await browser.get('/sign-in')
    await seen(browser.send('/sign-in', { email: 'owner@localhost', password: PASSWORD, return_to: '/' }))
    await browser.post('/sign-in', { proof: code, password: PASSWORD })
    const log = lines.join('\n')
    assert.ok(lines.length > 10 && log.includes('/settings/integrations'))
    const dump = await databaseText(host)
    const secrets = {
      code,
      token: token!,
      session,
      pat,
      password: PASSWORD,
      plus: PASSWORD.replaceAll(' ', '+'),
      typed,
      again: browser.cookies.get('tasuki-session')!,
    }
    for (const [name, secret] of Object.entries(secrets)) {
      assert.ok(!log.includes(secret), `${name} is in the log`)
      assert.ok(!addresses.join('\n').includes(secret), `${name} is in an address`)
      assert.ok(!dump.includes(secret), `${name} is in the database`)
    }
    assert.ok(dump.includes('owner@localhost'))
  })

  test('a start without the portal says that there is no user', async () => {
    const host = await bareHost(scope, await bareDatabase(scope, engine), { config: { plugins: { portal: false } } })
    assert.equal(await firstStart(host, readEnvironment({ HOST: '0.0.0.0' })), null)
    assert.deepEqual((await firstStart(host, readEnvironment({})))!.notes, [])
  })
})
