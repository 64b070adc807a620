import assert from 'node:assert/strict'
import https from 'node:https'
import { test } from 'node:test'
import { makeCaller } from '../../../core/testing/caller.ts'
import { storeDocument } from '../../../core/identity/oauth/documents.ts'
import { writeTokenUses } from '../../../core/identity/token-uses.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { answer, authorize as askAccess, CALLBACK, consentForm, follow } from './client-app.ts'
import { PASSWORD, portalHost, type Browser, type Page } from './portal-host.ts'

const PATH = '/settings/integrations'

forEachEngine('integrations', engine => {
  const portal = portalHost(engine)
  const issue = async (browser: Browser, fields: Record<string, string | string[]> = {}): Promise<Page> => {
    await browser.get(PATH)
    return browser.send(`${PATH}/tokens`, { name: 'laptop', scope: 'write', lifetime: '90', ...fields })
  }
  const tokenIn = ({ text }: Page): string => /svc_pat_[0-9A-Za-z]{38}/.exec(text)![0]

  verifies(
    ['portal.tokens_issue', 'auth.issue_in_portal'],
    'a token is shown once, works at once, and is never shown again',
    async () => {
      const browser = await portal.signedIn()
      const page = await issue(browser)
      assert.equal(page.status, 200)
      assert.equal(page.headers['cache-control'], 'no-store')
      const token = tokenIn(page)
      const { item } = await makeCaller(portal.host.app, '', token).call('items_create', {
        project_key: 'INBOX',
        title: 'x',
      })
      assert.equal(item.title, 'x')
      const { text } = await browser.get(PATH)
      assert.ok(text.includes('laptop') && text.includes(`…${token.slice(-4)}`))
      assert.ok(!text.includes(token))
      const reading = tokenIn(await issue(browser, { scope: 'read' }))
      const tools = await makeCaller(portal.host.app, '', reading).listTools()
      assert.ok(
        tools.length > 0 && tools.every(({ annotations }) => (annotations as { readOnlyHint: boolean }).readOnlyHint),
      )
    },
  )

  test('errors of a new token are shown at their fields', async () => {
    const browser = await portal.signedIn()
    for (const [fields, id] of [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(81) }, 'name'],
      [{ scope: 'admin' }, 'scope'],
      [{ lifetime: '91' }, 'lifetime'],
      [{ projects: ['0190f2a0-0000-7000-8000-000000000001'] }, 'projects'],
    ] as const) {
      const page = await issue(browser, fields as Record<string, string>)
      assert.equal(page.status, 422)
      assert.ok(page.text.includes(`href="#settings-integrations-tokens-${id}"`), id)
    }
  })

  verifies('portal.tokens_limit', 'a token can expire and be limited to projects', async () => {
    const { email, userId } = await portal.newUser()
    await portal.host.command('project create', { key: 'APP', name: 'The app', user: email })
    const browser = await portal.signedIn(email)
    const { text } = await browser.get(PATH)
    const [, app] = /value="([0-9a-f-]{36})"[^>]*>\s*<label[^>]*>APP – The app/.exec(text)!
    const token = tokenIn(await issue(browser, { lifetime: '30', projects: [app!] }))
    const caller = makeCaller(portal.host.app, userId, token)
    const { projects } = await caller.call('projects_list', {})
    assert.deepEqual(
      projects.map(({ key }: { key: string }) => key),
      ['APP'],
    )
    assert.match((await browser.get(PATH)).text, /<td[^>]*>APP<\/td>/)
    const begun = portal.now
    portal.now = new Date(begun.getTime() + 31 * 86_400_000)
    assert.equal((await caller.rpc('tools/list')).status, 401)
    portal.now = begun
  })

  verifies(
    'portal.tokens_revoke',
    'a token is listed with its last use, and refused as soon as it is revoked',
    async () => {
      const browser = await portal.signedIn()
      const caller = makeCaller(portal.host.app, '', tokenIn(await issue(browser, { name: 'phone' })))
      assert.equal((await caller.rpc('tools/list')).status, 200)
      await writeTokenUses(portal.host.authenticator, portal.host.database)
      const { text } = await browser.get(PATH)
      assert.match(text, /datetime="2026-06-01T09:00:00\.000Z"/)
      const [, address] = /action="([^"]+\/revoke)"/.exec(text)!
      const stranger = await portal.signedIn()
      await stranger.get(PATH)
      assert.equal((await stranger.post(address!, { proof: stranger.proof('/sign-out')! })).status, 403)
      await browser.get(PATH)
      const done = await browser.send(address!)
      assert.deepEqual([done.status, done.location], [303, PATH])
      assert.equal((await caller.rpc('tools/list')).status, 401)
      const after = await browser.get(PATH)
      assert.match(after.text, /Token &quot;phone&quot; revoked/)
      assert.equal(after.text.includes(address!), false)
    },
  )

  verifies('portal.clients', 'the page shows how to set up clients and what each profile contains', async () => {
    const browser = await portal.signedIn()
    const { text } = await browser.get(PATH)
    for (const part of [
      'claude mcp add --transport http tasuki http://localhost:3000/mcp',
      'Authorization: Bearer svc_pat_…',
      '.vscode/mcp.json',
      'mcpServers',
      '[mcp_servers.tasuki]',
      'gemini mcp add',
      'curl http://localhost:3000/mcp',
    ])
      assert.ok(text.includes(part), part)
    for (const profile of ['full-access', 'task-assistant', 'project-ops', 'essentials']) {
      const shown = portal.host.registry.view({ profile, scope: 'write' })!.tools.size
      const cells = new RegExp(`<code>${profile}</code>\\s*</th>\\s*<td[^>]*>${shown}</td>`)
      assert.ok(cells.test(text), profile)
    }
    const issued = await issue(browser)
    assert.ok(issued.text.includes(`Bearer ${tokenIn(issued)}`))
  })

  const authorize = (browser: Browser, options = {}) => askAccess(portal.host.app, browser, options)
  const redeem = async (
    id: string,
    verifier: string,
    address: string,
  ): Promise<{ access_token: string; scope: string }> => {
    const response = await portal.host.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { host: 'localhost:3000', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: id,
        code: new URL(address).searchParams.get('code')!,
        code_verifier: verifier,
        redirect_uri: CALLBACK,
      }).toString(),
    })
    assert.equal(response.statusCode, 200, response.body)
    return response.json()
  }

  verifies(
    'portal.consent',
    'a person signs in, sees the client and the account, and consents; narrowed, the client only reads',
    async () => {
      const { email } = await portal.newUser()
      const browser = portal.browser()
      const { page: signIn } = await authorize(browser)
      assert.match(signIn.text, /action="\/sign-in"/)
      const [, returnTo] = /name="return_to"\s+value="([^"]+)"/.exec(signIn.text)!
      await follow(browser, await browser.send('/sign-in', { email, password: PASSWORD, return_to: returnTo! }))

      const { id, verifier, page } = await authorize(browser, { name: '<img src=x onerror=alert(1)>' })
      for (const part of [
        '&lt;img src=x onerror=alert(1)&gt;',
        'not verified',
        'localhost:5123',
        email,
        'a program on this computer',
        'value="write"',
      ])
        assert.ok(page.text.includes(part), part)
      assert.ok(!page.text.includes('<img'))
      const done = await answer(browser, page, { decision: 'allow', scope: 'read' })
      assert.ok(done.address!.startsWith(`${CALLBACK}?code=`), done.address)
      const { access_token: token, scope } = await redeem(id, verifier, done.address!)
      assert.ok(!scope.includes('write'), scope)
      const caller = makeCaller(portal.host.app, '', token)
      assert.ok((await caller.listTools()).length > 0)
      assert.equal(
        (await caller.rpc('tools/call', { name: 'items_create', arguments: { project_key: 'INBOX', title: 'x' } }))
          .status,
        403,
      )
      // A new authorization request asks for consent again.
      assert.match((await authorize(browser)).page.text, /Allow access/)
    },
  )

  verifies(
    ['portal.consent', 'portal.connections'],
    'a person selects the projects of an app, which sees no others; the list and the activity show them',
    async () => {
      const { email, userId } = await portal.newUser()
      const stranger = await portal.newUser()
      await portal.host.command('project create', { key: 'APP', name: 'The app', user: email })
      await portal.host.command('project create', { key: 'ELSE', name: 'Elsewhere', user: stranger.email })
      const [forged] = await portal.host.sql<{ id: string }>`
        select id from projects.projects where key = 'ELSE' and owner_id = ${stranger.userId}`
      const browser = await portal.signedIn(email)
      const { id, verifier, page } = await authorize(browser)
      const [, app] = /value="([0-9a-f-]{36})"[^>]*>\s*<label[^>]*>APP – The app/.exec(page.text)!
      assert.ok(page.text.includes('INBOX – ') && !page.text.includes('ELSE'))
      const address = consentForm(page)
      const fields = { decision: 'allow', scope: 'write' }
      for (const [wrong, complaint] of [
        [{ reach: 'some' }, 'Choose at least one project.'],
        [{ reach: 'some', projects: [app!, forged!.id] }, 'One of these projects no longer exists.'],
        [{ reach: 'some', projects: ['nonsense'] }, 'One of these projects no longer exists.'],
        [{ reach: 'all', projects: [app!] }, 'You have chosen projects, but allowed all.'],
      ] as const) {
        const refused = await browser.send(address, { ...fields, ...wrong })
        assert.equal(refused.status, 422)
        assert.ok(refused.text.includes(complaint) && /href="#consent-[^"]*-projects"/.test(refused.text), refused.text)
      }
      const absent = await browser.send(address, fields)
      assert.ok(absent.status === 422 && /href="#consent-[^"]*-reach"/.test(absent.text))

      const done = await answer(browser, page, { ...fields, reach: 'some', projects: [app!] })
      const { access_token: token } = await redeem(id, verifier, done.address!)
      const caller = makeCaller(portal.host.app, userId, token)
      const { projects } = await caller.call('projects_list', {})
      assert.deepEqual(
        projects.map(({ key }: { key: string }) => key),
        ['APP'],
      )
      const { page: again } = await authorize(browser, { name: 'Codex' })
      await answer(browser, again, { ...fields, reach: 'all' })
      const { text } = await browser.get(PATH)
      assert.match(text, /Claude[^]*?data-label="Projects"\s*>APP – The app<\/td>/)
      assert.match(text, /Codex[^]*?data-label="Projects"\s*>All projects<\/td>/)
      assert.match((await browser.get('/settings/activity?action=app.approved')).text, /Projects: APP,/)

      const { page: denied } = await authorize(browser)
      const { address: redirectAddress } = await answer(browser, denied, {
        decision: 'deny',
        scope: 'write',
        reach: 'some',
      })
      assert.equal(new URL(redirectAddress!).searchParams.get('error'), 'access_denied')
    },
  )

  verifies('portal.consent', 'a client with a metadata document is shown with its verified host', async t => {
    const client = 'https://app.example/client.json'
    const document = {
      client_id: client,
      client_name: 'Editor',
      redirect_uris: ['http://localhost/callback'],
      token_endpoint_auth_method: 'none' as const,
    }
    // The host of the document is down; an earlier approval still holds.
    t.mock.method(https, 'request', () => {
      throw new Error('away')
    })
    await portal.host.write(ctx => storeDocument(ctx.db, client, document, ctx.now))
    const browser = await portal.signedIn()
    const { page } = await authorize(browser, { client, redirect: 'http://localhost:61234/callback' })
    assert.ok(page.text.includes('<strong>&quot;Editor&quot;</strong>') && page.text.includes('verified: app.example'))
    assert.ok(!page.text.includes('not verified') && page.text.includes('localhost:61234'))
    await answer(browser, page, { decision: 'allow', scope: 'write' })
    assert.match((await browser.get(PATH)).text, /Editor<br \/><span class="quiet">app\.example</)
  })

  verifies('portal.consent', 'a denial returns an error to the client', async () => {
    const browser = await portal.signedIn()
    const { page } = await authorize(browser)
    const { address } = await answer(browser, page, { decision: 'deny', scope: 'write' })
    assert.equal(new URL(address!).searchParams.get('error'), 'access_denied')
    assert.match((await browser.get(consentForm(page))).text, /This request has expired/)
  })

  verifies(
    'portal.consent',
    'a remote client has no loopback warning, and a reading client is not offered write access',
    async () => {
      const browser = await portal.signedIn()
      const { page } = await authorize(browser, { redirect: 'https://chat.example/callback', scope: 'read' })
      assert.ok(page.text.includes('chat.example'))
      assert.ok(!page.text.includes('a program on this computer'))
      assert.ok(!page.text.includes('value="write"'))
      assert.ok(page.text.includes('It asks to read only'))
    },
  )

  verifies('portal.consent', 'an app with a custom scheme cannot impersonate a site', async () => {
    const browser = await portal.signedIn()
    for (const [redirect, shown] of [
      ['com.example.app://claude.ai/cb', 'com.example.app://claude.ai'],
      ['com.example.app:/cb', 'com.example.app:'],
    ] as const) {
      const { page } = await authorize(browser, { redirect, scope: 'read' })
      assert.ok(page.text.includes(`<strong>${shown}</strong>`), page.text)
      await answer(browser, page, { decision: 'allow', scope: 'read' })
      assert.ok((await browser.get(PATH)).text.includes(`<span class="quiet">${shown}</span>`))
    }
  })

  verifies('portal.consent', 'consent cannot be given for another person', async () => {
    const [browser, stranger] = [await portal.signedIn(), await portal.signedIn()]
    const { page } = await authorize(browser)
    const address = consentForm(page)
    assert.match((await stranger.get(address)).text, /This request has expired/)
    // Nor with the cookies of the browser that got the question.
    for (const [name, value] of browser.cookies) if (name !== 'tasuki-session') stranger.cookies.set(name, value)
    assert.match((await stranger.get(address)).text, /This request has expired/)
    await browser.get(address)
    assert.equal(
      (await stranger.post(address, { proof: browser.proof(address)!, decision: 'allow', scope: 'write' })).status,
      403,
    )
    assert.ok(await answer(browser, page, { decision: 'allow', scope: 'write' }))
  })

  verifies(
    'portal.connections',
    'a connected application is listed, and loses access as soon as it is disconnected',
    async () => {
      const browser = await portal.signedIn()
      const { id, verifier, page } = await authorize(browser, { name: 'Codex' })
      const done = await answer(browser, page, { decision: 'allow', scope: 'write' })
      const { access_token: token } = await redeem(id, verifier, done.address!)
      const caller = makeCaller(portal.host.app, '', token)
      assert.equal((await caller.rpc('tools/list')).status, 200)
      const { text } = await browser.get(PATH)
      assert.ok(text.includes('Codex') && text.includes('localhost:5123') && text.includes('Read and change'))
      const [, address] = /action="([^"]+\/disconnect)"/.exec(text)!
      assert.equal((await browser.send(address!, { name: 'Codex' })).location, PATH)
      assert.equal((await caller.rpc('tools/list')).status, 401)
      const after = await browser.get(PATH)
      assert.match(after.text, /&quot;Codex&quot; was disconnected/)
      assert.equal((await browser.post(address!, { proof: 'gone' })).status, 403)
    },
  )
})
