import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { testHost } from 'tasuki/testing'
import { noPostgres } from '../engines.ts'
import { eventually } from '../eventually.ts'
import { legacyHeaders, rpc } from './mcp/stub.ts'

// As after a changed password or pg_hba.conf: the codes of such refusals also mean other things.
const REFUSALS = [
  ['takes no connections', '55000', 'allow_connections false', 'allow_connections true'],
  ['is away under another name', '3D000', 'rename to', 'rename to'],
] as const

for (const [what, expected, refuse, admit] of REFUSALS)
  test(`a database that ${what} for a time is answered as unavailable`, { skip: noPostgres }, async t => {
    const host = await testHost(t, { engine: 'postgres', only: ['items'] })
    const url = new URL(host.database.url!)
    const name = url.pathname.slice(1)
    url.pathname = '/postgres'
    const server = new Client({ connectionString: url.href })
    await server.connect()
    t.after(() => server.end())
    const renames = refuse === 'rename to'
    const away = renames ? `${name}_away` : name
    const endConnections = async () =>
      void (await server.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = any($1)', [
        [name, away],
      ]))
    // A connection that comes between the two statements would keep its database from being renamed.
    await eventually(async () => {
      await endConnections()
      await server.query(`alter database ${name} ${refuse} ${renames ? away : ''}`)
    })
    await endConnections()

    const refused = await new Client({ connectionString: host.database.url! })
      .connect()
      .catch((error: unknown) => error)
    assert.equal((refused as { code?: unknown }).code, expected)
    for (let n = 0; n < 3; n++) {
      for (const [tool, args] of [
        ['tasks_list', {}],
        ['items_create', { project_key: 'INBOX', title: 'Buy milk' }],
      ] as const) {
        const { statusCode, payload } = await host.app.inject({
          method: 'POST',
          url: '/mcp',
          headers: { ...legacyHeaders('2025-11-25'), authorization: `Bearer ${host.token}` },
          payload: rpc('tools/call', { name: tool, arguments: args }),
        })
        // 503 if the database is asked for the token.
        assert.ok(statusCode === 503 || statusCode === 200, `${statusCode} ${payload}`)
        assert.match(payload, /"code":"unavailable"/)
        assert.match(payload, /"retryable":true/)
      }
    }
    assert.equal((await host.app.inject({ url: '/readyz' })).statusCode, 503)

    await server.query(`alter database ${away} ${admit} ${renames ? name : ''}`)
    await eventually(async () => {
      await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk' })
    })
    assert.equal((await host.app.inject({ url: '/readyz' })).statusCode, 200)
  })
