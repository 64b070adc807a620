import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { noPostgres } from '../../engines.ts'
import { networkFaultHost } from '../../network-fault-host.ts'
import { verifies } from '../../verifies.ts'
import { conversationsHost } from './conversations-host.ts'

describe('threads from a browser', () => {
  const suite = conversationsHost(
    'pglite',
    {},
    {
      config: { allowed_origins: ['app.example'], allowed_hosts: ['tasks.lan'] },
    },
  )
  const ask = (method: 'GET' | 'OPTIONS' | 'POST', url: string, headers: Readonly<Record<string, string>>) =>
    suite.host.app.inject({ method, url, headers })

  verifies(
    'conversations.pages',
    'a page of an allowed origin can send requests and read answers and refusals',
    async () => {
      const user = await suite.newUser()
      const origin = 'https://app.example'
      for (const url of ['/api/threads', '/api/threads/0198b000-0000-7000-8000-000000000001/messages']) {
        const preflight = await ask('OPTIONS', url, {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        })
        assert.equal(preflight.statusCode, 204)
        assert.equal(preflight.headers['access-control-allow-origin'], origin)
        assert.match(String(preflight.headers['access-control-allow-methods']), /GET, POST.*DELETE/)
        assert.equal(preflight.headers['access-control-allow-headers'], 'authorization,content-type')
      }
      const listed = await suite.http(user, 'GET', '', undefined, { origin })
      assert.equal(listed.status, 200)
      assert.equal(listed.headers['access-control-allow-origin'], origin)
      assert.match(String(listed.headers['access-control-expose-headers']), /WWW-Authenticate/)
      assert.equal(listed.headers['vary'], 'Origin')
      const nobody = await ask('GET', '/api/threads', { origin })
      assert.equal(nobody.statusCode, 401)
      assert.equal(nobody.headers['access-control-allow-origin'], origin)
      assert.equal(nobody.headers['www-authenticate'], 'Bearer scope="read write"')
      const wrong = await ask('GET', '/api/threads', { origin, authorization: 'Bearer nobody' })
      assert.match(String(wrong.headers['www-authenticate']), /error="invalid_token"/)
    },
  )

  verifies('conversations.pages', 'foreign origins and hosts are refused, even with a valid token', async () => {
    const { token } = await suite.newUser()
    const authorization = `Bearer ${token}`
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { host: 'evil.example' }]) {
      for (const method of ['GET', 'OPTIONS'] as const) {
        const answer = await ask(method, '/api/threads', { authorization, ...headers })
        assert.equal(answer.statusCode, 403, JSON.stringify(headers))
        const { error } = answer.json()
        assert.equal(error.code, 'forbidden')
        assert.match(error.message, /operator .*allowed_(hosts|origins) of the config/)
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
      }
    }
    assert.equal((await ask('GET', '/api/threads', { authorization, host: 'tasks.lan' })).statusCode, 200)
  })
})

verifies(
  'conversations.away',
  'threads, webhooks and files answer 503 and ask to try again',
  { skip: noPostgres },
  async t => {
    const { host, cut } = await networkFaultHost(t)
    const { token } = await host.user('someone@example.com')
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await host.app.inject({ url: '/api/threads', headers })).statusCode, 200)
    const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'x' })
    const { upload_url: upload } = await host.call('attachments_upload', {
      parent_kind: 'item',
      parent_ref: item.ref,
      filename: 'a.txt',
      mime_type: 'text/plain',
    })
    await cut()
    const id = '0198b000-0000-7000-8000-000000000001'
    for (const request of [
      { url: '/api/threads', headers },
      { url: `/api/threads/${id}`, headers },
      { url: '/api/threads', method: 'POST', headers, payload: { title: 'x' } },
      { url: `/hooks/github/${id}`, method: 'POST', payload: {} },
      { url: upload.replace(/^https?:\/\/[^/]+/, ''), method: 'PUT', payload: 'text' },
    ] as const) {
      const answer = await host.app.inject(request)
      assert.equal(answer.statusCode, 503, `${request.url} ${answer.body}`)
      assert.equal(answer.headers['retry-after'], '2')
      const { error } = answer.json<{ error: { code: string; retryable: boolean; message: string } }>()
      assert.deepEqual([error.code, error.retryable], ['unavailable', true])
      assert.doesNotMatch(error.message, /ECONN|terminat|connection|closed/i)
    }
  },
)
