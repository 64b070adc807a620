import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readCapabilities } from '../../../core/mcp/client-info.ts'
import { createSessions, SESSIONS_PER_CREDENTIAL, TOTAL_SESSIONS } from '../../../core/mcp/sessions.ts'
import { REVISIONS } from '../../../core/mcp/revisions.ts'
import { listen, post } from './events.ts'
import { legacyHeaders, readTool, rpc, send, startDemo, type Demo } from './stub.ts'

const MEGABYTE = 1_000_000
const REVISION = '2025-11-25'

let demo: Demo
let url: string
let collectGarbage: () => void
before(async () => {
  setFlagsFromString('--expose-gc')
  collectGarbage = runInNewContext('gc') as () => void
  demo = await startDemo({ bodyLimit: 10 * MEGABYTE })
  url = await listen(demo.app)
})
after(() => demo.app.close())

const headersOf = (credential: string, session?: string) => ({
  ...legacyHeaders(REVISION),
  authorization: `Bearer ${credential}`,
  ...(session !== undefined && { 'mcp-session-id': session }),
})
const open = async (credential: string, capabilities: object, name = 'c'): Promise<string> => {
  const params = { protocolVersion: REVISION, capabilities, clientInfo: { name, version: '1' } }
  const response = await send(demo.app, { body: rpc('initialize', params), headers: headersOf(credential) })
  return String(response.headers['mcp-session-id'])
}
const ping = async (credential: string, session: string): Promise<number> =>
  (await send(demo.app, { body: rpc('ping'), headers: headersOf(credential, session) })).statusCode
/** Measures the bytes that stay in use after garbage collection. */
const bytesKeptBy = async (work: () => Promise<void>): Promise<number> => {
  const used = async (): Promise<number> => {
    // Resources that ended a moment ago are released in several steps.
    for (let n = 0; n < 3; n++) {
      await sleep(10)
      collectGarbage()
    }
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  // The first run excludes what it loads and compiles.
  await work()
  const before = await used()
  await work()
  return (await used()) - before
}

describe('memory that a client can use', () => {
  test('10 initialize requests with 9 MB of capabilities and 10 with a name of 9 MB retain at most the last request', async t => {
    const filler = 'x'.repeat(9 * MEGABYTE)
    const kept = await bytesKeptBy(async () => {
      for (let n = 0; n < 10; n++) {
        await open('reader', { elicitation: { form: { filler } }, experimental: { filler } })
        await open('reader', { roots: {} }, `${n}${filler}`)
      }
    })
    t.diagnostic(`${Math.round(kept / 1000)} kB kept`)
    assert.ok(kept < 12 * MEGABYTE, `${kept} bytes`)
  })

  test('10,050 initialize requests of one credential retain less than 1 MB and end no session of another credential', async t => {
    const others = await open('other', { elicitation: {} })
    const own = await open('reader', { elicitation: {} })
    const kept = await bytesKeptBy(async () => {
      for (let n = 0; n < 5025; n++) await open('reader', { elicitation: {} })
    })
    t.diagnostic(`${Math.round(kept / 1000)} kB kept`)
    assert.ok(kept < MEGABYTE, `${kept} bytes`)
    assert.equal(await ping('other', others), 200)
    assert.equal(await ping('reader', own), 404)
  })

  test('the least recently used session of a credential ends first', async () => {
    const first = await open('writer', { elicitation: {} })
    const second = await open('writer', { elicitation: {} })
    for (let n = 2; n < SESSIONS_PER_CREDENTIAL; n++) await open('writer', { elicitation: {} })
    assert.equal(await ping('writer', first), 200)
    await open('writer', { elicitation: {} })
    assert.deepEqual([await ping('writer', first), await ping('writer', second)], [200, 404])
  })

  test('a call that waits for an answer ends with its session', async () => {
    for (const end of ['replaced', 'closed'] as const) {
      const session = await open('other', { elicitation: {} })
      const stream = await post(url, rpc('tools/call', { name: 'ask_get' }), headersOf('other', session))
      assert.equal((await stream.next())!.method, 'elicitation/create')
      if (end === 'closed') {
        const headers = { host: 'localhost', ...headersOf('other', session) }
        assert.equal((await demo.app.inject({ method: 'DELETE', url: '/mcp', headers })).statusCode, 204)
      } else for (let n = 0; n < SESSIONS_PER_CREDENTIAL; n++) await open('other', { elicitation: {} })
      const [done] = await stream.rest()
      const { error } = readTool(done!.result).payload
      assert.deepEqual([error!.code, /its session has ended/.test(error!.message)], ['unavailable', true])
    }
  })
})

describe('sessions of all credentials together', () => {
  const client = { revision: REVISIONS[1]!, capabilities: {}, clientName: null, clientVersion: null }

  test('are limited: a new client gets none, unless an existing session was idle for an hour', () => {
    let now = 0
    const sessions = createSessions(() => new Date(now))
    const first = sessions.open({ ...client, credential: 'c0' })!
    for (let n = 1; n < TOTAL_SESSIONS; n++) sessions.open({ ...client, credential: `c${n % 200}` })
    assert.equal(sessions.open({ ...client, credential: 'newcomer' }), null)
    assert.equal(sessions.find(first.id, 'c0'), first)
    now += 3_600_001
    assert.notEqual(sessions.open({ ...client, credential: 'newcomer' }), null)
    assert.equal(sessions.find(first.id, 'c0'), undefined)
  })
})

describe('capabilities of a client', () => {
  for (const [declared, kept] of [
    [{}, {}],
    [{ elicitation: {} }, { elicitation: {} }],
    [{ elicitation: { form: { x: 1 }, url: {}, y: 2 } }, { elicitation: { form: {}, url: {} } }],
    [{ sampling: { tools: { a: 1 }, context: {}, z: 1 } }, { sampling: { tools: {}, context: {} } }],
    [{ roots: { listChanged: true, more: 1 } }, { roots: { listChanged: true } }],
    [{ roots: {}, experimental: { x: {} }, elicitation: null, sampling: [] }, { roots: {} }],
    ['text', {}],
  ] as const) {
    test(`of ${JSON.stringify(declared)} ${JSON.stringify(kept)} are kept`, () => {
      assert.deepEqual(readCapabilities(declared, { elicitation: true }), kept)
    })
  }
})
