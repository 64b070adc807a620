import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { testHost, ToolFailure } from 'tasuki/testing'
import { noPostgres } from '../engines.ts'
import { eventually } from '../eventually.ts'
import { inProcess } from './in-process.ts'

test('a database that takes no writes is named, and writes can be sent again', { skip: noPostgres }, async t => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'tasuki-read-only-'))
  t.after(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const notStored: string[] = []
  const stream = { write: (line: string) => void (/calls could not be stored"/.test(line) && notStored.push(line)) }
  const host = await testHost(t, { engine: 'postgres', logger: { level: 'warn', stream } })
  const DATABASE_URL = host.database.url!
  const client = new Client({ connectionString: DATABASE_URL })
  await client.connect()
  const name = new URL(DATABASE_URL).pathname.slice(1)
  await client.query(`alter database ${name} set default_transaction_read_only = on`)
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
  // The first requests may still meet a connection that the server has ended.
  while (
    await host.call('projects_list').then(
      () => false,
      () => true,
    )
  )
    continue
  for (let n = 0; n < 12; n++) {
    const failure = await host
      .call('items_create', { project_key: 'INBOX', title: `Task ${n}` })
      .catch((error: unknown) => error)
    assert.ok(failure instanceof ToolFailure, String(failure))
    assert.deepEqual([failure.code, failure.retryable], ['unavailable', true])
    // As once a second in the hours of an outage.
    await host.calls.flush()
  }
  assert.ok(notStored.length > 0 && notStored.length < 6, notStored.join(''))
  const file = join(DATA_DIR, 'standby.tar.gz')
  for (const command of [
    ['backup', file],
    ['user', 'export', 'owner@example.com', join(DATA_DIR, 'user.tar.gz')],
  ]) {
    const { code, stdout, stderr } = await inProcess(command, { DATA_DIR, DATABASE_URL })
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^Wrote [1-9].*\n.*audit log does not have this: the database takes no writes/m)
  }
  assert.ok(statSync(file).size > 1000)
  for (const command of [['doctor'], ['migrate']]) {
    const { code, stdout, stderr } = await inProcess(command, { DATA_DIR, DATABASE_URL })
    assert.equal(code, 1)
    assert.match(stdout + stderr, /the database of DATABASE_URL takes no writes: name the primary/)
  }
  // Connections that saw it read-only are not kept.
  const again = new Client({ connectionString: DATABASE_URL, options: '-c default_transaction_read_only=off' })
  await again.connect()
  await again.query(`alter database ${name} reset default_transaction_read_only`)
  await again.end()
  await eventually(async () => void (await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk' })))
})
