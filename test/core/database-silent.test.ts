import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { testHost, type TestCaller, type ToolFailure } from 'tasuki/testing'
import { createTestDatabase } from '../../core/testing/database.ts'
import { mintToken } from '../../core/identity/token.ts'
import { networkFaultHost } from '../network-fault-host.ts'
import { legacyHeaders, rpc } from './mcp/stub.ts'

const skip = process.env['TEST_ENGINE'] === 'pglite' && 'only PostgreSQL is reached by a network'
const CONFIG = { query_timeout_ms: 1000 }
/** The statement limit, plus the second after which the connection is closed, plus time for a slow machine. TCP itself waits for minutes. */
const DEADLINE_MS = 10_000

const create = (caller: Pick<TestCaller, 'call'>, title: string) =>
  caller.call('items_create', { project_key: 'INBOX', title }).then(
    () => null,
    (error: unknown) => error as ToolFailure,
  )

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const since = performance.now()
  const result = await work()
  return { result, ms: performance.now() - since }
}

test(
  'with a silent database a call fails at the deadline, and the first call after the failover succeeds',
  { skip },
  async t => {
    const network = await networkFaultHost(t, { only: ['items'], config: CONFIG })
    const { host } = network
    await Promise.all(Array.from({ length: 8 }, (_, n) => create(host, `before ${n}`)))
    network.fallSilent()
    const during = await timed(() => Promise.all([create(host, 'during'), create(host, 'during too')]))
    for (const failure of during.result) assert.deepEqual([failure?.code, failure?.retryable], ['unavailable', true])
    assert.ok(during.ms < DEADLINE_MS, `${during.ms} ms`)
    // Whose token has not been read yet is told the same, before any call.
    const unread = await host.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...legacyHeaders('2025-11-25'), authorization: `Bearer ${mintToken()}` },
      payload: rpc('tools/call', { name: 'tasks_list', arguments: {} }),
    })
    assert.deepEqual([unread.statusCode, unread.json().error.data], [503, { code: 'unavailable', retryable: true }])
    const ready = await timed(() => host.app.inject({ url: '/readyz' }))
    assert.equal(ready.result.statusCode, 503)
    assert.ok(ready.ms < DEADLINE_MS, `${ready.ms} ms`)
    network.recover()
    // Connections from before the failover never answer again.
    const after = await timed(() => create(host, 'after'))
    assert.equal(after.result, null)
    assert.ok(after.ms < DEADLINE_MS, `${after.ms} ms`)
    assert.equal((await host.app.inject({ url: '/readyz' })).statusCode, 200)
  },
)

test('readiness is decided while every connection waits for a silent database', { skip }, async t => {
  const network = await networkFaultHost(t, { only: ['items'], config: { query_timeout_ms: 20_000, pool_size: 2 } })
  await network.host.call('tasks_list', {})
  network.fallSilent()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => timed(() => network.host.app.inject({ url: '/readyz' }))),
  )
  for (const { result, ms } of answers) {
    assert.equal(result.statusCode, 503)
    // Long before the limit of a statement.
    assert.ok(ms < DEADLINE_MS, `${ms} ms`)
  }
  await network.cut()
})

test('the listener detects a silent connection', { skip, timeout: 60_000 }, async t => {
  const network = await networkFaultHost(t, { only: ['items'], config: CONFIG })
  const states: boolean[] = []
  network.host.database.listener.onState(up => states.push(up))
  network.fallSilent()
  for (let n = 0; n < 150 && states.at(-1); n++) await sleep(100)
  assert.equal(states.at(-1), false)
  network.recover()
  for (let n = 0; n < 100 && !states.at(-1); n++) await sleep(100)
  assert.deepEqual(states, [true, false, true])
})

test('the locks of a frozen instance are released within half the statement timeout', { skip }, async t => {
  const { url, drop } = await createTestDatabase()
  t.after(drop)
  const database = { engine: 'postgres', url, replicaUrl: null } as const
  const options = { only: ['items'], config: { query_timeout_ms: 6000 }, database }
  const host = await testHost(t, options)
  const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Locked' })
  // Simulates an instance that freezes: it begins a transaction, locks the row, and sends nothing more.
  const frozen = new Client({ connectionString: url })
  t.after(() => frozen.end().catch(() => undefined))
  frozen.on('error', () => undefined)
  await frozen.connect()
  const [settings] = await host.sql<{
    limit: string
  }>`select current_setting('idle_in_transaction_session_timeout') as limit`
  assert.equal(settings?.limit, '3s')
  await frozen.query(`set idle_in_transaction_session_timeout = '${settings.limit}'`)
  await frozen.query('begin')
  await frozen.query('select 1 from items.items for update')
  const { result, ms } = await timed(() => host.call('items_patch', { item_ref: item.ref, title: 'Free again' }))
  assert.ok(result)
  assert.ok(ms > 500 && ms < 6000, `${ms} ms`)
})
