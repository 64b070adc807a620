import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { definePlugin, defineTool, sql, Type } from 'tasuki/plugin'
import { OpenRequestLimit } from '../../../core/mcp/open-request-limit.ts'
import { forEachEngine } from '../../engines.ts'
import { eventually } from '../../eventually.ts'
import { testHost } from 'tasuki/testing'

/** Keeps a database session busy, like an expensive search. */
const expensive = definePlugin({
  name: 'expensive',
  version: '1.0.0',
  api: 1,
  group: 'expensive',
  tools: (['R', 'W'] as const).map(kind =>
    defineTool({
      name: kind === 'R' ? 'expensive_read' : 'expensive_write',
      class: kind,
      title: 'Sleep',
      summary: 'Takes a while.',
      input: Type.Object({}, { additionalProperties: false }),
      output: Type.Object({}),
      async run(ctx) {
        await sql`select pg_sleep(0.1)`.execute(ctx.db)
        return {}
      },
    }),
  ),
})

forEachEngine('many expensive calls of one caller', engine => {
  for (const tool of ['expensive_read', 'expensive_write'])
    test(`${tool}: do not delay other callers`, async t => {
      const host = await testHost(t, { engine, only: ['projects'], plugins: [expensive], config: { pool_size: 4 } })
      const other = await host.user('other@example.com')
      await other.call('expensive_read', {})
      let answered = 0
      const many = Promise.all(Array.from({ length: 30 }, () => host.call(tool, {}).then(() => answered++)))
      await new Promise(done => setTimeout(done, 50))
      const before = answered
      await other.call('expensive_read', {})
      assert.ok(answered - before < 10, `${answered - before} of the earlier calls were answered first`)
      await many
    })
})

test('concurrent requests and bytes are limited per credential', () => {
  const limit = new OpenRequestLimit(1000)
  for (let n = 0; n < 256; n++) assert.ok(limit.enter('a', 10))
  assert.ok(!limit.enter('a', 10))
  assert.ok(limit.enter('b', 5000))
  assert.ok(limit.enter('b', 5000))
  assert.ok(!limit.enter('b', 1))
  limit.leave('b', 5000)
  assert.ok(limit.enter('b', 1))
  limit.shrink('b', 4000)
  assert.ok(limit.enter('b', 3999))
  for (let n = 0; n < 256; n++) limit.leave('a', 10)
  assert.ok(limit.enter('a', 10))
})

test('a body of unknown length counts as the largest until it has been read', async t => {
  const host = await testHost(t, { only: ['projects'] })
  const url = new URL(await host.listen())
  const headers = { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' }
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  // The token is cached afterwards, so that requests are counted when they arrive.
  assert.equal((await host.rpc('ping')).status, 200)
  let arrived = 0
  host.app.server.on('request', () => arrived++)
  const chunked = Array.from({ length: 10 }, () => {
    const sent = request(url, { method: 'POST', headers, agent: false })
    sent.write(ping)
    return { sent, status: once(sent, 'response').then(([{ statusCode }]) => statusCode as number) }
  })
  await eventually(() => assert.equal(arrived, chunked.length))
  const refused = await host.rpc('ping')
  assert.equal(refused.status, 429)
  assert.match(JSON.stringify(refused.body), /At most 256 requests of a credential, with \d+ MB of bodies/)
  for (const { sent } of chunked) sent.end()
  assert.deepEqual(new Set(await Promise.all(chunked.map(({ status }) => status))), new Set([200]))
  await eventually(async () => assert.equal((await host.rpc('ping')).status, 200))
})

test('finished and aborted requests are no longer counted', async t => {
  const host = await testHost(t, { only: ['projects'] })
  const url = new URL(await host.listen())
  const headers = { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' }
  for (let n = 0; n < 300; n++) assert.equal((await host.rpc('ping')).status, 200)
  for (let n = 0; n < 300; n++) {
    await new Promise<void>(done => {
      const broken = request(url, { method: 'POST', headers: { ...headers, 'content-length': 100 } })
      broken.on('error', () => undefined).on('close', () => done())
      broken.write('{')
      setTimeout(() => broken.destroy(), 3)
    })
  }
  const answer = await fetch(url, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })
  assert.equal(answer.status, 200)
})
