import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assignWorkflow } from '../../plugins/workflows/write.ts'
import { forEachEngine } from '../engines.ts'
import { suiteScope } from '../core/suite-scope.ts'
import { testHost } from 'tasuki/testing'
import { recordFigures } from '../trust/figures.ts'
import { findViolations } from './invariants.ts'
import { runAllWriters } from './storm.ts'

/** Number of accounts; `RACES=50 npm test -- test/races` is the long form. */
const ROUNDS = Number(process.env['RACES'] ?? 3)

forEachEngine('all writers at once', engine => {
  const scope = suiteScope()

  test('ends in an answer about the record, and violates no invariant', async t => {
    const { failures, ...figures } = await runAllWriters(engine, {
      rounds: ROUNDS,
      seed: Number(process.env['RACE_SEED'] ?? 7),
    })
    const { calls, writers, pairs, deadlocks } = figures
    t.diagnostic(
      `${calls} calls of ${writers} writers, ${pairs} pairs at once, ${deadlocks} deadlocks, ${failures.length} failures`,
    )
    recordFigures('lost.races', { ...figures, failures: failures.length })
    assert.ok(writers > 60, `${writers} writers`)
    assert.deepEqual(failures.slice(0, 30), [])
    assert.ok(deadlocks * 50 <= calls, `${deadlocks} deadlocks in ${calls} calls: locks are taken in one order`)
  })

  test('if a project gets two workflows concurrently, its items are in states of the last one', async () => {
    const host = await testHost(scope, { engine })
    await host.command('project create', { key: 'APP', name: 'App' })
    await host.call('items_create', { project_key: 'APP', title: 'Waits' })
    for (const name of ['One', 'Two']) await host.command('workflow copy', { name })
    for (let round = 0; round < 8; round++) {
      await Promise.all(
        ['One', 'Two'].map(workflow => host.command('workflow assign', { project_key: 'APP', workflow })),
      )
      assert.deepEqual(await findViolations(host, host.userId), [], `round ${round}`)
    }
  })

  test('an item that is created while its project gets another workflow starts in the new workflow', async () => {
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
      assert.deepEqual(await findViolations(host, host.userId), [], `round ${round}`)
    }
  })
})
