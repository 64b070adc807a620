import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ERROR_CODES } from 'tasuki/plugin'
import { codePoint } from '../../code-point.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { conversationsHost } from './conversations-host.ts'

forEachEngine('the routes of conversations', engine => {
  const suite = conversationsHost(engine)
  const { newUser, http, talk, threads } = suite

  verifies('conversations.post', 'a chat front end opens a thread and posts messages, one or many', async () => {
    const user = await newUser()
    const { status, body } = await http(user, 'POST', '', { title: '旅行の計画', client: 'chat-ui' })
    assert.equal(status, 201)
    const { id, started_at, last_at, ...thread } = body.thread
    assert.deepEqual(thread, { title: '旅行の計画', client: 'chat-ui', open: true, messages: 0 })
    assert.equal(started_at, last_at)
    const one = await http(user, 'POST', `/${id}/messages`, { role: 'user', content: 'Where to?\n' })
    assert.equal(one.status, 201)
    assert.deepEqual([one.body.messages[0].role, one.body.messages[0].content], ['user', 'Where to?\n'])
    const many = {
      messages: [
        { role: 'assistant', content: '京都' },
        { role: 'user', content: '👍' },
      ],
    }
    assert.equal((await http(user, 'POST', `/${id}/messages`, many)).body.messages.length, 2)
    const first = (await http(user, 'GET', `/${id}/messages?limit=2`)).body
    assert.deepEqual(
      [first.messages.map(({ content }: { content: string }) => content), first.has_more],
      [['Where to?\n', '京都'], true],
    )
    const rest = (await http(user, 'GET', `/${id}/messages?after=${first.next_after}`)).body
    assert.deepEqual([rest.messages.length, rest.messages[0].content, rest.has_more], [1, '👍', false])
    assert.equal((await http(user, 'GET', `/${id}/messages?after=${rest.next_after}`)).body.next_after, rest.next_after)
    assert.equal((await http(user, 'GET', `/${id}`)).body.thread.messages, 3)
  })

  verifies('conversations.post', 'tool calls of the named client join the thread', async () => {
    const user = await newUser()
    await suite.as(user, 'chat-ui', 'tasks_list')
    await suite.host.calls.flush()
    const { body } = await http(user, 'POST', '', { client: 'chat-ui' })
    const post = (content: string) => http(user, 'POST', `/${body.thread.id}/messages`, { role: 'user', content })
    await post('What is open?')
    await suite.as(user, 'chat-ui', 'projects_list')
    await suite.host.calls.flush()
    await suite.pass(45)
    await suite.run('close')
    assert.equal((await http(user, 'GET', `/${body.thread.id}`)).body.thread.open, false)
    await post('And now?')
    await suite.as(user, 'chat-ui', 'tasks_list')
    const [thread, earlier] = await threads(user)
    assert.deepEqual(
      [thread!.id, thread!.open, thread!.messages],
      [body.thread.id, true, ['What is open?', 'projects_list', 'And now?', 'tasks_list']],
    )
    assert.deepEqual(earlier!.messages, ['tasks_list'])
  })

  test('threads are listed by page, latest first, and can be deleted', async () => {
    const user = await newUser()
    const ids: string[] = []
    for (const title of ['a', 'b', 'c']) ids.push(await talk(user, title, title))
    const page = (await http(user, 'GET', '?limit=2')).body
    assert.deepEqual(
      page.threads.map(({ title }: { title: string }) => title),
      ['c', 'b'],
    )
    assert.deepEqual([page.has_more, page.next_offset], [true, 2])
    const last = (await http(user, 'GET', '?limit=2&offset=2')).body
    assert.deepEqual([last.threads.length, last.has_more, last.next_offset], [1, false, null])
    const deleted = await http(user, 'DELETE', `/${ids[2]}`)
    assert.deepEqual([deleted.status, deleted.body], [200, { deleted: true, id: ids[2], messages: 1 }])
    assert.equal((await http(user, 'GET', `/${ids[2]}/messages`)).status, 404)
  })

  test('a request without a body may name a content type, as many programs do', async () => {
    const user = await newUser()
    const json = { 'content-type': 'application/json' }
    const opened = await http(user, 'POST', '', undefined, json)
    assert.equal(opened.status, 201)
    const at = `/${opened.body.thread.id}`
    assert.equal((await http(user, 'DELETE', at, undefined, { ...json, 'content-length': '0' })).status, 200)
    const again = await http(user, 'DELETE', at, undefined, json)
    assert.deepEqual([again.status, again.body.error.code], [404, 'not_found'])
  })

  test('a thread deleted during a write leaves no message behind', async () => {
    const user = await newUser()
    for (let round = 0; round < 20; round++) {
      const id = await talk(user, 'Going')
      const posts = Array.from({ length: 3 }, (_, n) =>
        http(user, 'POST', `/${id}/messages`, { role: 'user', content: `${n}` }),
      )
      const answers = await Promise.all([...posts, http(user, 'DELETE', `/${id}`)])
      for (const { status, body } of answers) assert.ok([200, 201, 404].includes(status), JSON.stringify(body))
    }
    const left = await suite.host.sql`select thread_id from conversations.messages where owner_id = ${user.userId}`
    assert.deepEqual(left, [])
  })

  verifies('conversations.refusals', 'a request needs a valid token, and a write needs the write scope', async () => {
    const none = await http(null, 'GET', '')
    assert.deepEqual(
      [none.status, none.body.error.code, none.headers['www-authenticate']],
      [401, 'forbidden', 'Bearer scope="read write"'],
    )
    const bad = await http({ token: 'svc_pat_wrong' }, 'POST', '', {})
    assert.equal(bad.status, 401)
    const reader = await suite.host.reader()
    for (const [method, path] of [
      ['POST', ''],
      ['POST', '/0198b000-0000-7000-8000-000000000001/messages'],
      ['DELETE', '/0198b000-0000-7000-8000-000000000001'],
    ] as const) {
      const answer = await http(reader, method, path, method === 'POST' ? {} : undefined)
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'insufficient_scope'])
    }
    assert.equal((await http(reader, 'GET', '')).status, 200)
  })

  verifies('conversations.refusals', 'errors of requests have the form of tool errors', async () => {
    const user = await newUser()
    const id = await talk(user, undefined)
    const cases: readonly (readonly ['GET' | 'POST', string, unknown, number, string, string?])[] = [
      ['POST', '', { titel: 'x' }, 400, 'unknown_argument', 'titel'],
      ['POST', '', { title: '' }, 400, 'invalid_argument', 'title'],
      ['POST', '', { title: 'x'.repeat(201) }, 400, 'invalid_argument', 'title'],
      ['POST', '', '{"title":', 400, 'invalid_argument', 'body'],
      ['POST', '', '[]', 400, 'invalid_argument', 'arguments'],
      ['POST', `/${id}/messages`, { role: 'user' }, 400, 'missing_argument', 'content'],
      ['POST', `/${id}/messages`, { role: 'tool', content: 'x' }, 400, 'invalid_argument', 'role'],
      ['POST', `/${id}/messages`, { role: 'user', content: 'a\0b' }, 400, 'invalid_argument', 'content'],
      ['POST', `/${id}/messages`, { role: 'user', content: '\ud800' }, 400, 'invalid_argument', 'content'],
      ['POST', `/${id}/messages`, { role: 'user', content: 'x'.repeat(32_001) }, 400, 'invalid_argument', 'content'],
      ['POST', `/${id}/messages`, { messages: [] }, 400, 'invalid_argument', 'messages'],
      [
        'POST',
        `/${id}/messages`,
        { messages: Array.from({ length: 51 }, () => ({ role: 'user', content: 'x' })) },
        400,
        'invalid_argument',
        'messages',
      ],
      ['POST', `/${id}/messages`, { messages: [{ role: 'user' }] }, 400, 'missing_argument', 'messages[0].content'],
      ['POST', '/nonsense/messages', { role: 'user', content: 'x' }, 400, 'invalid_argument', 'id'],
      ['GET', '/nonsense', undefined, 400, 'invalid_argument', 'id'],
      ['GET', `/${id}/messages?limit=0`, undefined, 400, 'invalid_argument', 'limit'],
      ['GET', `/${id}/messages?after=1`, undefined, 400, 'invalid_argument', 'after'],
      ['GET', '?limit=abc', undefined, 400, 'invalid_argument', 'limit'],
      ['GET', '?limit=1&limit=2', undefined, 400, 'invalid_argument', 'limit'],
      ['GET', '?page=2', undefined, 400, 'unknown_argument', 'page'],
      ['POST', '', JSON.stringify({ title: 'x'.repeat(4_000_001) }), 413, 'limit_exceeded'],
    ]
    for (const [method, path, body, status, code, field] of cases) {
      const answer = await http(user, method, path, body)
      const what = `${method} ${path} ${JSON.stringify(body)?.slice(0, 60)}`
      assert.deepEqual([answer.status, answer.body.error.code, answer.body.error.field], [status, code, field], what)
    }
    const text = await http(user, 'POST', '', 'hello', { 'content-type': 'text/plain' })
    assert.deepEqual([text.status, text.body.error.code], [415, 'unsupported_media_type'])
    const polluting = await http(user, 'POST', '', '{"__proto__":{}}')
    assert.equal(polluting.status, 400)
    assert.match(polluting.body.error.message, /__proto__/)
  })

  verifies('conversations.refusals', 'no request causes an internal error', async () => {
    const user = await newUser()
    const id = await talk(user, undefined)
    const query = fc.oneof(fc.constant('limit=5'), fc.webQueryParameters())
    const segment = fc.oneof(
      fc.constant(id),
      fc.webSegment({ size: 'small' }).filter(text => !/^\.{0,2}$/.test(text)),
    )
    const path = fc.oneof(
      fc.constantFrom('', `/${id}/messages`),
      segment.map(each => `/${each}/messages`),
    )
    const body = fc.oneof(
      fc.json(),
      fc.string({ unit: codePoint }),
      fc
        .record({ role: fc.constantFrom('user', 'x'), content: fc.string({ unit: codePoint }) })
        .map(each => JSON.stringify(each)),
    )
    const send = (method: 'GET' | 'POST', where: string, payload?: string) =>
      suite.host.app.inject({
        method,
        url: `/api/threads${where}`,
        headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
        ...(payload !== undefined && { payload }),
      })
    await fc.assert(
      fc.asyncProperty(path, query, body, async (where, parameters, payload) => {
        for (const answer of [await send('GET', `${where}?${parameters}`), await send('POST', where, payload)]) {
          const { error } = answer.json() as { error?: { code: (typeof ERROR_CODES)[number] } }
          assert.ok(answer.statusCode < 500, `${where} ${parameters} ${payload}: ${answer.body}`)
          assert.equal(answer.statusCode >= 400, error !== undefined)
          if (error) assert.ok(ERROR_CODES.includes(error.code))
        }
      }),
      { numRuns: 25 },
    )
  })
})

forEachEngine('the limits of conversations', engine => {
  const limits = { requests_per_minute: 6, writes_per_minute: 2, wrong_tokens_per_minute: 3 }
  const suite = conversationsHost(engine, {}, { config: { limits } })
  const { newUser, http, as } = suite

  test('requests count together with those of the endpoint, and a refusal says when to retry', async () => {
    const user = await newUser()
    for (let n = 0; n < 2; n++) assert.equal((await http(user, 'POST', '', {})).status, 201)
    const refused = await http(user, 'POST', '', {})
    assert.equal(refused.status, 429)
    assert.equal(refused.headers['retry-after'], '30')
    assert.equal(refused.headers['ratelimit-policy'], '"writes";q=2;w=60')
    const { code, message } = refused.body.error
    assert.deepEqual(
      [code, message],
      ['rate_limited', 'Too many writes of this credential; send the next one in 30 s.'],
    )
    assert.equal((await http(user, 'GET', '')).status, 200)
    await as(user, 'chat-ui', 'projects_list')
    assert.equal((await http(user, 'GET', '')).status, 200)
    assert.equal((await http(user, 'GET', '')).status, 429)
  })

  test('calls of the last second before a user is deleted leave nothing', async () => {
    const user = await newUser()
    await as(user, 'chat-ui', 'projects_list')
    await suite.host.command('user delete', { email: user.email, yes: true })
    await suite.host.calls.flush()
    const rows = await suite.host.sql`select 1 from conversations.messages where owner_id = ${user.userId}
      union all select 1 from conversations.threads where owner_id = ${user.userId}`
    assert.deepEqual(rows, [])
  })

  test('an address that guesses tokens is refused on both, others continue, and the trail counts the attempts', async () => {
    const { host } = suite
    const user = await newUser()
    assert.equal((await http(user, 'GET', '')).status, 200)
    const wrong = { token: `svc_pat_${'0'.repeat(38)}` }
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) statuses.push((await http(wrong, 'GET', '')).status)
    assert.deepEqual(statuses, [401, 401, 401, 429, 429, 429])
    const headers = { authorization: `Bearer ${wrong.token}`, 'content-type': 'application/json' }
    assert.equal((await host.app.inject({ method: 'POST', url: '/mcp', headers, payload: '{}' })).statusCode, 429)
    assert.equal((await http(user, 'GET', '')).status, 200)
    // The same with an outdated cache.
    await host.write(async ctx => ctx.claimsChanged([user.userId]))
    assert.equal((await http(user, 'GET', '')).status, 200)
    await host.audit.flush('all')
    const entries = await host.sql<{ times: number; status: number }>`
      select times, (details ->> 'status')::int as status from core.audit where action = 'credential.refused' order by at`
    assert.deepEqual(
      entries.map(({ times, status }) => [times, status]),
      [
        [1, 401],
        [1, 401],
        [1, 401],
        [4, 429],
      ],
    )
  })
})
