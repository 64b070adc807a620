import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { defineAuditAction, definePlugin, defineTool, ToolError, Type } from 'tasuki/plugin'
import type { AuditEntry, AuditFilter, Db, HostServices, Tables } from 'tasuki/plugin'
import type { TestCaller } from 'tasuki/testing'
import { maintenanceJobs } from '../../core/host/maintenance.ts'
import { networkOf } from '../../core/plugin/network.ts'
import { createBursts, MAX_PLACES, SINGLE_ENTRIES } from '../../core/runtime/audit/bursts.ts'
import { createAuditTrail } from '../../core/runtime/audit/trail.ts'
import { forEachEngine } from '../engines.ts'
import { emptiedHost } from '../shared-host.ts'
import { recordFigures } from '../trust/figures.ts'

const lent = defineAuditAction({ name: 'book.lent', title: { en: 'Book lent' } })
const unknown = defineAuditAction({ name: 'book.lost', title: { en: 'Book lost' } })
let services: HostServices | undefined

const lend = defineTool({
  name: 'shelf_lend',
  class: 'W',
  title: 'Lend',
  summary: 'Lends a book.',
  input: Type.Object(
    {
      title: Type.String({ description: 'Title.' }),
      fail: Type.Optional(Type.Boolean({ description: 'Fails at the end.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({}),
  async run(ctx, { title, fail = false }) {
    ctx.audit({ action: lent, target: { kind: 'book', id: '7', name: title }, details: { days: 14 } })
    if (fail) throw new ToolError('conflict', 'It is lent already.')
    return {}
  },
})
const shelf = definePlugin({
  name: 'shelf',
  version: '0.1.0',
  api: 1,
  group: 'shelf',
  tools: [lend],
  auditActions: [lent],
  routes: (_app, given) => void (services = given),
})

forEachEngine('the audit trail', engine => {
  // The number of entries must be bounded even without a rate limit.
  const fresh = emptiedHost(engine, { plugins: [shelf], config: { limits: { wrong_tokens_per_minute: 0 } } })
  const entriesOf = (caller: Pick<TestCaller, 'userId'>, filter: Partial<AuditFilter> = {}) =>
    services!.read({ userId: caller.userId, name: 'test', requestId: 'r' }, ctx =>
      services!.audit.list(ctx, { limit: 5000, ...filter }),
    )

  test('an entry of a plugin belongs to the write, and has actor, credential and address', async () => {
    const host = await fresh()
    const options = {
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'shelf_lend' },
      meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'reader', version: '1.2.3' },
      },
    }
    await host.call('shelf_lend', { title: 'Emma' }, options)
    await assert.rejects(host.call('shelf_lend', { title: 'Persuasion', fail: true }), { code: 'conflict' })
    const entries = await entriesOf(host, { action: 'book.lent' })
    assert.equal(entries.length, 1)
    const { id, at, request_id: request, credential_id: credential, ...entry } = entries[0]!
    assert.match(at, /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.ok(id && request && credential)
    assert.deepEqual(entry, {
      action: 'book.lent',
      outcome: 'ok',
      user: 'owner@example.com',
      actor: 'owner@example.com',
      actor_kind: 'agent',
      credential: 'token of owner@example.com',
      client: 'reader',
      client_version: '1.2.3',
      address: '127.0.0.1',
      target_kind: 'book',
      target_id: '7',
      target: 'Emma',
      times: 1,
      details: { days: 14 },
    } satisfies Omit<AuditEntry, 'id' | 'at' | 'request_id' | 'credential_id'>)
  })

  test('an undeclared action is an internal error', async () => {
    const host = await fresh()
    await assert.rejects(
      host.write(async ctx => ctx.audit({ action: unknown })),
      /no action book\.lost/,
    )
  })

  test('only administrators read entries of others', async () => {
    const host = await fresh()
    const bob = await host.user('bob@example.com')
    await bob.call('shelf_lend', { title: 'Emma' })
    await assert.rejects(entriesOf(bob), { code: 'forbidden' })
    await assert.rejects(entriesOf(bob, { userId: host.userId }), { code: 'forbidden' })
    const own = await entriesOf(bob, { userId: bob.userId })
    assert.deepEqual(
      own.map(({ action, user }) => `${action} ${user}`),
      ['book.lent bob@example.com', 'token.issued bob@example.com', 'user.created bob@example.com'],
    )
    // The first user of a deployment is its administrator.
    const all = await entriesOf(host)
    assert.ok(
      all.some(({ user }) => user === 'bob@example.com') && all.some(({ user }) => user === 'owner@example.com'),
    )
    await assert.rejects(host.command('user admin', { email: 'owner@example.com', off: true }), { code: 'conflict' })
    await host.command('user admin', { email: 'bob@example.com' })
    await host.command('user admin', { email: 'owner@example.com', off: true })
    await assert.rejects(entriesOf(host), { code: 'forbidden' })
    assert.equal((await entriesOf(bob, { action: 'user.administrator_changed' })).length, 2)
  })

  test('entries cannot be changed or removed', async () => {
    const host = await fresh()
    const refused = /append-only/
    const run = (text: string) => sql.raw(text).execute(host.database.write)
    await assert.rejects(run(`update core.audit set target = 'other'`), refused)
    await assert.rejects(run('delete from core.audit'), refused)
    await assert.rejects(run('truncate core.audit'), refused)
    await assert.rejects(
      host.write(async ctx => {
        await sql`select set_config('tasuki.audit_retention', 'on', true)`.execute(ctx.db)
        await sql`delete from core.audit`.execute(ctx.db)
      }),
      refused,
    )
  })

  test('entries are deleted after the configured number of days', async () => {
    const host = await fresh()
    await host.sql`
      insert into core.audit (owner_id, id, at, action, outcome, details)
      select ${host.userId}, gen_random_uuid(), now() - n * interval '1 day', 'book.lent', 'ok', '{}' from generate_series(0, 400, 100) n`
    const job = maintenanceJobs(host.database, { audit: { keep_days: 365 } }, null).find(
      ({ name }) => name === 'core.audit_retention',
    )!
    await host.write(ctx => job.run(ctx, {}))
    assert.equal((await entriesOf(host, { action: 'book.lent' })).length, 4)
    await assert.rejects(sql`delete from core.audit where at < now() - interval '9 days'`.execute(host.database.write))
  })

  test('a flood of wrong tokens leaves a bounded number of entries, and never fails the answer', async () => {
    const host = await fresh()
    const send = (token: string) =>
      host.app.inject({ method: 'POST', url: '/mcp', headers: { authorization: `Bearer ${token}` } })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => send(`svc_pat_${n}`)))
    assert.ok(answers.every(({ statusCode }) => statusCode === 401))
    await host.audit.flush('all')
    const entries = await entriesOf(host, { action: 'credential.refused' })
    recordFigures('audit.flood', { 'wrong tokens': answers.length, entries: entries.length })
    assert.deepEqual(
      entries.map(({ times, user, address }) => ({ times, user, address })).toSorted((a, b) => b.times - a.times),
      [200 - SINGLE_ENTRIES, ...Array<number>(SINGLE_ENTRIES).fill(1)].map(times => ({
        times,
        user: null,
        address: '127.0.0.1',
      })),
    )
  })

  test('entries that are pending when a user is deleted are stored without identity', async () => {
    const host = await fresh()
    const bob = await host.user('bob@example.com')
    services!.audit.record({
      action: lent,
      actor: { userId: bob.userId, credentialLabel: 'laptop of Bob' },
      target: { kind: 'user', id: bob.userId, name: 'bob@example.com' },
      details: { to: 'bob@example.com' },
    })
    services!.audit.record({
      action: lent,
      actor: { userId: host.userId },
      target: { kind: 'book', id: '7', name: 'Emma' },
    })
    await host.command('user delete', { email: 'bob@example.com', yes: true })
    await host.audit.flush()
    const entries = await entriesOf(host, { action: 'book.lent' })
    assert.deepEqual(
      entries
        .map(({ target, credential, details }) => ({ target, credential, details }))
        .toSorted((a, b) => (String(a.target) < String(b.target) ? -1 : 1)),
      [
        { target: 'Emma', credential: null, details: {} },
        { target: null, credential: null, details: {} },
      ],
    )
  })

  test('entries wait while the database does not answer', async t => {
    const host = await fresh()
    // Nothing listens on this port.
    const silent = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new Pool({ host: '127.0.0.1', port: 1 }) }),
    })
    t.after(() => silent.destroy())
    let write: Db = silent
    const trail = createAuditTrail({
      database: {
        get write() {
          return write
        },
      },
      actions: new Map([[lent.name, lent]]),
      findOwner: async () => undefined,
      log: host.app.log,
      now: () => new Date(),
    })
    trail.record({ action: lent, actor: { userId: host.userId } })
    await trail.flush()
    write = host.database.write
    await trail.stop()
    assert.equal((await entriesOf(host, { action: 'book.lent' })).length, 1)
  })

  test('a refused revoked token is recorded with its owner', async () => {
    const host = await fresh()
    const { token, tokenId, rpc } = await host.credential({})
    await host.command('token revoke', { id: tokenId })
    assert.equal((await rpc('tools/list')).status, 401)
    await host.audit.flush()
    const [entry] = await entriesOf(host, { action: 'credential.refused' })
    assert.equal(entry!.user, 'owner@example.com')
    assert.equal(entry!.credential_id, tokenId)
    assert.ok(!JSON.stringify(entry).includes(token))
  })

  test('the command line prints it as a table, JSON lines and CSV', async () => {
    const host = await fresh()
    await host.call('shelf_lend', { title: '=1+1, "x"' })
    const print = async (args: object) => (await host.command('audit', { limit: 10, ...args })).text!
    const lines = (await print({ format: 'json', user: 'owner@example.com', since: '1h' })).split('\n')
    assert.equal(JSON.parse(lines[0]!).target, '=1+1, "x"')
    const csv = await print({ format: 'csv', action: 'book.lent' })
    assert.match(csv, /^at,user,actor,.*\r\n.*,"'=1\+1, ""x""",/)
    const { rows } = await host.command('audit', { limit: 1, format: 'table' })
    assert.equal(rows!.length, 1)
    await assert.rejects(print({ since: 'yesterday' }), {
      code: 'invalid_argument',
      message: '"yesterday" is no instant.',
    })
  })

  test('the command line names the nearest actions for an unknown one, and prints nothing for one without entries', async () => {
    const host = await fresh()
    const ask = (action: string) => host.command('audit', { limit: 10, format: 'table', action })
    await assert.rejects(ask('book.lend'), (error: ToolError) => {
      assert.equal(error.code, 'invalid_argument')
      assert.equal(error.help.field, 'action')
      assert.equal(error.help.allowed![0], 'book.lent')
      assert.match(error.help.hint!, /^These are the nearest of \d+;/)
      return true
    })
    await assert.rejects(ask('nope'), { message: 'There is no action "nope".' })
    assert.deepEqual((await ask('book.lent')).rows, [])
  })
})

test('bursts are counted per network, up to a number of networks', () => {
  const bursts = createBursts<number>(() => new Date(0))
  const taken = Array.from({ length: MAX_PLACES * 10 }, (_, n) => bursts.take('wrong', `10.0.${n >> 8}.${n & 255}`, n))
  assert.equal(taken.filter(Boolean).length, MAX_PLACES + SINGLE_ENTRIES)
  assert.deepEqual(bursts.close('all'), [{ entry: MAX_PLACES * 10 - 1, times: MAX_PLACES * 9 - SINGLE_ENTRIES }])
})

test('an IPv6 address counts by its network', () => {
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64')
  assert.equal(networkOf('2001:db8::ffff:2'), '2001:db8:0:0::/64')
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
})
