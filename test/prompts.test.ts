import assert from 'node:assert/strict'
import { forEachEngine } from './engines.ts'
import { newTeam } from './plugins/sprints/team.ts'
import { sharedHost, type Newcomer } from './shared-host.ts'
import { verifies } from './verifies.ts'

interface Listed {
  readonly name: string
  readonly title: string
  readonly arguments?: readonly { readonly name: string }[]
}

const list = async (caller: Newcomer, query = ''): Promise<readonly Listed[]> =>
  (await caller.rpc('prompts/list', {}, { query })).body.result.prompts

async function textOf(caller: Newcomer, name: string, args: object, query = ''): Promise<string> {
  const { body } = await caller.rpc('prompts/get', { name, arguments: args }, { query })
  return body.result.messages[0].content.text
}

const ARGUMENTS = { project: 'APP', sprint: 'One', label: 'needs "care"' }
const VIEWS = [
  '',
  'profile=essentials',
  'profile=task-assistant',
  'exclude=items_bulk_patch,sprints_create,me_overview',
]

forEachEngine('prompts', engine => {
  const host = sharedHost(engine)
  const owner = async (): Promise<Newcomer> => {
    const team = await newTeam(host)
    await team.sprint('One', { status: 'planning' })
    await team.item('Task', { labels: ['needs care'], due_date: '2020-01-01' })
    return team
  }

  verifies('prompts.texts', 'name only tools of the connection', async () => {
    const caller = await owner()
    const every = new Set((await caller.listTools()).map(({ name }) => name)).add('items_move_project')
    for (const query of VIEWS) {
      const offered = new Set((await caller.listTools(query)).map(({ name }) => name))
      const prompts = await list(caller, query)
      for (const { name } of prompts) {
        for (const args of [{ project: 'APP' }, ARGUMENTS]) {
          const text = await textOf(caller, name, args, query)
          const named = (text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []).filter(word => every.has(word))
          assert.ok(named.length > 0)
          assert.deepEqual(
            named.filter(tool => !offered.has(tool)),
            [],
            `${name} of ${query}`,
          )
          assert.ok(text.length < 1800, `${name}: ${text.length}`)
          assert.doesNotMatch(text, /undefined|\n\n/)
        }
      }
    }
    assert.deepEqual(
      (await list(caller)).map(({ name, title }) => [name, title]),
      [
        ['triage_inbox', 'Triage the Inbox'],
        ['daily_brief', 'Daily brief'],
        ['weekly_review', 'Weekly review'],
        ['plan_sprint', 'Plan a sprint'],
      ],
    )
  })

  verifies('prompts.texts', 'are offered if the connection has their required tools', async () => {
    const caller = await owner()
    assert.deepEqual(
      (await list(caller, 'tools=tasks_list,me_overview')).map(({ name }) => name),
      ['daily_brief', 'weekly_review'],
    )
    const { body } = await caller.rpc('prompts/get', { name: 'plan_sprint' }, { query: 'exclude=sprints_list' })
    assert.equal(body.error.code, -32602)
  })

  verifies('prompts.texts', 'use valid listings of the tools', async () => {
    const caller = await owner()
    let asked = 0
    for (const { name } of await list(caller)) {
      const text = await textOf(caller, name, ARGUMENTS)
      for (const [, contextArguments] of text.matchAll(/tasks_list with ([^\n]*)/g)) {
        const pairs = [...contextArguments!.matchAll(/\b(\w+)=('[^']*'|"[^"]*"|\w+)/g)].map(([, key, value]) => {
          const plain = value!.replace(/^['"]|['"]$/g, '')
          return [key, /^\d+$/.test(plain) ? Number(plain) : plain === 'true' ? true : plain] as const
        })
        assert.ok(Array.isArray((await caller.call('tasks_list', Object.fromEntries(pairs))).items))
        asked++
      }
    }
    assert.equal(asked, 7)
  })

  verifies('completion.names', 'arguments of prompts are completed', async () => {
    const caller = await owner()
    const complete = async (prompt: string, name: string, value: string, contextArguments = {}): Promise<string[]> => {
      const { body } = await caller.rpc('completion/complete', {
        ref: { type: 'ref/prompt', name: prompt },
        argument: { name, value },
        context: { arguments: contextArguments },
      })
      return body.result.completion.values
    }
    assert.deepEqual(await complete('plan_sprint', 'project', 'ap'), ['APP'])
    assert.deepEqual(await complete('plan_sprint', 'sprint', 'o', { project: 'APP' }), ['One'])
    assert.deepEqual(await complete('weekly_review', 'label', 'CARE', { project: 'APP' }), ['needs care'])
    assert.deepEqual(await complete('weekly_review', 'label', '', { project: 'INBOX' }), [])
  })
})
