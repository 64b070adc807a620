import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { definePlugin, defineTool, Type } from 'tasuki/plugin'
import { ToolFailure } from 'tasuki/testing'
import { noPostgres } from '../engines.ts'
import { networkFaultHost } from '../network-fault-host.ts'

const asleep = (name: string, toolClass: 'R' | 'W') =>
  defineTool({
    name,
    class: toolClass,
    title: 'Sleep in the database',
    summary: 'Asks the database to wait.',
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({}),
    async run(ctx) {
      await sql`select pg_sleep(5)`.execute(ctx.db)
      return {}
    },
  })

const plugin = definePlugin({
  name: 'sleeper',
  version: '1.0.0',
  api: 1,
  group: 'sleeper',
  tools: [asleep('sleeper_read', 'R'), asleep('sleeper_write', 'W')],
})

test('a connection that breaks during a call is answered as an unavailable database', { skip: noPostgres }, async t => {
  const { host, cut } = await networkFaultHost(t, { only: ['projects'], plugins: [plugin] })
  const calls = ['sleeper_read', 'sleeper_write'].map(name =>
    host.call(name, {}).then(
      () => assert.fail('the database was cut'),
      (error: unknown) => error,
    ),
  )
  await new Promise(done => setTimeout(done, 300))
  await cut()
  for (const failure of await Promise.all(calls)) {
    assert.ok(failure instanceof ToolFailure)
    assert.deepEqual([failure.code, failure.retryable], ['unavailable', true])
  }
})
