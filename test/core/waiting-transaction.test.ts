import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { definePlugin, defineTool, Type } from 'tasuki/plugin'
import { testHost, ToolFailure, type TestHost } from 'tasuki/testing'
import { systemScope } from '../../core/runtime/system-scope.ts'
import { forEachEngine } from '../engines.ts'

forEachEngine('a transaction that waits for another connection', engine => {
  test('is ended, and later calls are answered', { timeout: 60_000 }, async t => {
    let host: TestHost | undefined
    const outside = async () => {
      const { app, authenticator, runner } = host!
      await runner.writeWithoutTransaction(systemScope(authenticator, 'waiting', app.log), ctx =>
        sql`select 1`.execute(ctx.db),
      )
    }
    const plugin = definePlugin({
      name: 'waiting',
      version: '1.0.0',
      api: 1,
      group: 'waiting',
      tools: [
        defineTool({
          name: 'waiting_write',
          class: 'W',
          title: 'Wait for another connection',
          summary: 'Asks for a connection while it has another.',
          input: Type.Object({}, { additionalProperties: false }),
          output: Type.Object({}),
          async run(ctx) {
            // On PostgreSQL, waits until each call has one of the two connections.
            await sql`select pg_sleep(0.3)`.execute(ctx.db)
            await outside()
            await sql`select 1`.execute(ctx.db)
            return {}
          },
        }),
      ],
    })
    const config = { query_timeout_ms: 500, pool_size: 2 }
    host = await testHost(t, { engine, config, only: ['projects'], plugins: [plugin] })
    const wait = () => host.call('waiting_write', {}).catch((error: unknown) => error)
    const results = await Promise.all([wait(), wait()])
    // On PostgreSQL, the first call that fails releases its connection to the other.
    const failures = results.filter(result => result instanceof ToolFailure)
    assert.ok(failures.length >= 1)
    for (const { code, retryable } of failures) assert.deepEqual([code, retryable], ['unavailable', true])
    await outside()
  })
})
