import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { testHost, ToolFailure, type TestCaller, type TestHost } from 'tasuki/testing'
import { hashToken, mintToken, randomText, TOKEN_PATTERN } from '../../core/identity/token.ts'
import { listTokensOf } from '../../core/identity/token.repository.ts'
import { issueToken, revokeToken } from '../../core/identity/tokens.ts'
import { writeTokenUses } from '../../core/identity/token-uses.ts'
import { disableUser, enableUser } from '../../core/identity/users.ts'
import { makeCaller } from '../../core/testing/caller.ts'
import { forEachEngine, noPostgres } from '../engines.ts'
import { verifies } from '../verifies.ts'
import { suiteScope } from './suite-scope.ts'

describe('token values', () => {
  verifies('auth.token_prefix', 'begin with svc_pat_ and are unique', () => {
    const made = new Set(Array.from({ length: 500 }, mintToken))
    assert.equal(made.size, 500)
    for (const token of made) assert.match(token, /^svc_pat_[0-9A-Za-z]{38}$/)
    assert.ok(
      [...made].every(token => TOKEN_PATTERN.test(token)),
      'and could be given as BOOTSTRAP_TOKEN',
    )
  })

  test('use every letter and digit alike', () => {
    const counts = new Map<string, number>()
    for (const letter of randomText(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    assert.equal(counts.size, 62)
    for (const [letter, count] of counts) assert.ok(count > 800 && count < 1200, `${letter} came ${count} times`)
  })

  test('have distinct hashes', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => (hashToken(a) === hashToken(b)) === (a === b)))
    assert.match(hashToken('x'), /^[\w-]{43}$/)
  })
})

/** Counts the credential look-ups of this process while work runs. */
async function lookUps(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const note = (message: unknown): void => {
    if ((message as { sql: string }).sql.includes('from core.tokens t join')) count++
  }
  subscribe('tasuki.statement', note)
  try {
    await work()
  } finally {
    unsubscribe('tasuki.statement', note)
  }
  return count
}

const status = async (caller: TestCaller): Promise<number> => (await caller.rpc('tools/list')).status

forEachEngine('tokens', engine => {
  const scope = suiteScope()
  let now = new Date('2026-11-20T12:00:00Z')
  let host: TestHost

  before(async () => {
    host = await testHost(scope, { engine, now: () => now })
  })
  const issue = async (args: object): Promise<TestCaller & { id: string }> => {
    const { text = '' } = await host.command('token create', { scope: 'write', user: 'owner@example.com', ...args })
    const [value = ''] = text.split('\n')
    const id = /revoke (\S+)/.exec(text)?.[1] ?? ''
    return { ...makeCaller(host.app, host.userId, value), id }
  }
  const listed = async (name: string): Promise<Record<string, unknown>> => {
    const { rows = [] } = await host.command('token list', { user: 'owner@example.com' })
    return rows.find(row => row['name'] === name) as Record<string, unknown>
  }

  verifies('auth.bearer_pat', 'are issued, listed with their last use, and revoked', async () => {
    const caller = await issue({ name: 'laptop' })
    assert.deepEqual(await listed('laptop'), {
      id: caller.id,
      user: 'owner@example.com',
      name: 'laptop',
      scope: 'write',
      hint: `…${caller.token.slice(-4)}`,
      created_at: '2026-11-20T12:00:00.000Z',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    })
    now = new Date('2026-11-20T12:05:00Z')
    assert.equal(await status(caller), 200)
    await writeTokenUses(host.authenticator, host.database)
    assert.equal((await listed('laptop'))['last_used_at'], '2026-11-20T12:05:00.000Z')

    const { text } = await host.command('token revoke', { id: caller.id.toUpperCase() })
    assert.match(text ?? '', /Revoked "laptop"/)
    assert.equal(await status(caller), 401)
    assert.equal((await listed('laptop'))['revoked_at'], '2026-11-20T12:05:00.000Z')
  })

  test('can be restricted to their owner by a plugin', async () => {
    const owner = await host.user('tokens-owner@example.com')
    const other = await host.user('tokens-other@example.com')
    const projects = ['0198b000-0000-7000-8000-000000000001']
    const issued = await host.write(ctx =>
      issueToken(ctx, { userId: owner.userId, name: 'laptop', scope: 'read', projects, expiresAt: now }),
    )
    const seen = () => host.write(ctx => listTokensOf(ctx, owner.userId))
    const { createdAt, ...laptop } = (await seen()).find(({ id }) => id === issued.id)!
    assert.equal(createdAt, now.toISOString())
    assert.deepEqual(laptop, {
      id: issued.id,
      name: 'laptop',
      scope: 'read',
      hint: issued.value.slice(-4),
      projects,
      expiresAt: now.toISOString(),
      lastUsedAt: null,
    })
    assert.ok((await host.write(ctx => listTokensOf(ctx, other.userId))).every(({ id }) => id !== issued.id))
    await assert.rejects(
      host.write(ctx => revokeToken(ctx, issued.id, other.userId)),
      { code: 'not_found' },
    )
    await host.write(ctx => revokeToken(ctx, issued.id, owner.userId))
    assert.deepEqual(
      (await seen()).map(({ name }) => name),
      ['token of tokens-owner@example.com'],
    )
  })

  test('that are unknown or already revoked cannot be revoked', async () => {
    const { id } = await issue({ name: 'gone' })
    await host.command('token revoke', { id })
    for (const unknown of [id, '0198b000-0000-7000-8000-00000000ffff', '-'.repeat(36)]) {
      await assert.rejects(host.command('token revoke', { id: unknown }), {
        code: 'not_found',
        message: new RegExp(unknown),
      })
    }
  })

  test('of one user are listed, newest first', async () => {
    await host.user('List@example.com')
    const { rows = [] } = await host.command('token list', { user: 'LIST@example.com' })
    assert.deepEqual(
      rows.map(row => row['user']),
      ['list@example.com'],
    )
    const all = await host.command('token list')
    const created = (all.rows ?? []).map(row => String(row['created_at']))
    assert.deepEqual(created, created.toSorted().toReversed())
  })

  verifies('auth.invalid', 'expire on time, also while cached', async () => {
    const caller = await issue({ name: 'week', expires_in_days: 7 })
    assert.equal(await status(caller), 200)
    const began = now
    now = new Date(began.getTime() + 7 * 86_400_000 - 1)
    assert.equal(await status(caller), 200)
    now = new Date(began.getTime() + 7 * 86_400_000)
    assert.equal(await lookUps(async () => assert.equal(await status(caller), 401)), 0, 'known to be over')
    now = began
  })

  verifies('auth.invalid', 'that were never issued are refused', async () => {
    const { token } = await issue({ name: 'near' })
    for (const wrong of [
      mintToken(),
      token.slice(0, -1),
      `${token}x`,
      token.toUpperCase(),
      hashToken(token),
      "' or 1=1 --",
    ])
      assert.equal(await status(makeCaller(host.app, host.userId, wrong)), 401, wrong)
  })

  verifies('auth.token_once', 'are not stored in the database', async () => {
    const caller = await issue({ name: 'secret' })
    await host.call('items_create', { project_key: 'INBOX', title: 'findable' })
    assert.equal(await status(caller), 200)
    await writeTokenUses(host.authenticator, host.database)
    const tables = await host.sql<{ name: string }>`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`
    const texts = await Promise.all(
      tables.map(async ({ name }) =>
        (await host.database.write.executeQuery<{ row: string }>(raw(`select t::text as row from ${name} t`))).rows.map(
          ({ row }) => row,
        ),
      ),
    )
    const all = texts.flat().join('\n')
    assert.ok(all.includes('findable') && all.includes(hashToken(caller.token)), 'the search finds existing rows')
    for (const part of [caller.token, caller.token.slice(0, 20), caller.token.slice(8, 30)])
      assert.ok(!all.includes(part))
  })

  verifies(
    ['auth.scope_read', 'auth.scope_write', 'auth.unlisted'],
    'with scope read see reading tools, with scope write all',
    async () => {
      const reader = await issue({ name: 'reader', scope: 'read' })
      const classes = (tools: Awaited<ReturnType<TestCaller['listTools']>>) =>
        new Set(tools.map(tool => (tool['annotations'] as { readOnlyHint: boolean }).readOnlyHint))
      assert.deepEqual(classes(await reader.listTools()), new Set([true]))
      assert.deepEqual(classes(await host.listTools()), new Set([true, false]))
      assert.ok(await reader.call('tasks_list'))
      await assert.rejects(reader.call('items_create', { project_key: 'INBOX', title: 'x' }), /insufficient_scope|403/)
    },
  )

  test('act as agents unless issued for a person', async () => {
    const kinds = await Promise.all(
      [await issue({ name: 'agent' }), await issue({ name: 'person', human: true })].map(
        async ({ token }) => (await host.authenticator.authenticate(token))?.actor.kind,
      ),
    )
    assert.deepEqual(kinds, ['agent', 'human'])
  })

  test('are looked up once and then cached, also under parallel calls', async () => {
    const caller = await issue({ name: 'busy' })
    assert.equal(await lookUps(() => Promise.all(Array.from({ length: 20 }, () => status(caller)))), 1)
    assert.equal(await lookUps(() => status(caller)), 0)
    const before = now
    now = new Date(before.getTime() + 11_000)
    assert.equal(await lookUps(() => status(caller)), 1, 'and again after ten seconds')
    now = before
  })

  test('of a disabled user are refused at once, until the user is enabled again', async () => {
    const bob = await host.user('bob@example.com')
    assert.equal(await status(bob), 200)
    await host.write(ctx => disableUser(ctx, 'Bob@example.com'))
    assert.equal(await status(bob), 401)
    assert.equal(await status(host), 200, 'others stay')
    await host.write(ctx => enableUser(ctx, 'bob@example.com'))
    assert.equal(await status(bob), 200)
  })

  test('limited to projects show nothing of any other', async () => {
    const secret = 'Zanzibar'
    for (const key of ['OPEN', 'SHUT']) {
      await host.command('project create', { key, name: key === 'SHUT' ? secret : 'Open', user: 'owner@example.com' })
      await host.call('items_create', {
        project_key: key,
        title: key === 'SHUT' ? `${secret} trip` : 'Open trip',
        labels: [key === 'SHUT' ? secret : 'open'],
      })
      await host.call('project_areas_create', { project_key: key, name: key === 'SHUT' ? secret : 'Open' })
    }
    const [{ id, items }] = (await host.sql<{ id: string; items: number }>`
      select p.id, (select i.number from items.items i where i.project_id = p.id limit 1) as items from projects.projects p where p.key = 'OPEN' and p.owner_id = ${host.userId}`) as [
      { id: string; items: number },
    ]
    const limited = await host.credential({ projects: [id] })
    const shown = JSON.stringify(
      await Promise.all([
        limited.call('projects_list', { include_archived: true }),
        limited.call('tasks_list', { include_total: true, limit: 100 }),
        limited.call('items_facet', { facet_by: 'project' }),
        limited.call('items_grep', { pattern: 'trip' }),
        limited.call('me_overview', {}),
        limited.call('activities_list', { item_ref: `OPEN#${items}` }),
        limited.call('project_labels_list', { project_key: 'OPEN' }),
        limited.call('project_areas_list', { project_key: 'OPEN' }),
      ]),
    )
    assert.ok(shown.includes('Open trip'))
    assert.ok(!shown.includes(secret) && !shown.includes('SHUT') && !shown.includes('INBOX'), shown)
    assert.equal((await limited.call('tasks_list', { include_total: true })).total, 1)

    const [{ number }] =
      (await host.sql`select i.number from items.items i join projects.projects p on p.owner_id = i.owner_id and p.id = i.project_id where p.key = 'SHUT'`) as [
        { number: number },
      ]
    const refused: [string, object][] = [
      ['items_get', { item_ref: `SHUT#${number}` }],
      ['items_get', { item_ref: `#${number}` }],
      ['items_patch', { item_ref: `SHUT#${number}`, title: 'x' }],
      ['items_complete', { item_ref: `#${number}` }],
      ['activities_list', { item_ref: `#${number}` }],
      ['items_create', { project_key: 'SHUT', title: 'x' }],
      ['items_create', { project_key: 'INBOX', title: 'x' }],
      ['project_labels_list', { project_key: 'SHUT' }],
      ['project_areas_create', { project_key: 'SHUT', name: 'x' }],
      ['tasks_list', { project_key: 'SHUT' }],
    ]
    for (const [tool, args] of refused) {
      const error: unknown = await limited.call(tool, args).catch((thrown: unknown) => thrown)
      assert.ok(
        error instanceof ToolFailure && error.code === 'not_found',
        `${tool} ${JSON.stringify(args)}: ${String(error)}`,
      )
      assert.ok(!JSON.stringify([error.message, error.hint, error.allowed, error.details]).includes(secret), tool)
    }
    const nothing = await host.credential({ projects: [] })
    assert.deepEqual((await nothing.call('tasks_list')).items, [])
    assert.deepEqual((await nothing.call('projects_list')).projects, [])
  })
})

describe('tokens on two instances', { skip: noPostgres }, () => {
  const scope = suiteScope()
  const messages: string[] = []
  let first: TestHost, second: TestHost

  before(async () => {
    first = await testHost(scope, { engine: 'postgres' })
    const stream = { write: (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg) }
    second = await testHost(scope, { database: first.databaseOptions, logger: { level: 'warn', stream } })
  })
  /** Makes a token of the first instance that the second instance has cached. */
  const remembered = async (): Promise<TestCaller & { tokenId: string }> => {
    const { token, tokenId } = await first.credential({})
    const caller = makeCaller(second.app, first.userId, token)
    assert.equal(await status(caller), 200)
    assert.equal(await lookUps(() => status(caller)), 0)
    return { ...caller, tokenId }
  }
  const eventually = async (check: () => Promise<boolean> | boolean, what: string, within = 15_000): Promise<void> => {
    for (const deadline = Date.now() + within; !(await check()); await sleep(20))
      assert.ok(Date.now() < deadline, `${what}: not within ${within} ms`)
  }

  test('revoked on one instance are refused on the other within a moment', async () => {
    const caller = await remembered()
    await first.command('token revoke', { id: caller.tokenId })
    await eventually(async () => (await status(caller)) === 401, 'refused', 1000)
  })

  test('follow other changes of the user', async () => {
    const caller = await remembered()
    await first.write(async ctx => ctx.claimsChanged([first.userId]))
    await eventually(async () => (await lookUps(() => status(caller))) === 1, 'looked up again', 1000)
    const again = await remembered()
    await first.write(async ctx => ctx.claimsChanged(Array.from({ length: 500 }, (_, n) => `user ${n}`)))
    await eventually(async () => (await lookUps(() => status(again))) === 1, 'a message about everybody', 1000)
  })

  test('are not cached while messages cannot be received, and are again afterwards', async () => {
    const caller = await remembered()
    await first.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tasuki listener'`
    await eventually(() => messages.some(message => /lost the connection that listens/.test(message)), 'noticed')
    // Revoked directly in the database, without a notification to the service.
    await first.sql`update core.tokens set revoked_at = now() where id = ${caller.tokenId}`
    assert.equal(await status(caller), 401)

    const { token } = await first.credential({})
    const other = makeCaller(second.app, first.userId, token)
    assert.equal(await lookUps(async () => void (await status(other), await status(other))), 2, 'asked each time')
    await eventually(async () => (await lookUps(() => status(other))) === 0, 'remembered again')
    await first.command('token revoke', { id: (await remembered()).tokenId })
  })
})

function raw(sql: string) {
  return { sql, parameters: [], query: { kind: 'RawNode' }, queryId: { queryId: 'test' } } as never
}
