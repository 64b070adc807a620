import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { userCreated, definePlugin } from 'tasuki/plugin'
import { testHost, ToolFailure, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../engines.ts'
import { diaryPlugin, type DiaryTrace } from '../fixtures/plugins/diary.ts'
import { verifies } from '../verifies.ts'
import { suiteScope } from './suite-scope.ts'

interface LogLine {
  readonly level: number
  readonly msg?: string
  readonly reqId?: string
  readonly err?: { readonly message: string }
}

forEachEngine('contexts', engine => {
  const trace: DiaryTrace = { ran: [], found: [] }
  const lines: LogLine[] = []
  const scope = suiteScope()
  let host: TestHost

  before(async () => {
    const stream = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) }
    host = await testHost(scope, { engine, plugins: [diaryPlugin(trace)], logger: { level: 'warn', stream } })
    Object.assign(trace, { outside: () => host.database.read })
  })
  beforeEach(async () => {
    lines.length = 0
    await host.sql`delete from diary.entries`
  })
  const texts = async (): Promise<string[]> =>
    (await host.sql<{ text: string }>`select text from diary.entries order by text`).map(row => row.text)
  const failure = async (call: Promise<unknown>): Promise<ToolFailure> => {
    const error: unknown = await call.then(
      () => assert.fail('it did not fail'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof ToolFailure, String(error))
    return error
  }

  if (engine === 'postgres') {
    verifies(
      'errors.internal_hidden',
      'PostgreSQL refuses writes of a reading tool; the error is logged and answered as internal',
      async () => {
        const error = await failure(host.call('diary_sneak'))
        assert.equal(error.code, 'internal')
        assert.doesNotMatch(error.message, /read-only/)
        const logged = lines.find(line => /read-only transaction/.test(line.err?.message ?? ''))
        assert.ok(logged, 'the log says why')
        assert.equal(logged.reqId, error.details['request_id'])
        assert.deepEqual(await texts(), [])
      },
    )

    test('PostgreSQL refuses writes of the entity manager of a reading tool', async () => {
      assert.equal((await failure(host.call('diary_look', { change: 'statement' }))).code, 'internal')
      assert.ok(lines.some(line => /read-only transaction/.test(line.err?.message ?? '')))
      assert.deepEqual(await texts(), [])
    })

    test('read connections refuse writes, write connections accept them', async () => {
      const {
        rows: [read],
      } = await host.database.read.executeQuery<{ mode: string }>(statement('show transaction_read_only'))
      assert.deepEqual(read, { transaction_read_only: 'on' })
      const {
        rows: [write],
      } = await host.database.write.executeQuery<{ mode: string }>(statement('show transaction_read_only'))
      assert.deepEqual(write, { transaction_read_only: 'off' })
    })
  }

  test('statements and entities of a writing tool are one transaction with one flush', async () => {
    const statements = await host.statements(async () => {
      const { ids } = await host.call('diary_add', { text: 'Monday' })
      assert.equal(ids.length, 3)
    })
    assert.deepEqual(await texts(), ['Monday, edited', 'Monday, first entity', 'Monday, second entity'])
    const kinds = statements.map(text =>
      text.replaceAll('"', '').trim().split(/\s+/).slice(0, 2).join(' ').toLowerCase(),
    )
    assert.deepEqual(kinds.filter(kind => kind === 'insert into').length, 2, 'one by hand, one for both entities')
    assert.equal(kinds.filter(kind => kind.startsWith('begin') || kind.startsWith('start')).length, 1)
    assert.equal(kinds.filter(kind => kind.startsWith('commit')).length, 1)
    assert.equal(kinds.filter(kind => kind.startsWith('savepoint')).length, 0)
  })

  test('the entity manager of a reading tool reads, once for all', async () => {
    await host.call('diary_add', { text: 'Monday' })
    const statements = await host.statements(async () => {
      const { ids } = await host.call('diary_look')
      assert.deepEqual(ids, ['the same manager', ...(await texts())])
      await host.call('diary_look', { change: 'flush' })
    })
    assert.deepEqual(
      statements.filter(text => /^\s*(begin|start|savepoint|commit)/i.test(text)),
      [],
    )
  })

  const changes = {
    edit: 'would update DiaryEntry',
    add: 'would create DiaryEntry',
    remove: 'would delete DiaryEntry',
    transaction: 'would begin a transaction',
  }
  for (const [change, what] of Object.entries(changes)) {
    test(`a reading tool whose entity manager ${what} fails, and the log says why`, async () => {
      await host.call('diary_add', { text: 'Monday' })
      const before = await texts()
      const error = await failure(host.call('diary_look', { change }))
      assert.equal(error.code, 'internal')
      const reasons = lines.map(line => line.err?.message ?? '')
      assert.ok(
        reasons.some(reason => reason.startsWith(`diary_look only reads, and its entity manager ${what}.`)),
        reasons.join('\n'),
      )
      assert.deepEqual(await texts(), before)
    })
  }

  verifies('errors.writes_nothing', 'a failed writing tool is rolled back, whatever the error', async () => {
    assert.equal((await failure(host.call('diary_add', { text: 'x', fail: 'refuse' }))).code, 'conflict')
    assert.equal(lines.length, 0, 'a refusal is no fault')
    for (const fail of ['throw', 'answer']) {
      const error = await failure(host.call('diary_add', { text: 'x', fail }))
      assert.equal(error.code, 'internal')
      assert.doesNotMatch(JSON.stringify([error.message, error.hint, error.details]), /secret|schema/)
      assert.ok(
        lines.some(line => line.level >= 50 && line.reqId === error.details['request_id']),
        'the log has it',
      )
    }
    assert.deepEqual(await texts(), [])
    await host.call('diary_add', { text: 'after that' })
    assert.equal((await texts()).length, 3, 'the connection is usable')
  })

  test('work after the commit sees the committed data; its failure is logged, not answered', async () => {
    trace.found.length = 0
    const { ids } = await host.call('diary_later', { text: 'Tuesday' })
    assert.equal(ids.length, 1)
    assert.deepEqual(trace.found, [1], 'another connection finds the row')
    assert.deepEqual(
      lines.map(line => line.err?.message),
      ['put off and failed'],
    )

    await failure(host.call('diary_later', { text: 'Wednesday', fail: 'throw' }))
    assert.deepEqual(trace.found, [1], 'nothing follows a rollback')
    assert.deepEqual(await texts(), ['Tuesday'])
  })

  test('calls at the same time do not mix', async () => {
    const calls = Array.from({ length: 12 }, async (_, n) =>
      host.call('diary_add', { text: `${n}`, ...(n % 3 === 0 && { fail: 'throw' }) }).catch(() => null),
    )
    const results = await Promise.all(calls)
    assert.equal(results.filter(Boolean).length, 8)
    assert.equal((await texts()).length, 24)
  })

  test('a change of many users is published in one message', async () => {
    const users = Array.from({ length: 1000 }, (_, n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`)
    await host.write(async ctx => ctx.claimsChanged(users))
    assert.ok(await host.listTools(), 'the caller is still known')
  })

  test('a user gets the data of every plugin, or is not created', async t => {
    const refuses = definePlugin({
      name: 'refuser',
      version: '1.0.0',
      api: 1,
      group: 'x',
      contributes: [userCreated(async (_ctx, users) => void (users[0]!.email.startsWith('bad') && assert.fail('no')))],
    })
    const other = await testHost(t, { engine, plugins: [refuses] })
    await assert.rejects(other.user('bad@example.com'))
    assert.deepEqual(await other.sql`select email from core.users where email like 'bad%'`, [])
    assert.deepEqual(await other.sql`select count(*)::int as n from projects.projects`, [{ n: 1 }])
    await other.user('good@example.com')
    assert.deepEqual(await other.sql`select count(*)::int as n from projects.projects where is_inbox`, [{ n: 2 }])
  })
})

function statement(sql: string) {
  return { sql, parameters: [], query: { kind: 'RawNode' }, queryId: { queryId: 'test' } } as never
}
