import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJob, definePlugin, Type } from 'tasuki/plugin'
import { testHost, ToolFailure, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../engines.ts'
import { eventually } from '../eventually.ts'
import { diaryPlugin, type DiaryTrace } from '../fixtures/plugins/diary.ts'
import { suiteScope } from './suite-scope.ts'

forEachEngine('jobs', engine => {
  const trace: DiaryTrace = { ran: [], found: [] }
  const ticks: Date[] = []
  const messages: string[] = []
  const scope = suiteScope()
  let hosts: TestHost[] = []
  let host: TestHost

  const tick = defineJob({
    name: 'clock.tick',
    schedule: '* * * * *',
    payload: Type.Object({}),
    run: async () => void ticks.push(new Date()),
  })
  const clock = definePlugin({ name: 'clock', version: '1.0.0', api: 1, group: 'x', jobs: [tick] })
  const plugins = [diaryPlugin(trace), clock]
  const stream = {
    write: (line: string) => void messages.push((JSON.parse(line) as { err?: { message: string } }).err?.message ?? ''),
  }

  before(async () => {
    host = await testHost(scope, { engine, plugins, logger: { level: 'error', stream } })
    hosts = [host]
    // Two instances that share a database; the embedded one belongs to one process.
    if (engine === 'postgres')
      hosts.push(await testHost(scope, { plugins, database: host.databaseOptions, logger: { level: 'error', stream } }))
    // Queued before a worker runs, as by a process that runs only one command.
    await host.call('diary_queue', { job: 'record', text: 'early' })
    await host.call('diary_queue', { job: 'record', text: 'keyed', key: 'k' })
    await host.call('diary_queue', { job: 'record', text: 'keyed', key: 'k' })
    await host.call('diary_queue', { job: 'record', text: 'keyed', key: 'other' })
    await host.call('diary_queue', { job: 'record', text: 'twice' })
    await host.call('diary_queue', { job: 'loose', text: 'x' })
    await Promise.all(hosts.map(each => each.queue.start(each.runner)))
  })
  const runs = (text: string): number => trace.ran.filter(ran => ran === text).length
  const texts = async (like: string): Promise<string[]> =>
    (await host.sql<{ text: string }>`select text from diary.entries where text like ${like} order by text`).map(
      row => row.text,
    )

  test('of a schedule run once each time, whatever the number of instances', async () => {
    await eventually(() => assert.ok(ticks.length > 0))
    // The next scheduled minute may begin during the wait.
    const minutes = new Set(ticks.map(at => at.toISOString().slice(0, 16)))
    assert.ok(ticks.length <= minutes.size + 1, `${ticks.length} runs in ${minutes.size} minutes`)
  })

  test('queued in a transaction run once when it is committed', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        hosts[n % hosts.length]!.call('diary_queue', { job: 'record', text: `number ${n}` }),
      ),
    )
    await host.call('diary_queue', { job: 'record', text: 'rolled back', fail: 'throw' }).catch(() => undefined)
    await eventually(async () => assert.equal((await texts('job number %')).length, 10))
    await eventually(() => assert.equal(runs('early'), 1))
    assert.deepEqual(
      [...new Set(trace.ran)].filter(text => text !== 'twice' && runs(text) > 1 && text !== 'keyed'),
      [],
    )
    assert.equal(runs('rolled back'), 0)
    const { length } = await host.sql`select from core_jobs.job where data->>'text' = 'rolled back'`
    assert.equal(length, 0, 'a rolled back transaction leaves no job')
  })

  test('with a key wait only once', async () => {
    await eventually(() => assert.equal(runs('keyed'), 2, 'one for k, one for other'))
  })

  test('that fail are logged, rolled back, and run again', async () => {
    await eventually(() => assert.equal(runs('twice'), 2))
    await eventually(async () => assert.deepEqual(await texts('job twice'), ['job twice']))
    assert.ok(messages.includes('the first run fails'))
  })

  test('without a transaction can run statements that refuse one, and can write, enqueue and defer', async () => {
    await eventually(async () => assert.deepEqual(await texts('% x'), ['job from x', 'loose entity x', 'loose x']))
    assert.equal(runs('after x'), 1)
  })

  test('with a start time wait for it', async () => {
    await host.call('diary_queue', { job: 'record', text: 'far', at: '2999-01-01T00:00:00Z' })
    const rows = await host.sql<{
      at: string
    }>`select start_after::text as at from core_jobs.job where data->>'text' = 'far'`
    assert.match(rows[0]!.at, /^2999-01-01/)
    assert.equal(runs('far'), 0)
  })

  test('without a worker, or with an invalid payload, are refused at once', async () => {
    const refused = async (args: object, message: RegExp) => {
      const error: unknown = await host.call('diary_queue', args).catch((thrown: unknown) => thrown)
      assert.ok(error instanceof ToolFailure && error.code === 'internal')
      assert.match(messages.at(-1)!, message)
    }
    await refused({ job: 'unlisted', text: 'x' }, /diary\.unlisted cannot be queued: it is not among the jobs/)
    await refused({ job: 'record', text: 'wrong payload' }, /diary\.record cannot be queued: payload\/text/)
  })

  test('of a plugin that is off are no longer scheduled', async () => {
    const schedules = (): Promise<readonly object[]> =>
      host.sql`select name from core_jobs.schedule where name = 'old.tick'`
    await host.sql`insert into core_jobs.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds, partition, table_name)
      select 'old.tick', policy, retry_limit, retry_delay, retry_backoff, expire_seconds, retention_seconds, deletion_seconds, partition, table_name from core_jobs.queue where name = 'clock.tick'`
    await host.sql`insert into core_jobs.schedule (name, cron, timezone) values ('old.tick', '* * * * *', 'UTC')`
    assert.equal((await schedules()).length, 1)
    const { createQueue } = await import('../../core/runtime/job-queue.ts')
    const { database, authenticator: principals } = host
    const again = createQueue({ database, jobs: [tick], principals, log: host.app.log })
    await again.prepare()
    await again.stop()
    assert.equal((await schedules()).length, 0)
    assert.equal(
      (await host.sql`select from core_jobs.schedule where name = 'clock.tick' and cron = '* * * * *'`).length,
      1,
    )
  })

  test('for the start run once each time an instance starts', async t => {
    const payloads: object[] = []
    const onStart = defineJob({
      name: 'starting.job',
      atStart: { all: true },
      payload: Type.Object({ all: Type.Optional(Type.Boolean()) }),
      run: async (_ctx, payload) => void payloads.push(payload),
    })
    const plugin = definePlugin({ name: 'starting', version: '1.0.0', api: 1, group: 'x', jobs: [onStart] })
    const first = await testHost(t, { engine, plugins: [plugin] })
    await first.queue.prepare()
    // Starting again does nothing, and a process that runs only commands starts no job.
    assert.deepEqual(payloads, [])
    await first.queue.start(first.runner)
    await first.queue.start(first.runner)
    await eventually(() => assert.deepEqual(payloads, [{ all: true }]))
    if (engine === 'pglite') return
    // The embedded database has one process: with PostgreSQL others start beside it.
    const others = await Promise.all(
      [1, 2].map(() => testHost(t, { plugins: [plugin], database: first.databaseOptions })),
    )
    await others[0]!.queue.start(others[0]!.runner)
    await eventually(() => assert.equal(payloads.length, 2))
    // Of a run that waits already there is no second one.
    await first.queue.stop()
    await others[0]!.queue.stop()
    await others[1]!.queue.start(others[1]!.runner)
    await eventually(() => assert.equal(payloads.length, 3))
    assert.deepEqual(new Set(payloads.map(each => JSON.stringify(each))), new Set(['{"all":true}']))
  })

  const skip = engine === 'pglite' && 'the embedded database does not count transactions'
  test('send few transactions while there is nothing to do', { skip }, async t => {
    const seconds = 8
    const idle = await testHost(t, { engine })
    await idle.queue.start(idle.runner)
    const transactions = async (): Promise<number> => {
      const [row] = await idle.sql<{ count: number }>`
        select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()`
      return row!.count
    }
    const counts: number[] = []
    // Jobs of a full minute or of the start may run during one measurement.
    while (counts.length < 6 && !counts.some(count => count <= 4 * seconds)) {
      await sleep(2000)
      const before = await transactions()
      await sleep(seconds * 1000)
      counts.push((await transactions()) - before)
    }
    assert.ok(Math.min(...counts) <= 4 * seconds, `${counts.join(', ')} transactions in ${seconds} s`)
  })

  test('under way finish before the host stops', async t => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    let ended = false
    const slow = defineJob({
      name: 'slow.job',
      payload: Type.Object({}),
      schedule: '* * * * *',
      async run() {
        begin()
        await sleep(300)
        ended = true
      },
    })
    const plugin = definePlugin({ name: 'slow', version: '1.0.0', api: 1, group: 'x', jobs: [slow] })
    const other = await testHost(t, { engine, plugins: [plugin] })
    await other.write(ctx => ctx.enqueue(slow, {}))
    await other.queue.start(other.runner)
    await begun
    await other.close()
    assert.ok(ended)
  })
})
