import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { portalPages } from '../../../plugins/portal/points.ts'
import { databaseText } from '../../database-text.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { crawl, fits, formPaths, kindOf, type Crawl } from './crawl.ts'
import { PASSWORD, portalHost, proofs, type Browser, type Page } from './portal-host.ts'
import { fillAdministration, fillEverything, fillSecondFactor } from './fill-portal.ts'

forEachEngine('every page of the portal that a link leads to', engine => {
  const openid = { issuer: 'https://id.example', client_id: 'tasuki' }
  const portal = portalHost(engine, { settings: { openid } })
  /** Browsers that open the pages, and another browser of the same person with the same pages. */
  let visits: readonly { readonly browser: Browser; readonly found: Crawl; readonly elsewhere: Crawl }[]
  before(async () => {
    const caller = await portal.newUser()
    const browser = await portal.signedIn(caller.email)
    const again = await portal.signedIn(caller.email)
    const users = await fillAdministration(portal, caller.email)
    const starts = [...(await fillEverything(portal, caller, browser)), ...users]
    await fillSecondFactor(portal, caller.userId)
    const halfway = portal.browser()
    await halfway.get('/sign-in')
    await halfway.send('/sign-in', { email: caller.email, password: PASSWORD, return_to: '/' })
    // The page that sets passwords exists only while a set-up link is valid.
    await portal.setupCode(caller.email)
    const open = ['/sign-in', '/setup']
    const visit = async (visitor: Browser, other: Browser, from: readonly string[]) => ({
      browser: visitor,
      found: await crawl(portal.host, visitor, from),
      elsewhere: await crawl(portal.host, other, from),
    })
    visits = [
      await visit(browser, again, starts),
      await visit(portal.browser(), portal.browser(), open),
      await visit(halfway, portal.browser(), ['/sign-in/second-step']),
    ]
  })

  const guarded = ({ headers }: Page, address: string): void => {
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none';style-src 'self';script-src 'self';img-src 'self';/, address)
    assert.match(policy, /;frame-ancestors 'none'$/, address)
    assert.equal(headers['x-frame-options'], 'DENY', address)
  }

  verifies('portal.csrf', 'every form is refused without its CSRF token, and writes nothing', async () => {
    const forms = visits.flatMap(({ found }) => found.forms)
    const unseen = formPaths(portal.host).filter(path => !forms.some(({ address }) => fits(path, address)))
    assert.deepEqual(unseen, [], 'forms that no page showed')
    // The audit trail records the refusals. Once a minute the service stores when tokens were last used, and its queue looks after itself.
    const written = async (): Promise<string> =>
      (await databaseText(portal.host, ['core.audit', 'core_jobs.version'])).replaceAll(/"last_used_at": [^,}]+/g, '')
    const before = await written()
    for (const { browser, found, elsewhere } of visits) {
      for (const { address, page, fields } of found.forms) {
        const [, own] = fields.find(([name]) => name === 'proof') ?? assert.fail(`${address} on ${page} has no proof`)
        const other = found.forms.find(form => form.address !== address)?.fields.find(([name]) => name === 'proof')?.[1]
        const foreign = [...elsewhere.pages.values()].flatMap(({ text }) => proofs(text).get(address) ?? [])[0]
        assert.notEqual(foreign, own)
        const rest = fields.filter(([name]) => name !== 'proof')
        for (const proof of [null, '', other, foreign, own.slice(0, -1), `${own}x`]) {
          if (proof === undefined) continue
          const sent: Record<string, string[]> = proof === null ? {} : { proof: [proof] }
          for (const [name, value] of rest) (sent[name] ??= []).push(value)
          const answer = await browser.post(address, sent)
          assert.equal(answer.status, 403, `${address} with the proof ${proof}`)
          guarded(answer, address)
        }
      }
    }
    assert.equal(await written(), before)
  })

  verifies(
    'portal.headers',
    'pages cannot be framed, and contain no inline scripts or styles and no content of other origins',
    async () => {
      for (const { browser, found } of visits) {
        const missing = await Promise.all(
          ['/nothing', '/projects/NONE/board', '/consent/none'].map(each => browser.get(each)),
        )
        for (const [address, page] of [...found.pages, ...missing.map(each => ['an error', each] as const)]) {
          // Files are not pages; they have their own content security policy.
          if (/^\/(?:files|attachments)\//.test(address)) continue
          guarded(page, address)
          assert.doesNotMatch(
            page.text,
            /<style|<iframe|<object|<base\b|\sstyle=|<[^>]+\son[a-z]+=|href="javascript:/i,
            address,
          )
          assert.doesNotMatch(page.text, /<script(?![^>]*\ssrc=)/, address)
          for (const [, source] of page.text.matchAll(/<(?:script|link|img)[^>]*?(?:src|href)="([^"]*)"/g))
            assert.match(source!, /^\/portal\/assets\//, address)
        }
      }
    },
  )

  test('no field cuts what a person pastes', () => {
    const pages = visits.flatMap(({ found }) => [...found.pages])
    assert.ok(pages.some(([, { text }]) => text.includes('<textarea')))
    assert.deepEqual(
      pages.filter(([, { text }]) => /<(?:input|textarea)[^>]*\smaxlength/i.test(text)).map(([address]) => address),
      [],
    )
  })

  test('an address with arbitrary keys and ids is answered without an internal error', async () => {
    const nonsense = [
      'x',
      '%00',
      '%27%22%3C',
      '%F0%9F%98%80',
      '..%2F..',
      '-1',
      '9'.repeat(30),
      'a'.repeat(400),
      randomUUID(),
    ]
    const paths = portal.host.registry.all(portalPages).map(({ path }) => path)
    const failed: string[] = []
    let tried = 0
    const open = async (browser: Browser, address: string): Promise<void> => {
      const { status, text } = await browser.get(address)
      if (status >= 500) failed.push(`${address}: ${status} ${text.match(/<p>.*?<\/p>/s)?.[0]}`)
      tried++
    }
    for (const path of paths.filter(each => each.includes(':'))) {
      const visit = visits.find(({ found }) => [...found.pages.keys()].some(address => fits(path, address)))
      const real = [...(visit?.found.pages.keys() ?? [])].find(address => fits(path, address)) ?? path
      const [names, values] = [path.split('/'), real.split('?')[0]!.split('/')]
      for (const [n, name] of names.entries())
        for (const word of name.startsWith(':') ? nonsense : [])
          await open((visit ?? visits[0]!).browser, values.with(n, word).join('/'))
    }
    const [{ browser, found }] = visits as [(typeof visits)[number]]
    const kinds = Object.groupBy([...found.pages.keys()], address => kindOf(portal.host, address))
    for (const [address] of Object.values(kinds) as [string][]) {
      const [path, query = ''] = address.split('?')
      for (const name of new URLSearchParams(query).keys())
        for (const word of ['%00', '-1', '9'.repeat(30)]) await open(browser, `${path}?${name}=${word}`)
    }
    assert.deepEqual(failed, [])
    assert.ok(tried > 200, `${tried} addresses`)
  })

  verifies('portal.languages', 'a history is shown in words, not as data', () => {
    const histories = visits.flatMap(({ found }) =>
      [...found.pages].filter(([address]) => address.endsWith('/history')),
    )
    const words = histories.flatMap(([, { text }]) =>
      [...text.matchAll(/<strong>([^<]*)<\/strong>/g)].map(match => match[1]!),
    )
    assert.ok(words.includes('Numbers: assigned') && words.includes('&quot;Customer&quot;: set to'), words.join('\n'))
    assert.deepEqual(
      words.filter(each => /^[a-z_]+\.[a-z_.]+$/.test(each)),
      [],
    )
    for (const [address, { text }] of histories) assert.doesNotMatch(text, /\{&quot;/, address)
  })
})
