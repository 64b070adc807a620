import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assignWorkflow } from '../../plugins/workflows/write.ts'
import { forEachEngine } from '../engines.ts'
import { suiteScope } from '../core/suite-scope.ts'
import { testHost, type TestHost } from 'tasuki/testing'
import { recordFigures } from '../trust/figures.ts'
import { brokenIn } from './invariants.ts'
import { addWriters, outcomeOf, type Writer } from './world.ts'

/** Accounts that are written to; `RACES=50 npm test -- test/races` is the long form. */
const ROUNDS = Number(process.env['RACES'] ?? 3)
/** Calls at a time. */
const AT_ONCE = 8
/** A caller cannot act on these: valid calls at the same time end in an answer about what became of the record. */
const FAULTS = new Set(['internal', 'unavailable'])
/** Of a guest whose access has ended. */
const GONE = /: 401: /

forEachEngine('everything that writes, at once', engine => {
  const scope = suiteScope()

  test('ends in an answer about the record, and nothing is broken afterwards', async t => {
    const host = await testHost(scope, {
      engine,
      config: { confirm: 'off', plugins: { project_admin: {} } },
    })
    const random = generator(Number(process.env['RACE_SEED'] ?? 7))
    const pairs = new Set<string>()
    const names = new Set<string>()
    const failures: string[] = []
    let calls = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { ownerId, writers } = await addWriters(host, round)
      const waiting = shuffled([...writers, ...writers], random)
      const running = new Set<Writer>()
      const work = async (): Promise<void> => {
        for (let writer = waiting.pop(); writer; writer = waiting.pop()) {
          for (const other of running) pairs.add([writer.name, other.name].toSorted().join(' + '))
          running.add(writer)
          const beside = [...running].map(({ name }) => name).join(', ')
          const code = await outcomeOf(writer.run)
          running.delete(writer)
          calls++
          names.add(writer.name)
          if (code !== null && !GONE.test(code) && (FAULTS.has(code) || code.includes(' ')))
            failures.push(`${writer.name} beside ${beside}: ${code}`)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
      for (const broken of await brokenIn(host, ownerId)) failures.push(`round ${round}: ${broken}`)
    }
    const deadlocks = engine === 'postgres' ? await deadlocksOf(host) : 0
    t.diagnostic(
      `${calls} calls of ${names.size} writers, ${pairs.size} pairs at once, ${deadlocks} deadlocks, ${failures.length} failures`,
    )
    recordFigures('lost.races', { calls, writers: names.size, pairs: pairs.size, deadlocks, failures: failures.length })
    assert.ok(names.size > 60, `${names.size} writers`)
    assert.deepEqual(failures.slice(0, 30), [])
    assert.ok(deadlocks * 50 <= calls, `${deadlocks} deadlocks in ${calls} calls: locks are taken in one order`)
  })

  test('of two workflows that a project gets at once, items are in states of the last', async () => {
    const host = await testHost(scope, { engine })
    await host.command('project create', { key: 'APP', name: 'App' })
    await host.call('items_create', { project_key: 'APP', title: 'Waits' })
    for (const name of ['One', 'Two']) await host.command('workflow copy', { name })
    for (let round = 0; round < 8; round++) {
      await Promise.all(
        ['One', 'Two'].map(workflow => host.command('workflow assign', { project_key: 'APP', workflow })),
      )
      assert.deepEqual(await brokenIn(host, host.userId), [], `round ${round}`)
    }
  })

  test('an item that is made while its project gets another workflow begins in that one', async () => {
    const host = await testHost(scope, { engine })
    await host.command('project create', { key: 'APP', name: 'App' })
    for (const name of ['One', 'Two']) await host.command('workflow copy', { name })
    for (let round = 0; round < 6; round++) {
      const workflow = round % 2 === 0 ? 'One' : 'Two'
      const assigned = host.write(async ctx => {
        const owner = await ctx.users.require('owner@example.com')
        const project = await ctx.db
          .selectFrom('projects.projects')
          .select(['owner_id as ownerId', 'id', 'key'])
          .where('key', '=', 'APP')
          .executeTakeFirstOrThrow()
        const [target] = await ctx.db
          .selectFrom('workflows.workflows')
          .select(['owner_id as ownerId', 'id', 'name', 'is_system as isSystem'])
          .where('owner_id', '=', owner.id)
          .where('name', '=', workflow)
          .execute()
        await assignWorkflow(ctx, project, target!)
        await sleep(200)
      })
      await sleep(50)
      const made = host.call('items_create', { project_key: 'APP', title: `Item ${round}` })
      await Promise.all([assigned, made])
      assert.deepEqual(await brokenIn(host, host.userId), [], `round ${round}`)
    }
  })
})

/** Circles of locks that PostgreSQL broke; calls are run again after one, and lose a second each. */
async function deadlocksOf(host: TestHost): Promise<number> {
  // Sessions tell what they counted a second later.
  await sleep(1500)
  const [row] = await host.sql<{ count: number }>`
    select deadlocks::int as count from pg_stat_database where datname = current_database()`
  return row!.count
}

/** Numbers from 0 to 1, the same for each seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map(each => [random(), each] as const)
    .toSorted((a, b) => a[0] - b[0])
    .map(([, each]) => each)
}
