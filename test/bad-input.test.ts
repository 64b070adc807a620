import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { TestCaller } from 'tasuki/testing'
import { forEachEngine } from './engines.ts'
import { deep, MEGABYTE, message, startTarget, toolCall, type Sent, type Target } from './hostile.ts'
import { verifies } from './verifies.ts'

forEachEngine('bad input', engine => {
  let target: Target
  let reader: TestCaller
  before(async () => {
    target = await startTarget(engine)
    reader = await target.host.reader()
  })
  after(() => target.close())
  const refused: Target['refused'] = sent => target.refused(sent)
  const refusedCall: Target['refusedCall'] = (...call) => target.refusedCall(...call)

  const messages: readonly (readonly [string, string | undefined, number, number])[] = [
    ['malformed JSON', '{"jsonrpc":"2.0","id":1,', 400, -32700],
    ['no body', undefined, 400, -32700],
    ['a body that is only blanks', '  ', 400, -32700],
    ['bytes that are not UTF-8 text', Buffer.from([0xff, 0xfe, 0x7b]).toString('latin1'), 400, -32700],
    ['a number instead of a message', '1', 400, -32600],
    ['null instead of a message', 'null', 400, -32600],
    ['an empty object', '{}', 400, -32600],
    ['another JSON-RPC version', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}', 400, -32600],
    ['an id that is an object', message('tools/list', {}, {}), 400, -32600],
    [
      'an id that no number holds exactly',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}',
      400,
      -32600,
    ],
    ['a method that is no text', message(5), 400, -32600],
    ['params that are no object', message('tools/list', 'x'), 400, -32600],
    ['a batch under a revision without batches', `[${message('tools/list')}]`, 400, -32600],
    ['an unknown method', message('tools/destroy', {}), 200, -32601],
    ['a method name of a megabyte', message(MEGABYTE, {}), 200, -32601],
    ['an unknown tool', toolCall('items_destroy', {}), 200, -32602],
    ['a tool name of a megabyte', toolCall(MEGABYTE, {}), 200, -32602],
    ['a tool name that is no text', toolCall({ a: 1 }, {}), 200, -32602],
    ['a tool name of the prototype', toolCall('constructor', {}), 200, -32602],
    ['arguments that are a list', toolCall('items_create', [1]), 200, -32602],
    ['arguments that are text', toolCall('items_create', 'x'), 200, -32602],
  ]
  for (const [what, body, status, code] of messages) {
    verifies(
      ['errors.rpc_malformed', 'errors.rpc_invalid', 'errors.rpc_method', 'errors.rpc_tool', 'errors.writes_nothing'],
      `${what}: HTTP ${status}, error ${code}`,
      async () => {
        const answer = await refused({ ...(body !== undefined && { body }) })
        assert.deepEqual([answer.status, answer.body.error.code], [status, code])
      },
    )
  }

  const calls: readonly (readonly [string, string, object, string, string])[] = [
    ['a missing argument', 'items_create', { project_key: 'APP' }, 'missing_argument', 'title'],
    ['an unknown argument', 'items_create', { project_key: 'APP', title: 'x', owner: 1 }, 'unknown_argument', 'owner'],
    ['a number for a text', 'items_create', { project_key: 'APP', title: 5 }, 'invalid_argument', 'title'],
    ['a text for a number', 'tasks_list', { limit: '5' }, 'invalid_argument', 'limit'],
    ['a page that is too large', 'tasks_list', { limit: 1e9 }, 'invalid_argument', 'limit'],
    ['an offset beyond every number', 'tasks_list', { offset: -1 }, 'invalid_argument', 'offset'],
    [
      'a day that does not exist',
      'items_patch',
      { item_ref: '#1', due_date: '2026-02-30' },
      'invalid_argument',
      'due_date',
    ],
    ['a title of a megabyte', 'items_create', { project_key: 'APP', title: MEGABYTE }, 'invalid_argument', 'title'],
    [
      'a body of a megabyte',
      'items_create',
      { project_key: 'APP', title: 'x', detail: MEGABYTE },
      'invalid_argument',
      'detail',
    ],
    ['a reference of a megabyte', 'items_get', { item_ref: MEGABYTE }, 'invalid_argument', 'item_ref'],
    ['a pattern of a megabyte', 'items_grep', { pattern: MEGABYTE }, 'invalid_argument', 'pattern'],
    ['a query of a megabyte', 'tasks_list', { q: MEGABYTE }, 'invalid_argument', 'q'],
    ['a query that is no query', 'tasks_list', { q: 'kind:(((' }, 'invalid_query', 'q'],
    ['a pattern that is no expression', 'items_grep', { pattern: '(', regex: true }, 'invalid_argument', 'pattern'],
    ['the character U+0000', 'items_create', { project_key: 'APP', title: 'a\0b' }, 'invalid_argument', 'title'],
    ['half a character', 'items_create', { project_key: 'APP', title: 'a\ud800b' }, 'invalid_argument', 'title'],
    ['an unknown item', 'items_complete', { item_ref: 'APP#999999' }, 'not_found', 'item_ref'],
    ['a number beyond all items', 'items_get', { item_ref: 'APP#999999999999' }, 'invalid_argument', 'item_ref'],
    ['an unknown project', 'items_create', { project_key: 'NOPE', title: 'x' }, 'not_found', 'project_key'],
    ['a cycle', 'items_patch', { item_ref: 'APP#1', parent: 'APP#2' }, 'cycle', 'parent'],
    ['SQL in a reference', 'items_get', { item_ref: "#1' or '1'='1" }, 'invalid_argument', 'item_ref'],
  ]
  for (const [what, tool, args, code, field] of calls) {
    verifies(
      ['errors.schema_failure', 'errors.missing_argument', 'errors.unknown_argument', 'errors.writes_nothing'],
      `${what}: ${code} of ${field}`,
      async () => {
        const error = await refusedCall(tool, args)
        assert.deepEqual([error['code'], error['field']], [code, field])
        assert.notEqual(error['message'], '')
      },
    )
  }

  verifies('errors.writes_nothing', 'names of a megabyte are not repeated in the error', async () => {
    assert.equal((await refusedCall('tasks_list', { [MEGABYTE]: 1 }))['code'], 'unknown_argument')
    assert.equal(
      (await refusedCall('tasks_list', {}, { _meta: { ifUpdatedAt: MEGABYTE } }))['code'],
      'invalid_argument',
    )
  })

  verifies('errors.writes_nothing', 'deeply nested input is refused everywhere', async () => {
    for (const levels of [100, 10_000, 500_000]) {
      const inArguments = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"items_create","arguments":${deep(levels)}}}`
      const { status, body } = await refused({ body: inArguments })
      assert.ok(status === 200 ? body.result.isError === true : status === 400, `${levels} levels: ${status}`)
      const lists = '['.repeat(levels) + ']'.repeat(levels)
      const inTitle = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"items_create","arguments":{"project_key":"APP","title":${lists}}}}`
      await refused({ body: inTitle })
      await refused({ body: lists })
      await refused({ body: `{"jsonrpc":"2.0","id":1,"method":"tools/destroy","params":{"_meta":${deep(levels)}}}` })
    }
  })

  verifies('errors.writes_nothing', 'prototype keys are ordinary arguments', async () => {
    for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
      assert.equal((await refusedCall('tasks_list', { [key]: 1 }))['code'], 'unknown_argument')
    }
    const { status } = await refused({ body: toolCall('tasks_list', {}).replace('{}', '{"__proto__":{"limit":1}}') })
    assert.ok(status === 200 || status === 400)
  })

  verifies(
    ['endpoint.content_type', 'endpoint.accept', 'endpoint.methods', 'endpoint.body_limit'],
    'invalid HTTP requests are refused',
    async () => {
      const list = message('tools/list')
      const status = async (sent: Sent): Promise<number> => (await refused(sent)).status
      assert.equal(await status({ body: list, headers: { 'content-type': 'text/plain' } }), 415)
      assert.equal(await status({ body: list, headers: { 'content-type': undefined } }), 415)
      for (const accept of ['text/html', 'application/json;q=0', '*/*; q=0.00, text/event-stream ;Q=0'])
        assert.equal(await status({ body: list, headers: { accept } }), 406, accept)
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await refused({ method })
        assert.deepEqual([answer.status, answer.headers['allow']?.includes('POST')], [405, true])
      }
      assert.equal(await status({ body: toolCall('tasks_list', { q: 'x'.repeat(11_000_000) }) }), 413)
      assert.equal(await status({ path: '/nothing/here', method: 'GET' }), 404)
    },
  )

  verifies(
    'revisions.unknown_header',
    'an unknown revision in the header is refused with the served ones',
    async () => {
      for (const version of ['1999-01-01', 'latest', MEGABYTE.slice(0, 5000)]) {
        const answer = await refused({ body: message('tools/list'), headers: { 'mcp-protocol-version': version } })
        assert.equal(answer.status, 400)
        assert.match(answer.text, /2025-11-25/)
      }
    },
  )

  verifies('profiles.unknown', 'an unknown profile is refused with the known ones', async () => {
    for (const path of [
      '/mcp?profile=admin',
      '/mcp?profile=%ff',
      '/mcp?profile=a&profile=b',
      '/mcp?profile=__proto__',
    ]) {
      const answer = await refused({ path, body: message('tools/list') })
      assert.equal(answer.status, 400)
      assert.match(answer.text, /full-access/)
    }
    const long = await refused({ path: `/mcp?tools=${'a,'.repeat(2000)}`, body: toolCall('items_get', {}) })
    assert.equal(long.status, 400)
    assert.ok(long.text.length < 500)
  })

  verifies('auth.host_origin', 'a foreign Host or Origin is refused, even with a valid token', async () => {
    const body = toolCall('items_create', { project_key: 'APP', title: 'from elsewhere' })
    for (const headers of [
      { host: 'evil.example' },
      { host: 'localhost.evil.example:3000' },
      { origin: 'https://evil.example' },
      { origin: 'http://localhost.evil.example' },
      { origin: 'null' },
    ]) {
      assert.equal((await refused({ body, headers })).status, 403, JSON.stringify(headers))
    }
  })

  verifies(
    ['auth.missing', 'auth.invalid', 'auth.not_in_query'],
    'without a valid token the only answer is 401',
    async () => {
      const body = toolCall('items_create', { project_key: 'APP', title: 'from nobody' })
      const known = target.host.token
      for (const [authorization, path] of [
        [undefined, '/mcp'],
        [undefined, `/mcp?access_token=${known}`],
        ['', '/mcp'],
        [known, '/mcp'],
        [`Basic ${Buffer.from(`user:${known}`).toString('base64')}`, '/mcp'],
        [`Bearer ${known}x`, '/mcp'],
        [`Bearer ${known.slice(0, -1)}`, '/mcp'],
        [`Bearer ${known}, Bearer ${known}`, '/mcp'],
        ["Bearer ' or '1'='1", '/mcp'],
        [`Bearer ${MEGABYTE.slice(0, 10_000)}`, '/mcp'],
      ] as const) {
        const answer = await refused({ path, body, headers: { authorization } })
        assert.equal(answer.status, 401, String(authorization).slice(0, 80))
        assert.match(String(answer.headers['www-authenticate']), /^Bearer .*resource_metadata="http/)
      }
    },
  )

  verifies('auth.invalid', 'a revoked token fails on the next call, an expired one from its expiry', async () => {
    const body = toolCall('items_create', { project_key: 'APP', title: 'too late' })
    const leaver = await target.host.credential({})
    assert.equal((await leaver.call('projects_list')).projects.length, 2)
    await target.host.command('token revoke', { id: leaver.tokenId })
    assert.equal((await refused({ body, headers: { authorization: `Bearer ${leaver.token}` } })).status, 401)

    const guest = await target.host.credential({ expiresAt: new Date(Date.now() + 1000) })
    assert.equal((await guest.call('projects_list')).projects.length, 2)
    await new Promise(done => setTimeout(done, 1050))
    assert.equal((await refused({ body, headers: { authorization: `Bearer ${guest.token}` } })).status, 401)
  })

  verifies(
    ['auth.insufficient_scope', 'auth.insufficient_scope_http', 'auth.unlisted'],
    'a read token on a writing tool gives insufficient_scope in the form of the revision',
    async () => {
      const tools = [...target.host.registry.tools.values()].filter(tool => tool.class !== 'R')
      const listed = new Set((await reader.listTools()).map(tool => tool.name))
      for (const { name } of tools) {
        assert.ok(!listed.has(name), name)
        const authorization = `Bearer ${reader.token}`
        const refusal = await refused({ body: toolCall(name, {}), headers: { authorization } })
        assert.equal(refusal.status, 403)
        assert.match(String(refusal.headers['www-authenticate']), /error="insufficient_scope".*scope="write"/)
        const old = { authorization, 'mcp-protocol-version': '2025-06-18' }
        const { body } = await refused({ body: toolCall(name, {}), headers: old })
        assert.equal(JSON.parse(body.result.content[0].text).error.code, 'insufficient_scope')
      }
    },
  )
})
