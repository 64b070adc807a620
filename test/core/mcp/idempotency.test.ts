import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { startStoredDemo, type StoredDemo } from './database.ts'
import { call, legacyHeaders, NOW, readTool, rpc, send, type ToolResult } from './stub.ts'
import { verifies } from '../../verifies.ts'

let demo: StoredDemo
before(async () => {
  demo = await startStoredDemo()
})
after(() => demo.close())
let key: string
let keys = 0
beforeEach(() => {
  demo.world.now = NOW
  demo.world.ran.length = 0
  key = `key-${++keys}`
})

const create = (title: string, options: { key?: string; headers?: Record<string, string> } = {}) =>
  call(
    demo.app,
    'note_create',
    { title },
    { meta: { idempotencyKey: options.key ?? key }, ...(options.headers && { headers: options.headers }) },
  )
const quantize = (result: ToolResult): string | undefined => result.payload.error?.code

describe('a write with an idempotency key', () => {
  test('runs once; a repeated call gets the first result with replayed', async () => {
    const first = await create('a')
    assert.deepEqual(first.payload, { title: 'a', run: 1 })
    const again = await create('a')
    assert.deepEqual(again.payload, { title: 'a', run: 1, replayed: true })
    assert.equal(again.content[0]!.text, '{"title":"a","run":1,"replayed":true}')
    assert.deepEqual(demo.world.ran, ['note_create'])
  })

  test('with other arguments or another tool is a conflict', async () => {
    await create('a')
    assert.equal(quantize(await create('b')), 'idempotency_conflict')
    assert.equal(
      quantize(await call(demo.app, 'bulk_patch', {}, { meta: { idempotencyKey: key } })),
      'idempotency_conflict',
    )
    assert.deepEqual(demo.world.ran, ['note_create'])
  })

  test('ignores the order of the arguments', async () => {
    const meta = { idempotencyKey: key }
    await call(demo.app, 'note_create', { title: 'a', body: { x: 1, y: 2 } }, { meta })
    const again = await call(demo.app, 'note_create', { body: { y: 2, x: 1 }, title: 'a' }, { meta })
    assert.equal(again.payload['replayed'], true)
  })

  verifies('idempotency.per_credential', 'is separate for each credential', async () => {
    await create('a')
    const other = await create('b', { headers: { authorization: 'Bearer other' } })
    assert.deepEqual(other.payload, { title: 'b', run: 2 })
  })

  verifies('idempotency.per_credential', 'is valid for 24 hours', async () => {
    await create('a')
    demo.world.now = new Date(NOW.getTime() + 24 * 3_600_000 - 1)
    assert.equal((await create('a')).payload['replayed'], true)
    demo.world.now = new Date(NOW.getTime() + 24 * 3_600_000)
    assert.deepEqual((await create('b')).payload, { title: 'b', run: 2 })
    assert.deepEqual((await create('b')).payload, { title: 'b', run: 2, replayed: true })
  })

  test('stores its result encrypted, and does not run again if that can no longer be decrypted', async () => {
    await create('a title to look for')
    const rows = await sql<{ text: string }>`select result::text as text from core.idempotency_keys where key = ${key}`
      .execute(demo.database.write)
      .then(found => found.rows)
    assert.ok(rows[0]!.text.length > 40)
    assert.ok(!rows[0]!.text.includes('title'))
    await sql`
      update core.idempotency_keys set result = (select result from core.idempotency_keys where key <> ${key} limit 1)
      where key = ${key}
    `.execute(demo.database.write)
    assert.equal(quantize(await create('a title to look for')), 'idempotency_conflict')
    assert.deepEqual(demo.world.ran, ['note_create'])
  })

  test('that failed may be retried with the same key', async () => {
    const meta = { idempotencyKey: key }
    assert.equal((await call(demo.app, 'bulk_patch', {}, { meta })).isError, true)
    assert.equal((await call(demo.app, 'bulk_patch', {}, { meta })).isError, true)
    assert.deepEqual(demo.world.ran, ['bulk_patch', 'bulk_patch'])
    assert.deepEqual((await create('a')).payload, { title: 'a', run: 3 })
  })

  test('sent twice concurrently runs once', async () => {
    const results = await Promise.all([create('a'), create('a'), create('a')])
    assert.deepEqual(demo.world.ran, ['note_create'])
    assert.equal(results.filter(({ payload }) => payload['replayed'] === true).length, 2)
  })

  test('may carry the key in a header; _meta takes precedence', async () => {
    const headers = { 'idempotency-key': key }
    await call(demo.app, 'note_create', { title: 'a' }, { headers })
    const again = await call(demo.app, 'note_create', { title: 'a' }, { headers })
    assert.equal(again.payload['replayed'], true)
    const meta = { idempotencyKey: `${key}-other` }
    assert.equal(
      (await call(demo.app, 'note_create', { title: 'a' }, { headers, meta })).payload['replayed'],
      undefined,
    )
  })

  test('is ignored for reads', async () => {
    const meta = { idempotencyKey: key }
    await call(demo.app, 'echo', { word: 'a' }, { meta })
    assert.deepEqual((await call(demo.app, 'echo', { word: 'b' }, { meta })).payload, { word: 'b' })
  })

  test('is not read from the header of a batch', async () => {
    const body = `[${['a', 'b'].map((title, id) => rpc('tools/call', { name: 'note_create', arguments: { title } }, id)).join(',')}]`
    const response = await send(demo.app, { body, headers: { ...legacyHeaders('2025-03-26'), 'idempotency-key': key } })
    const answers = response.json<{ result: object }[]>()
    assert.deepEqual(
      answers.map(({ result }) => readTool(result).payload['title']),
      ['a', 'b'],
    )
  })
})

describe('a destructive call with an idempotency key', () => {
  const remove = (args: Readonly<Record<string, unknown>>) =>
    call(demo.app, 'note_delete', args, { meta: { idempotencyKey: key } })

  test('is replayed after its confirmation, with the used token and without one', async () => {
    const first = await remove({ id: 7 })
    const confirm_token = first.payload.error!.details!.confirm_token!
    assert.deepEqual((await remove({ id: 7, confirm_token })).payload, { deleted: true, id: 7 })
    assert.deepEqual((await remove({ id: 7, confirm_token })).payload, {
      deleted: true,
      id: 7,
      replayed: true,
    })
    assert.deepEqual((await remove({ id: 7 })).payload, { deleted: true, id: 7, replayed: true })
    assert.deepEqual(demo.world.ran, ['note_delete'])
  })
})
