import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testHost } from 'tasuki/testing'
import { eventually } from '../../eventually.ts'
import { forEachEngine } from '../../engines.ts'

/** As many of the largest requests as a credential may have open. */
const REQUESTS = 10

forEachEngine('requests that close while their token is looked up', engine => {
  test('are not counted as open for ever', async t => {
    const host = await testHost(t, { engine, only: ['projects'] })
    const { port } = new URL(await host.listen())
    const { body_limit: bytes } = host.config
    const caller = await host.credential({})
    const { promise: until, resolve: release } = Promise.withResolvers<void>()
    const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>()
    const holding = host.write(async ctx => {
      await sql`lock table core.tokens in access exclusive mode`.execute(ctx.db)
      isLocked()
      await until
    })
    await locked
    let arrived = 0
    host.app.server.on('request', () => arrived++)
    for (let n = 0; n < REQUESTS; n++) {
      const socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${caller.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
      )
      await eventually(() => assert.equal(arrived, n + 1))
      socket.destroy()
    }
    await eventually(async () => {
      const open = await new Promise(done => host.app.server.getConnections((_, count) => done(count)))
      assert.equal(open, 0)
    })
    release()
    await holding
    const { status } = await caller.rpc('tools/list')
    assert.equal(status, 200)
  })
})
