import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { testHost, type TestCaller } from 'tasuki/testing'
import { maintenanceJobs } from '../core/host/maintenance.ts'
import { makeCaller } from '../core/testing/caller.ts'
import { modernHeaders, modernMeta } from './core/mcp/stub.ts'
import { forEachEngine } from './engines.ts'
import { answerOf, type Answer } from './official-clients.ts'
import { portalHost, withoutPageId, type Browser } from './plugins/portal/portal-host.ts'
import { verifies } from './verifies.ts'

const SECRET = randomBytes(32)
const INFO = { name: 'pages only', version: '1.0.0' }
const PAGES = { elicitation: { url: {} } }
const TOOL = 'discussions_delete'

/** The action of a client that gets an address to open. */
type Open = (question: Question) => 'accept' | 'decline'
interface Question {
  readonly mode?: string | undefined
  readonly url: string
  readonly message: string
  readonly elicitationId?: string
}
interface Connection {
  call(args: object, signal?: AbortSignal): Promise<Answer>
  /** Ids of the pages whose decision the client was notified of. */
  readonly decided: readonly string[]
  close(): Promise<void>
}

const transportOptions = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

async function connectModern(
  url: string,
  token: string,
  open: Open,
  mode: 'legacy' | { pin: string },
): Promise<Connection> {
  const client = new ModernClient(INFO, { versionNegotiation: { mode }, capabilities: PAGES })
  const decided: string[] = []
  client.setRequestHandler('elicitation/create', ({ params }) => ({ action: open(params as Question) }))
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
    decided.push(params.elicitationId)
  })
  await client.connect(new ModernTransport(new URL(url), transportOptions(token)))
  return {
    call: async (args, signal) =>
      answerOf(await client.callTool({ name: TOOL, arguments: { ...args } }, signal ? { signal } : {})),
    decided,
    close: () => client.close(),
  }
}

async function connectClassic(url: string, token: string, open: Open): Promise<Connection> {
  const client = new Client(INFO, { capabilities: PAGES })
  const decided: string[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: open(params as Question) }))
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
    decided.push(params.elicitationId)
  })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), transportOptions(token)))
  return {
    call: async (args, signal) =>
      answerOf(await client.callTool({ name: TOOL, arguments: { ...args } }, undefined, signal ? { signal } : {})),
    decided,
    close: () => client.close(),
  }
}

const CLIENTS: Readonly<Record<string, (url: string, token: string, open: Open) => Promise<Connection>>> = {
  'client 2.x, 2026-07-28': (url, token, open) => connectModern(url, token, open, { pin: '2026-07-28' }),
  'client 2.x, 2025-11-25': (url, token, open) => connectModern(url, token, open, 'legacy'),
  'SDK 1.x': connectClassic,
}

const errorIn = ({ text, isError }: Answer): { code: string; message: string; details?: Record<string, unknown> } => {
  assert.equal(isError, true, text)
  return (JSON.parse(text) as { error: { code: string; message: string } }).error
}
const pathOf = (url: string): string => new URL(url).pathname

forEachEngine('confirmations by page', engine => {
  const portal = portalHost(engine, { secret: SECRET })
  let caller: TestCaller
  let browser: Browser
  let url: string
  let ref: string
  before(async () => {
    const user = await portal.newUser()
    caller = user
    browser = await portal.signedIn(user.email)
    ref = (await caller.call('items_create', { project_key: 'INBOX', title: 'Talked about' })).item.ref
    url = await portal.host.listen()
  })

  /** Creates a record and returns the arguments of a call that deletes it after a question, and a check whether it still exists. */
  const comment = async (): Promise<{ args: { discussion_id: string }; isThere(): Promise<boolean> }> => {
    const { discussion } = await caller.call('discussions_create', { item_ref: ref, body: 'Said in passing' })
    return {
      args: { discussion_id: discussion.id },
      async isThere() {
        const { discussions } = await caller.call('discussions_list', { item_ref: ref })
        return discussions.some((each: { id: string }) => each.id === discussion.id)
      },
    }
  }
  const decide = async (path: string, decision: 'confirm' | 'decline', who = browser): Promise<string> => {
    await who.get(path)
    const sent = await who.send(path, { decision })
    assert.deepEqual([sent.status, sent.location], [303, path])
    return (await who.get(path)).text
  }
  /** Sends one request of revision 2026-07-28. */
  const ask = async (
    args: object,
    more: object = {},
    { who = caller, capabilities = PAGES }: { who?: Pick<TestCaller, 'rpc'>; capabilities?: object } = {},
  ) => {
    const { body } = await who.rpc(
      'tools/call',
      { name: TOOL, arguments: args, _meta: modernMeta({ ...capabilities }), ...more },
      { headers: modernTokenless },
    )
    return body as {
      readonly result?: {
        readonly resultType: string
        readonly requestState: string
        readonly inputRequests?: { readonly confirm: { readonly method: string; readonly params: Question } }
        readonly content: readonly { readonly type: string; readonly text: string }[]
      }
      readonly error?: { readonly code: number }
    }
  }
  const { authorization: _, ...modernTokenless } = modernHeaders('tools/call', TOOL)
  const accepted = { inputResponses: { confirm: { action: 'accept' } } }
  const asked = async (args: object) => {
    const { result } = await ask(args)
    assert.equal(result?.resultType, 'input_required')
    return { requestState: result.requestState, path: pathOf(result.inputRequests!.confirm.params.url), result }
  }
  const codeOf = ({ result }: Awaited<ReturnType<typeof ask>>): string =>
    errorIn(answerOf({ ...result, isError: true })).code

  for (const [name, connect] of Object.entries(CLIENTS)) {
    const isModern = name.endsWith('2026-07-28')

    verifies('confirm.page', `${name}: the call runs once its user has agreed on the page`, async () => {
      const questions: Question[] = []
      const client = await connect(url, caller.token, question => {
        questions.push(question)
        void decide(pathOf(question.url), 'confirm')
        return 'accept'
      })
      const { args, isThere } = await comment()
      const answer = await client.call(args)
      assert.deepEqual([answer.isError, await isThere()], [false, false], answer.text)
      const [{ mode, url: address, message, elicitationId } = assert.fail(), ...others] = questions
      assert.deepEqual([mode, others.length], ['url', 0])
      assert.match(message, /^Please confirm on the page: Delete .*INBOX#/)
      assert.equal(new URL(address).origin, new URL(url).origin)
      const id = pathOf(address).split('/')[2]!
      assert.match(id, /^[\w-]{32}$/)
      assert.equal(elicitationId, isModern ? undefined : id)
      assert.deepEqual(client.decided, isModern ? [] : [id])
      const page = await browser.get(pathOf(address))
      assert.match(page.text, /<h1>Confirmed<\/h1>[^]*The app continues\. You can close this page\./)
      await client.close()
    })

    verifies(['confirm.page', 'confirm.declined'], `${name}: nothing happens after a no, there or here`, async () => {
      let path = ''
      let action: 'accept' | 'decline' = 'accept'
      const client = await connect(url, caller.token, question => {
        path = pathOf(question.url)
        if (action === 'accept') void decide(path, 'decline')
        return action
      })
      const { args, isThere } = await comment()
      for (const title of ['Declined', 'This request has ended']) {
        const { code, details } = errorIn(await client.call(args))
        assert.deepEqual([code, details!['declined']], ['confirmation_required', true])
        assert.match((await browser.get(path)).text, new RegExp(`<h1>${title}</h1>[^]*Nothing was changed\\.`))
        action = 'decline'
      }
      assert.equal(await isThere(), true)
      await client.close()
    })

    verifies('confirm.page', `${name}: a call does not run if its credential is revoked during the wait`, async () => {
      const { id, value } = await portal.host.write(ctx =>
        ctx.users.issueToken({ userId: caller.userId, name: 'ends', scope: 'write' }),
      )
      const revokeAndConfirm = async (path: string): Promise<void> => {
        await portal.host.write(ctx => ctx.users.revokeToken(id, caller.userId))
        await decide(path, 'confirm')
      }
      const client = await connect(url, value, question => {
        // The delay lets the call start to wait first.
        setTimeout(() => void revokeAndConfirm(pathOf(question.url)), 300)
        return 'accept'
      })
      const { args, isThere } = await comment()
      const { code, message } = errorIn(await client.call(args))
      assert.deepEqual([code, await isThere()], ['forbidden', true])
      assert.match(message, /^The credential of this call ended/)
      await client.close().catch(() => undefined)
    })

    verifies('confirm.page_once', `${name}: the call ends when nobody decides within 10 minutes`, async () => {
      const start = portal.now
      let path = ''
      const client = await connect(url, caller.token, question => {
        path = pathOf(question.url)
        // The delay lets the client start to wait first.
        setTimeout(() => (portal.now = new Date(start.getTime() + 11 * 60_000)), 300)
        return 'accept'
      })
      const { args, isThere } = await comment()
      try {
        const { code, message } = errorIn(await client.call(args))
        assert.equal(code, 'confirmation_invalid')
        assert.match(message, /^Nobody confirmed this call in time/)
        const late = await browser.get(path)
        assert.match(late.text, /<h1>This request has ended<\/h1>/)
        assert.equal(browser.proof(path), undefined)
        assert.equal(await isThere(), true)
      } finally {
        portal.now = start
        await client.close()
      }
    })

    verifies('confirm.page', `${name}: a cancelled call stops waiting`, async () => {
      const stop = new AbortController()
      let path = ''
      const client = await connect(url, caller.token, question => {
        path = pathOf(question.url)
        setTimeout(() => stop.abort(new Error('enough')), 300)
        return 'accept'
      })
      const { args, isThere } = await comment()
      await assert.rejects(client.call(args, stop.signal), /enough/)
      // A stateless call ends only for its client; the client may still return to it.
      if (!isModern) {
        const ended = async (): Promise<boolean> => (await browser.get(path)).text.includes('This request has ended')
        for (let n = 0; !(await ended()); n++) {
          assert.ok(n < 100, 'the page still asks')
          await new Promise(resolve => setTimeout(resolve, 20))
        }
      }
      assert.equal(await isThere(), true)
      await client.close()
    })
  }

  verifies('confirm.page_owner', 'only the user of the credential can open the page', async () => {
    const { args } = await comment()
    const { path, requestState } = await asked(args)
    const mine = await browser.get(path)
    assert.equal(mine.status, 200)
    for (const shown of ['Confirm this action?', 'probe', 'Delete ', TOOL]) assert.ok(mine.text.includes(shown), shown)
    const stranger = await portal.signedIn()
    const none = `/confirm/${'x'.repeat(32)}`
    const answers = await Promise.all([path, none, '/confirm/%00'].map(each => stranger.get(each)))
    const [theirs, missing] = answers
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404, 404],
    )
    assert.equal(withoutPageId(theirs!.text).replaceAll(path, ''), withoutPageId(missing!.text).replaceAll(none, ''))
    const proof = browser.proof(path)!
    assert.equal((await stranger.post(path, { decision: 'confirm', proof })).status, 403)
    assert.equal((await browser.post(path, { decision: 'confirm' })).status, 403)
    const out = await portal.browser().get(path)
    assert.deepEqual([out.status, out.location], [303, `/sign-in?return_to=${encodeURIComponent(path)}`])
    assert.equal((await ask(args, { requestState })).result!.resultType, 'input_required')
  })

  verifies('confirm.page_once', 'a confirmation is valid for one call with its arguments and credential', async () => {
    const [one, other] = [await comment(), await comment()]
    const { path, requestState } = await asked(one.args)
    const again = await ask(one.args, { requestState })
    assert.equal(pathOf(again.result!.inputRequests!.confirm.params.url), path, 'asked again on the same page')
    await decide(path, 'confirm')
    assert.match(await browser.get(path).then(({ text }) => text), /<h1>Confirmed<\/h1>/)
    const sent = { requestState, ...accepted }
    assert.equal((await ask(other.args, sent)).error!.code, -32602)
    const { value } = await portal.host.write(ctx =>
      ctx.users.issueToken({ userId: caller.userId, name: 'other', scope: 'write' }),
    )
    const elsewhere = makeCaller(portal.host.app, caller.userId, value)
    assert.equal((await ask(one.args, sent, { who: elsewhere })).error!.code, -32602)
    assert.deepEqual([await one.isThere(), await other.isThere()], [true, true])
    const stale = { ...sent, _meta: { ...modernMeta(PAGES), ifUpdatedAt: '2020-01-01T00:00:00Z' } }
    assert.equal(codeOf(await ask(one.args, stale)), 'stale_write', 'a write that fails leaves the agreement good')
    assert.equal((await ask(one.args, sent)).result!.resultType, 'complete')
    assert.deepEqual([await one.isThere(), await other.isThere()], [false, true])
    assert.equal(codeOf(await ask(one.args, sent)), 'confirmation_invalid')
  })

  verifies('confirm.page_once', 'a decision is final, and an old confirmation has no effect', async () => {
    const start = portal.now
    const { args, isThere } = await comment()
    const declined = await asked(args)
    await decide(declined.path, 'decline')
    const agreed = await asked(args)
    await browser.get(agreed.path)
    const proof = browser.proof(agreed.path)!
    await decide(agreed.path, 'confirm')
    // The page in another tab still shows its form.
    await browser.post(agreed.path, { decision: 'decline', proof })
    assert.match((await browser.get(agreed.path)).text, /<h1>Confirmed<\/h1>/)
    portal.now = new Date(start.getTime() + 9 * 60_000)
    try {
      const { requestState } = declined
      assert.equal(codeOf(await ask(args, { requestState, ...accepted })), 'confirmation_required')
      portal.now = new Date(start.getTime() + 11 * 60_000)
      const late = await ask(args, { requestState: agreed.requestState, ...accepted })
      assert.equal(late.error!.code, -32602)
      assert.equal(await isThere(), true)
    } finally {
      portal.now = start
    }
  })

  test('one request waits for a page; a second request for the same page returns at once', async () => {
    const { args } = await comment()
    const { path, requestState } = await asked(args)
    const waiting = ask(args, { requestState, ...accepted })
    await new Promise(resolve => setTimeout(resolve, 200))
    const { result } = await ask(args, { requestState, ...accepted })
    assert.deepEqual([result!.resultType, result!.inputRequests], ['input_required', undefined])
    await decide(path, 'confirm')
    assert.equal((await waiting).result!.resultType, 'complete')
    assert.equal(codeOf(await ask(args, { requestState: result!.requestState })), 'confirmation_invalid')
  })

  test('a closing host answers a waiting call', async t => {
    const host = await testHost(t, { engine, config: { plugins: { portal: {} } } })
    const { ref: own } = (await host.call('items_create', { project_key: 'INBOX', title: 'Mine' })).item
    const { discussion } = await host.call('discussions_create', { item_ref: own, body: 'x' })
    const args = { discussion_id: discussion.id }
    const { requestState } = (await ask(args, {}, { who: host })).result!
    const waiting = ask(args, { requestState, ...accepted }, { who: host })
    await new Promise(resolve => setTimeout(resolve, 200))
    const [{ result }] = await Promise.all([waiting, host.close()])
    assert.deepEqual([result!.resultType, result!.inputRequests], ['input_required', undefined])
  })

  test('a credential has 20 calls waiting at most', async () => {
    const { args } = await comment()
    const who = await portal.newUser()
    const { ref: own } = (await who.call('items_create', { project_key: 'INBOX', title: 'Mine' })).item
    const { discussion } = await who.call('discussions_create', { item_ref: own, body: 'x' })
    const mine = { discussion_id: discussion.id }
    for (let n = 0; n < 20; n++) assert.equal((await ask(mine, {}, { who })).result!.resultType, 'input_required')
    assert.equal(codeOf(await ask(mine, {}, { who })), 'rate_limited')
    await asked(args)
  })

  test('arguments are not kept', async () => {
    const { args } = await comment()
    await asked(args)
    const rows = await portal.host.sql<{
      all: string
    }>`select row_to_json(c)::text as all from core.page_confirmations c`
    assert.ok(rows.length > 0 && rows.every(row => !row.all.includes(args.discussion_id)))
  })

  test('an ended confirmation is kept for an hour, for its page', async () => {
    const start = portal.now
    const { args } = await comment()
    const { path } = await asked(args)
    const sweep = maintenanceJobs(portal.host.database, { audit: { keep_days: 365 } }, null).find(
      ({ name }) => name === 'core.sweep',
    )!
    const statusAfter = async (minutes: number): Promise<number> => {
      portal.now = new Date(start.getTime() + minutes * 60_000)
      await portal.host.write(ctx => sweep.run(ctx, {}))
      return (await browser.get(path)).status
    }
    try {
      assert.deepEqual([await statusAfter(69), await statusAfter(71)], [200, 404])
    } finally {
      portal.now = start
    }
  })

  test('a page costs as much as a token, and one statement to read the decision', async t => {
    const { args } = await comment()
    const count = async (call: () => Promise<unknown>): Promise<number> => (await portal.host.statements(call)).length
    const byToken = await count(() => ask(args, {}, { capabilities: {} }))
    let question: Awaited<ReturnType<typeof asked>>
    const byPage = await count(async () => (question = await asked(args)))
    const { path, requestState } = question!
    await decide(path, 'confirm')
    const other = await comment()
    const tokenFor = errorIn(answerOf({ ...(await ask(other.args, {}, { capabilities: {} })).result }))
    const confirm_token = tokenFor.details!['confirm_token']
    const withToken = await count(() => ask({ ...other.args, confirm_token }, {}, { capabilities: {} }))
    const withPage = await count(() => ask(args, { requestState, ...accepted }))
    t.diagnostic(`question: ${byToken} by token, ${byPage} by page; call: ${withToken} and ${withPage}`)
    assert.deepEqual([byPage - byToken, withPage - withToken <= 2], [0, true])
  })

  test('a client that shows forms gets a form', async () => {
    const { args } = await comment()
    const { result } = await ask(args, {}, { capabilities: { elicitation: { form: {}, url: {} } } })
    assert.ok('requestedSchema' in result!.inputRequests!.confirm.params)
  })

  test('a revision without pages, and a deployment without the portal, confirm by token', async t => {
    const { args } = await comment()
    const params = { protocolVersion: '2025-06-18', capabilities: PAGES, clientInfo: INFO }
    const post = (body: object, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${caller.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      })
    const session = (await post({ method: 'initialize', params })).headers.get('mcp-session-id')!
    const call = { method: 'tools/call', params: { name: TOOL, arguments: args } }
    const answer = (await (await post(call, { 'mcp-session-id': session })).json()) as { result: object }
    assert.ok('confirm_token' in errorIn(answerOf({ ...answer.result })).details!)

    const bare = await testHost(t, { engine, config: { plugins: { portal: false } } })
    const { ref: own } = (await bare.call('items_create', { project_key: 'INBOX', title: 'Mine' })).item
    const { discussion } = await bare.call('discussions_create', { item_ref: own, body: 'x' })
    const { result } = await ask({ discussion_id: discussion.id }, {}, { who: bare })
    assert.ok('confirm_token' in errorIn(answerOf({ ...result })).details!)
  })

  verifies('confirm.page_once', 'of two concurrent requests with one confirmation, one runs', async t => {
    const { args, isThere } = await comment()
    const second =
      engine === 'postgres'
        ? await testHost(t, {
            engine,
            database: portal.host.databaseOptions,
            secret: SECRET,
            now: () => portal.now,
            config: { plugins: { portal: {} } },
          })
        : portal.host
    const elsewhere: Pick<TestCaller, 'rpc'> = {
      rpc: (method, params, { headers = {} } = {}) =>
        second.rpc(method, params, { headers: { ...headers, authorization: `Bearer ${caller.token}` } }),
    }
    const { path, requestState } = await asked(args)
    const waiting = ask(args, { requestState, ...accepted }, { who: elsewhere })
    await new Promise(resolve => setTimeout(resolve, 300))
    const began = performance.now()
    await decide(path, 'confirm')
    assert.equal((await waiting).result!.resultType, 'complete')
    t.diagnostic(`heard of after ${Math.round(performance.now() - began)} ms`)
    assert.equal(await isThere(), false)

    const next = await comment()
    const { path: page, requestState: state } = await asked(next.args)
    await decide(page, 'confirm')
    const both = await Promise.all(
      [caller, elsewhere].map(who => ask(next.args, { requestState: state, ...accepted }, { who })),
    )
    const codes = both.map(answer => {
      const answerBody = JSON.parse(answer.result!.content[0]!.text) as { error?: { code: string } }
      return answerBody.error?.code ?? 'done'
    })
    assert.deepEqual(new Set(codes), new Set(['confirmation_invalid', 'done']))
  })
})
