import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { readEnvironment } from '../../core/host/config/environment.ts'
import { firstStart } from '../../core/host/first-start.ts'
import type { Host } from '../../core/host/host.ts'
import { makeCaller } from '../../core/testing/caller.ts'
import { forEachEngine } from '../engines.ts'
import { WITHOUT_PORTAL } from '../fixtures/plugins/sign-in.ts'
import { verifies } from '../verifies.ts'
import { bareDatabase, bareHost } from './bare-host.ts'
import { suiteScope } from './suite-scope.ts'

const TOKEN = `svc_pat_${'Boot0Strap'.repeat(4)}`

interface Found {
  readonly email: string
  readonly tokens: number
  readonly inboxes: number
}
async function users(host: Host): Promise<readonly Found[]> {
  const { rows } = await sql<Found>`
    select u.email, (select count(*)::int from core.tokens t where t.user_id = u.id) as tokens,
      (select count(*)::int from projects.projects p where p.owner_id = u.id and p.is_inbox) as inboxes
    from core.users u order by u.email
  `.execute(host.database.write)
  return rows
}
async function isWriteToken(host: Host, token: string): Promise<boolean> {
  const { item } = await makeCaller(host.app, '', token).call('items_create', { project_key: 'INBOX', title: 'first' })
  return item.title === 'first'
}

forEachEngine('a first start', engine => {
  const scope = suiteScope()
  const warnings: string[] = []
  let host: Host
  before(async () => {
    const stream = { write: (line: string) => void warnings.push((JSON.parse(line) as { msg: string }).msg) }
    host = await bareHost(scope, await bareDatabase(scope, engine), {
      logger: { level: 'warn', stream },
      config: WITHOUT_PORTAL,
    })
  })
  beforeEach(async () => {
    await sql`delete from core.users`.execute(host.database.write)
    host.authenticator.forget()
  })
  const start = (variables: NodeJS.ProcessEnv) => firstStart(host, readEnvironment(variables))

  verifies(
    'auth.bootstrap',
    'with BOOTSTRAP_EMAIL and BOOTSTRAP_TOKEN creates the owner and that token, once',
    async () => {
      const first = await start({
        HOST: '0.0.0.0',
        BOOTSTRAP_EMAIL: 'Ann@Example.com',
        BOOTSTRAP_TOKEN: TOKEN,
      })
      assert.deepEqual(first, { email: 'ann@example.com', token: null, notes: [] })
      assert.deepEqual(await users(host), [{ email: 'ann@example.com', tokens: 1, inboxes: 1 }])
      assert.ok(await isWriteToken(host, TOKEN))
      const again = readEnvironment({ BOOTSTRAP_EMAIL: 'eve@example.com', BOOTSTRAP_TOKEN: `${TOKEN}x` })
      assert.equal(await firstStart(host, again), null)
      assert.equal((await users(host)).length, 1)
      assert.equal((await makeCaller(host.app, '', `${TOKEN}x`).rpc('tools/list')).status, 401)
    },
  )

  test('with neither variable shows one write token on a loopback address', async () => {
    const first = await start({})
    assert.equal(first?.email, 'owner@localhost')
    assert.ok(first.token !== null && (await isWriteToken(host, first.token)))
    assert.deepEqual(await users(host), [{ email: 'owner@localhost', tokens: 1, inboxes: 1 }])
    assert.equal(await firstStart(host, readEnvironment({})), null)
    assert.deepEqual(await users(host), [{ email: 'owner@localhost', tokens: 1, inboxes: 1 }])
  })

  test('asks the owner for an address, unless the environment has one', async () => {
    await start({})
    await sql`delete from core.users`.execute(host.database.write)
    const asked: string[] = []
    const ask = async () => {
      asked.push('asked')
      return 'ann@example.com'
    }
    const bootstrapped = await firstStart(host, readEnvironment({ BOOTSTRAP_EMAIL: 'ben@example.com' }), ask)
    assert.deepEqual([bootstrapped?.email, asked], ['ben@example.com', []])
    await sql`delete from core.users`.execute(host.database.write)
    const first = await firstStart(host, readEnvironment({}), ask)
    assert.deepEqual([first?.email, asked], ['ann@example.com', ['asked']])
    assert.equal(await firstStart(host, readEnvironment({}), ask), null)
    assert.deepEqual(asked, ['asked'])
  })

  test('with neither variable on another address creates no user and gives the next step', async () => {
    const first = await start({ HOST: '0.0.0.0' })
    assert.equal(first, null)
    assert.deepEqual(await users(host), [])
    assert.match(warnings.join(), /no user yet.*tasuki user create.*BOOTSTRAP_EMAIL/)
  })

  test('with only BOOTSTRAP_EMAIL shows a token on loopback only', async () => {
    const open = await start({ HOST: '0.0.0.0', BOOTSTRAP_EMAIL: 'ann@example.com' })
    assert.deepEqual(open, { email: 'ann@example.com', token: null, notes: [] })
    assert.deepEqual(await users(host), [{ email: 'ann@example.com', tokens: 0, inboxes: 1 }])
    await sql`delete from core.users`.execute(host.database.write)
    const local = await start({ HOST: '::1', BOOTSTRAP_EMAIL: 'ann@example.com' })
    assert.ok(local?.token && (await isWriteToken(host, local.token)))
  })

  test('with only BOOTSTRAP_TOKEN creates a local owner with this token', async () => {
    const first = await start({ BOOTSTRAP_TOKEN: TOKEN })
    assert.deepEqual(first, { email: 'owner@localhost', token: null, notes: [] })
    assert.ok(await isWriteToken(host, TOKEN))
  })

  if (engine === 'postgres') {
    test('of two instances at once creates one owner', async () => {
      const database = await bareDatabase(scope, engine, { empty: true })
      const results = await Promise.all(
        [0, 1].map(async () => {
          const host = await bareHost(scope, database)
          return { host, first: await firstStart(host, readEnvironment({})) }
        }),
      )
      const shown = results.flatMap(({ first }) => first ?? [])
      assert.equal(shown.length, 1)
      const { host } = results[0]!
      assert.deepEqual(await users(host), [{ email: 'owner@localhost', tokens: 1, inboxes: 1 }])
      assert.ok(await isWriteToken(host, shown[0]!.token!))
    })
  }
})
