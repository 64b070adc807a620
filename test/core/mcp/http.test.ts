import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  BASE_URL,
  errorOf,
  legacy,
  modern,
  plain,
  resultOf,
  rpc,
  send,
  startDemo,
  toolResult,
  withoutHeader,
  LEGACY_HEADERS,
} from './stub.ts'
import type { Demo } from './stub.ts'
import { verifies } from '../../verifies.ts'

let demo: Demo
before(async () => {
  demo = await startDemo()
})
after(() => demo.app.close())

describe('hosts, origins and methods', () => {
  for (const [what, headers, status] of [
    ['a foreign Host', { host: 'evil.example' }, 403],
    ['a Host with a port', { host: 'localhost:8080' }, 200],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['the Origin null', { origin: 'null' }, 403],
    ['an allowed Origin', { origin: 'https://app.example' }, 200],
  ] as const) {
    test(`${what} → ${status}`, async () => {
      const response = await send(demo.app, plain(rpc('ping'), headers))
      assert.equal(response.statusCode, status)
      // The caller is often the operator, behind a new proxy.
      if (status === 403)
        assert.match(response.json().error.message, /operator .*allowed_(hosts|origins) of the config/)
    })
  }

  test('an allowed origin may read the headers that clients need', async () => {
    const response = await send(demo.app, plain(rpc('ping'), { origin: 'https://app.example' }))
    assert.equal(response.headers['access-control-allow-origin'], 'https://app.example')
    const exposed = String(response.headers['access-control-expose-headers'])
    for (const name of ['WWW-Authenticate', 'Mcp-Session-Id', 'MCP-Protocol-Version', 'Retry-After'])
      assert.match(exposed, new RegExp(name))
  })

  test('a preflight needs no token, and only allowed origins pass it', async () => {
    const preflight = (origin: string) =>
      demo.app.inject({
        method: 'OPTIONS',
        url: '/mcp',
        headers: {
          host: 'localhost',
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,mcp-param-x',
        },
      })
    const allowed = await preflight('https://app.example')
    assert.equal(allowed.statusCode, 204)
    assert.equal(allowed.headers['access-control-allow-headers'], 'authorization,mcp-param-x')
    assert.equal((await preflight('https://evil.example')).statusCode, 403)
  })

  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
    test(`${method} is 405 and names the methods that work`, async () => {
      const response = await demo.app.inject({ method, url: '/mcp', headers: { host: 'localhost', ...LEGACY_HEADERS } })
      assert.equal(response.statusCode, 405)
      assert.match(String(response.headers.allow), /POST/)
    })
  }
})

describe('credentials', () => {
  const challenge = (error = '') =>
    `Bearer resource_metadata="${BASE_URL}/.well-known/oauth-protected-resource/mcp", scope="read write"${error}`

  test('no token is 401 with a challenge that names no error', async () => {
    const response = await send(demo.app, withoutHeader(plain(rpc('ping')), 'authorization'))
    assert.equal(response.statusCode, 401)
    assert.equal(response.headers['www-authenticate'], challenge())
  })

  test('an unknown, a revoked and a query-string token are 401', async () => {
    const unknown = await send(demo.app, plain(rpc('ping'), { authorization: 'Bearer nobody' }))
    assert.equal(unknown.statusCode, 401)
    assert.ok(String(unknown.headers['www-authenticate']).startsWith(challenge(', error="invalid_token"')))
    demo.world.revoked.add('writer')
    assert.equal((await send(demo.app, plain(rpc('ping')))).statusCode, 401)
    demo.world.revoked.clear()
    const query = await send(demo.app, {
      ...withoutHeader(plain(rpc('ping')), 'authorization'),
      url: '/mcp?access_token=writer',
    })
    assert.equal(query.statusCode, 401)
  })

  for (const [revision, post] of [
    ['2025-11-25', legacy('2025-11-25', 'tools/call', { name: 'note_create', arguments: { title: 'x' } })],
    ['2026-07-28', modern('tools/call', { name: 'note_create', arguments: { title: 'x' } })],
  ] as const) {
    test(`a write tool called with a read token in ${revision} is 403 and says which scope is needed`, async () => {
      const response = await send(demo.app, { ...post, headers: { ...post.headers, authorization: 'Bearer reader' } })
      assert.equal(response.statusCode, 403)
      const header = String(response.headers['www-authenticate'])
      assert.match(header, /error="insufficient_scope"/)
      assert.match(header, /scope="write"/)
      assert.match(header, /resource_metadata="https:\/\/tasks\.example\//)
    })
  }

  for (const revision of ['2025-03-26', '2025-06-18']) {
    test(`a write tool called with a read token in ${revision} is an error result`, async () => {
      const post = legacy(revision, 'tools/call', { name: 'note_create', arguments: { title: 'x' } })
      const response = await send(demo.app, { ...post, headers: { ...post.headers, authorization: 'Bearer reader' } })
      const { isError, payload } = toolResult(response)
      assert.equal(isError, true)
      assert.equal(payload.error?.code, 'insufficient_scope')
    })
  }

  test('a read token does not list write tools', async () => {
    const post = plain(rpc('tools/list'), { authorization: 'Bearer reader' })
    const { tools } = resultOf<{ tools: { name: string }[] }>(await send(demo.app, post))
    assert.ok(tools.some(({ name }) => name === 'echo'))
    assert.ok(!tools.some(({ name }) => name === 'note_create'))
  })
})

describe('connection parameters', () => {
  const listed = async (query: string) => {
    const { tools } = resultOf<{ tools: { name: string }[] }>(
      await send(demo.app, { ...plain(rpc('tools/list')), url: `/mcp${query}` }),
    )
    return tools.map(({ name }) => name)
  }

  verifies('profiles.query', 'profile, tools and exclude narrow the tool list', async () => {
    assert.ok((await listed('')).includes('note_create'))
    assert.ok((await listed('?profile=')).includes('note_create'))
    assert.ok(!(await listed('?profile=reading')).includes('note_create'))
    assert.deepEqual(await listed('?tools=echo,boom'), ['echo', 'boom'])
    assert.ok(!(await listed('?exclude=echo')).includes('echo'))
  })

  for (const query of ['?profile=nope', '?profile=reading&profile=full-access', '?profile=constructor']) {
    test(`${query} is 400 and names the known profiles`, async () => {
      const response = await send(demo.app, { ...plain(rpc('tools/list')), url: `/mcp${query}` })
      assert.equal(response.statusCode, 400)
      assert.deepEqual((errorOf(response).data as { allowed: string[] }).allowed, ['full-access', 'reading'])
    })
  }

  const refusal = async (query: string, token = 'writer') => {
    const post = { ...plain(rpc('tools/list'), { authorization: `Bearer ${token}` }), url: `/mcp${query}` }
    const response = await send(demo.app, post)
    return { status: response.statusCode, headers: response.headers, ...errorOf(response) }
  }

  verifies('profiles.names', 'names in tools and exclude that do not exist are refused with the nearest', async () => {
    for (const field of ['tools', 'exclude']) {
      const { status, message, data } = await refusal(`?${field}=echo,ecko,zzzzzzzzzzzz,ecko`)
      assert.equal(status, 400)
      assert.match(message, new RegExp(`\\?${field}=: ecko \\(did you mean echo\\?\\), zzzzzzzzzzzz; use names of`))
      assert.deepEqual(data, { code: 'invalid_argument', field, allowed: ['echo'] })
    }
    const many = await refusal(`?tools=${Array.from({ length: 900 }, (_, n) => `zz${n}`).join(',')}`)
    assert.match(many.message, /zz0, zz1, zz2, zz3, zz4 and 895 more/)
  })

  verifies('profiles.names', 'an address that leaves no tool is refused', async () => {
    for (const [query, field] of [
      ['?tools=', 'tools'],
      ['?tools=,', 'tools'],
      ['?tools=echo&exclude=echo', 'tools'],
      ['?profile=reading&tools=note_create', 'tools'],
      [`?exclude=${[...demo.registry.tools.keys()].join(',')}`, 'exclude'],
    ] as const) {
      const { status, data } = await refusal(query)
      assert.deepEqual([status, (data as { field: string }).field], [400, field], query)
    }
    assert.deepEqual((await listed('?exclude=')).length, demo.registry.tools.size)
    assert.deepEqual(await listed('?profile=reading&tools=echo,note_create'), ['echo'])
  })

  verifies(
    'profiles.names',
    'if only writing tools are left, the answer to a read credential names the missing scope',
    async () => {
      const { status, headers, data } = await refusal('?tools=note_create', 'reader')
      assert.equal(status, 403)
      assert.deepEqual(data, { code: 'insufficient_scope', scope: 'write' })
      assert.match(String(headers['www-authenticate']), /error="insufficient_scope", scope="write"/)
      const both = {
        ...plain(rpc('tools/list'), { authorization: 'Bearer reader' }),
        url: '/mcp?tools=echo,note_create',
      }
      const { tools } = resultOf<{ tools: { name: string }[] }>(await send(demo.app, both))
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['echo'],
      )
    },
  )

  verifies('instructions.view', 'initialize and server/discover describe the tools of the connection', async () => {
    const readInstructions = async (
      query: string,
      post = plain(rpc('initialize', { protocolVersion: '2025-11-25' })),
    ) => resultOf<{ instructions?: string }>(await send(demo.app, { ...post, url: `/mcp${query}` })).instructions
    const all = demo.registry.view({ profile: undefined, scope: 'write' })!
    assert.match(all.instructions, /confirm_token/)
    assert.equal(await readInstructions(''), all.instructions)
    assert.equal(await readInstructions('', modern('server/discover')), all.instructions)
    assert.equal(await readInstructions('?tools=echo'), undefined)
    assert.equal(await readInstructions('?tools=echo', modern('server/discover')), undefined)
  })

  verifies('profiles.outside', 'a tool outside the profile is unknown to it', async () => {
    const post = {
      ...plain(rpc('tools/call', { name: 'note_create', arguments: { title: 'x' } })),
      url: '/mcp?profile=reading',
    }
    const error = errorOf(await send(demo.app, post))
    assert.equal(error.code, -32602)
    assert.match(error.message, /profile reading/)
  })
})
