import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createRateLimits } from '../../../core/http/rate-limits.ts'
import { errorOf, LEGACY_HEADERS, NOW, plain, rpc, send, startDemo, type Demo } from './stub.ts'

describe('rate limits of the endpoint', () => {
  let demo: Demo
  let now = NOW
  const limits = { requests_per_minute: 60, writes_per_minute: 10, wrong_tokens_per_minute: 5 }
  before(async () => {
    demo = await startDemo({ rateLimits: createRateLimits(limits, () => now) })
  })
  after(() => demo.app.close())
  const as = (token: string, body: string) =>
    send(demo.app, plain(body, { ...LEGACY_HEADERS, authorization: `Bearer ${token}` }))
  const count = async (times: number, once: () => ReturnType<typeof as>): Promise<number> => {
    let refused = 0
    for (let n = 0; n < times; n++) if ((await once()).statusCode === 429) refused++
    return refused
  }

  test('count the requests of each credential, and say when to retry', async () => {
    assert.equal(await count(60, () => as('other', rpc('ping'))), 0)
    const refused = await as('other', rpc('ping'))
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal(refused.headers['ratelimit-policy'], '"requests";q=60;w=60')
    assert.match(String(refused.headers['ratelimit']), /^"requests";r=0;t=60$/)
    assert.match(errorOf(refused).message, /Too many requests of this credential; send the next one in 1 s/)
    assert.equal((await as('reader', rpc('ping'))).statusCode, 200, 'other credentials are not limited')
    now = new Date(now.getTime() + 1000)
    assert.equal((await as('other', rpc('ping'))).statusCode, 200)
  })

  test('do not block reading tools after too many writes', async () => {
    const call = (name: string) => as('writer', rpc('tools/call', { name, arguments: {} }))
    const tools = [...demo.registry.tools.values()]
    const writing = tools.find(tool => tool.class === 'W')!.name
    const reading = tools.find(tool => tool.class === 'R')!.name
    assert.equal(await count(10, () => call(writing)), 0)
    const refused = await call(writing)
    assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '6'])
    assert.notEqual((await call(reading)).statusCode, 429)
  })

  test('refuse an address that guesses tokens, but not users who already work there', async () => {
    assert.equal(await count(5, () => as('guess', rpc('ping'))), 0)
    const refused = await as('guess', rpc('ping'))
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.headers['retry-after'], '12')
    assert.equal((await as('reader', rpc('ping'))).statusCode, 200)
  })
})
