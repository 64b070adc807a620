import assert from 'node:assert/strict'
import { before } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../../engines.ts'
import { verifies } from '../../../verifies.ts'
import { suiteScope } from '../../suite-scope.ts'

const ADDRESSES = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']

forEachEngine('a host without sign-in pages', engine => {
  const scope = suiteScope()
  let host: TestHost
  before(async () => {
    host = await testHost(scope, { engine, config: { plugins: { portal: false } } })
  })
  const call = (token: string | null, version: string, name = 'projects_list') =>
    host.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } },
    })

  verifies('oauth.challenges_without', 'challenges are well-formed and name no missing address', async () => {
    for (const url of ADDRESSES) assert.equal((await host.app.inject({ url })).statusCode, 404, url)
    const bare = await call(null, '2025-11-25')
    assert.equal(bare.statusCode, 401)
    assert.equal(bare.headers['www-authenticate'], 'Bearer scope="read write"')
    const wrong = await call('svc_pat_wrong', '2025-11-25')
    assert.equal(wrong.statusCode, 401)
    assert.equal(
      wrong.headers['www-authenticate'],
      'Bearer scope="read write", error="invalid_token", error_description="The token is unknown, expired or revoked"',
    )
    const narrow = await call((await host.reader()).token, '2025-11-25', 'items_create')
    assert.equal(narrow.statusCode, 403)
    assert.equal(
      narrow.headers['www-authenticate'],
      'Bearer error="insufficient_scope", scope="write", error_description="This tool needs a credential with the scope write"',
    )
  })
})
