import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { REVISIONS, revisionTable } from '../../../core/mcp/revisions.ts'
import {
  errorOf,
  legacyHeaders,
  LEGACY_HEADERS,
  modernHeaders,
  modernMeta,
  NOW,
  resultOf,
  rpc,
  send,
  startDemo,
} from './stub.ts'
import type { Demo } from './stub.ts'
import { verifies } from '../../verifies.ts'

const SUNSET = new Date('2026-12-01T00:00:00Z')
const EVE = new Date(SUNSET.getTime() - 1)

const initialize = (protocolVersion: string) =>
  rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'p', version: '1' } })
const BATCH = `[${rpc('ping', undefined, 1)},${rpc('ping', undefined, 2)}]`

verifies('revisions.one_table', 'the table serves each revision until its sunset and not after', () => {
  let now = EVE
  const table = revisionTable(() => now)
  assert.deepEqual(table.served(), ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'])
  assert.equal(table.withoutHeader().name, '2025-03-26')
  now = SUNSET
  assert.deepEqual(table.served(), ['2026-07-28', '2025-11-25', '2025-06-18'])
  assert.equal(table.find('2025-03-26'), undefined)
  assert.equal(table.withoutHeader().name, '2025-06-18')
  assert.equal(table.newestLegacy().name, '2025-11-25')
})

test('only the oldest revision has batches and a sunset', () => {
  assert.deepEqual(
    REVISIONS.filter(({ batches }) => batches).map(({ name }) => name),
    ['2025-03-26'],
  )
  assert.deepEqual(
    REVISIONS.filter(({ sunsetOn }) => sunsetOn !== undefined).map(({ name, status }) => [name, status]),
    [['2025-03-26', 'deprecated']],
  )
})

describe('over HTTP', () => {
  let demo: Demo
  before(async () => {
    demo = await startDemo()
  })
  after(() => demo.app.close())

  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    verifies(
      ['revisions.2025_11_25', 'revisions.2025_06_18', 'revisions.2025_03_26', 'revisions.negotiated'],
      `${revision} is negotiated and served`,
      async () => {
        demo.world.now = NOW
        const opened = resultOf(await send(demo.app, { body: initialize(revision) }))
        assert.equal(opened['protocolVersion'], revision)
        assert.deepEqual(opened['serverInfo'], { name: 'demo', title: 'Demo', version: '1.2.3' })
        const answered = await send(demo.app, { body: rpc('ping'), headers: legacyHeaders(revision) })
        assert.equal(answered.statusCode, 200)
        assert.deepEqual(resultOf(answered), {})
      },
    )
  }

  for (const asked of ['2026-07-28', '2024-11-05', '1999-01-01', 'abc']) {
    test(`an initialize that asks for ${asked} is offered the newest of its era`, async () => {
      demo.world.now = NOW
      assert.equal(resultOf(await send(demo.app, { body: initialize(asked) }))['protocolVersion'], '2025-11-25')
    })
  }

  verifies(
    'revisions.deprecated_headers',
    'responses under the deprecated revision carry Deprecation and Sunset',
    async () => {
      demo.world.now = EVE
      const deprecated = await send(demo.app, { body: rpc('ping'), headers: legacyHeaders('2025-03-26') })
      assert.equal(deprecated.headers['deprecation'], '@1764028800')
      assert.equal(deprecated.headers['sunset'], 'Tue, 01 Dec 2026 00:00:00 GMT')
      const headerless = await send(demo.app, { body: rpc('ping') })
      assert.equal(headerless.headers['deprecation'], '@1764028800')
      const opened = await send(demo.app, { body: initialize('2025-03-26') })
      assert.equal(opened.headers['sunset'], 'Tue, 01 Dec 2026 00:00:00 GMT')
      for (const revision of ['2025-06-18', '2025-11-25']) {
        const current = await send(demo.app, { body: rpc('ping'), headers: legacyHeaders(revision) })
        assert.equal(current.headers['deprecation'], undefined)
        assert.equal(current.headers['sunset'], undefined)
      }
      const modern = await send(demo.app, {
        body: rpc('tools/list', { _meta: modernMeta() }),
        headers: modernHeaders('tools/list'),
      })
      assert.equal(modern.headers['deprecation'], undefined)
    },
  )

  verifies(
    'revisions.sunset_refused',
    'from its sunset the deprecated revision is refused like an unknown one',
    async () => {
      demo.world.now = SUNSET
      for (const header of ['2025-03-26', '1999-01-01']) {
        const refused = await send(demo.app, { body: rpc('ping'), headers: legacyHeaders(header) })
        assert.equal(refused.statusCode, 400)
        const error = errorOf(refused)
        assert.equal(error.code, -32022)
        assert.deepEqual(error.data, { supported: ['2026-07-28', '2025-11-25', '2025-06-18'], requested: header })
      }
      assert.equal(resultOf(await send(demo.app, { body: initialize('2025-03-26') }))['protocolVersion'], '2025-11-25')
    },
  )

  verifies('revisions.missing_header', 'a request without the header works before and after the sunset', async () => {
    for (const now of [EVE, SUNSET]) {
      demo.world.now = now
      assert.equal((await send(demo.app, { body: rpc('tools/list') })).statusCode, 200)
    }
  })

  test('a batch is answered before the sunset and refused after it', async () => {
    demo.world.now = EVE
    const answered = await send(demo.app, { body: BATCH })
    assert.deepEqual(answered.json(), [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
    demo.world.now = SUNSET
    const refused = await send(demo.app, { body: BATCH, headers: LEGACY_HEADERS })
    assert.equal(refused.statusCode, 400)
    assert.equal(errorOf(refused).code, -32600)
  })

  for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    test(`a batch under ${revision} is refused`, async () => {
      demo.world.now = NOW
      const refused = await send(demo.app, { body: BATCH, headers: legacyHeaders(revision) })
      assert.equal(refused.statusCode, 400)
      assert.equal(errorOf(refused).code, -32600)
    })
  }
})
