import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolFailure } from 'tasuki/testing'
import { networkFaultHost } from '../network-fault-host.ts'

const skip = process.env['TEST_ENGINE'] === 'pglite' && 'only PostgreSQL is reached by a network'
const ROUNDS = 10

test('a call whose commit was not answered says that its outcome is unknown', { skip }, async t => {
  const { host, loseCommits } = await networkFaultHost(t, { only: ['items'] })
  const create = (title: string, meta?: object) =>
    host.call('items_create', { project_key: 'INBOX', title }, { ...(meta && { meta: { ...meta } }) })
  const failed = (call: Promise<unknown>) =>
    call.then(
      () => assert.fail('the commit was lost'),
      (error: unknown) => error as ToolFailure,
    )
  const copies = async (title: string) =>
    Number((await host.sql<{ n: string }>`select count(*) as n from items.items where title = ${title}`)[0]!.n)

  loseCommits(1)
  const plain = await failed(create('Plain'))
  assert.deepEqual([plain.code, plain.retryable, plain.details], ['unavailable', false, { outcome: 'unknown' }])
  assert.match(plain.hint!, /^Read first/)
  assert.equal(await copies('Plain'), 1)

  for (let n = 0; n < ROUNDS; n++) {
    const title = `Marked ${n}`
    const meta = { idempotencyKey: `key ${n}` }
    loseCommits(1)
    const marked = await failed(create(title, meta))
    assert.deepEqual([marked.code, marked.retryable, marked.details], ['unavailable', true, { outcome: 'unknown' }])
    assert.match(marked.hint!, /same idempotency key/)
    assert.equal((await create(title, meta)).replayed, true)
    assert.equal(await copies(title), 1)
  }
})
