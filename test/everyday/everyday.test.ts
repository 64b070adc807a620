import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestHost } from 'tasuki/testing'
import { hostOfSuite } from '../host-pool.ts'
import { suiteScope } from '../core/suite-scope.ts'
import { alignColumns } from '../bench/report.ts'
import { forEachEngine } from '../engines.ts'
import { content } from './content.ts'
import { startConversation } from './conversation.ts'
import { items } from './items.ts'
import { planning } from './planning.ts'
import { projects } from './projects.ts'
import { MAX_CALLS, type Person } from './task.ts'

/** Maximum number of items of one call of agile_estimate_apply. */
const MAX_ESTIMATES = 20

const TASKS = [...items, ...planning, ...projects, ...content]

// Typical requests of people to an assistant, as the calls that a model makes. The table shows the calls and tokens of each.
forEachEngine('everyday tasks', engine => {
  const scope = suiteScope()
  let host: TestHost
  const figures: string[][] = []
  before(async () => {
    host = await hostOfSuite(scope, { engine, config: { plugins: { project_admin: {} } } })
  })
  after(() => {
    console.log(`\n${alignColumns([['task', 'calls', 'tokens'], ...figures])}\n`)
  })

  for (const [n, { ask, mostCalls = MAX_CALLS, run }] of TASKS.entries()) {
    test(ask, async () => {
      const person = await newPerson(host, `person${n}@example.com`)
      const agent = startConversation(person)
      await run({ host, person, agent })
      figures.push([ask, String(agent.calls), String(agent.tokens)])
      assert.ok(agent.calls > 0 && agent.calls <= mostCalls, `${agent.calls} calls`)
    })
  }
})

async function newPerson(host: TestHost, email: string): Promise<Person> {
  const caller = await host.user(email)
  const item: Person['item'] = async (project_key, title, more) =>
    (await caller.call('items_create', { project_key, title, ...more })).item.ref
  return {
    ...caller,
    email,
    item,
    async items(project, titles, more) {
      const refs: string[] = []
      for (const title of titles) refs.push(await item(project, title, more))
      return refs
    },
    async estimate(project_key, refs, value) {
      for (let n = 0; n < refs.length; n += MAX_ESTIMATES) {
        const estimates = refs.slice(n, n + MAX_ESTIMATES).map(item_id => ({ item_id, value }))
        await caller.call('agile_estimate_apply', { project_key, estimates })
      }
    },
    createProject: async key =>
      void (await host.command('project create', { key, name: `Project ${key}`, user: email })),
  }
}
