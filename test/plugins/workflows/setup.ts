import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { definePlugin } from 'tasuki/plugin'
import { testHost, type Engine, type TestCaller, type TestHost } from 'tasuki/testing'
import { stateChanged, stateUsers, workflowAssigned } from '../../../plugins/workflows/index.ts'
import type { Reassignment, StateChange, WorkflowStateRow } from '../../../plugins/workflows/index.ts'

/** Stands in for records that use states, so that workflows are tested without other plugins. */
export interface Tickets {
  /** Number of tickets per state id. */
  readonly inState: Map<string, number>
  readonly changes: StateChange[]
  readonly reassignments: Reassignment[]
}

export interface Bench {
  readonly host: TestHost
  readonly tickets: Tickets
}

/** Opens one host per suite; each test takes its own user. */
export function workflowsHost(engine: Engine): () => Bench {
  let made: Bench | undefined
  const closing: (() => Promise<void> | void)[] = []
  before(async () => {
    const tickets: Tickets = { inState: new Map(), changes: [], reassignments: [] }
    const plugin = definePlugin({
      name: 'tickets',
      version: '1.0.0',
      api: 1,
      group: 'tickets',
      dependsOn: ['workflows'],
      contributes: [
        stateUsers(async (_ctx, { stateIds }) =>
          stateIds
            .map(stateId => ({ stateId, count: tickets.inState.get(stateId) ?? 0 }))
            .filter(({ count }) => count > 0)
            .map(use => ({ ...use, text: `${use.count} tickets` })),
        ),
        stateChanged(async (_ctx, change) => void tickets.changes.push(change)),
        workflowAssigned(async (_ctx, change) => void tickets.reassignments.push(change)),
      ],
    })
    const host = await testHost(
      { after: work => closing.push(work) },
      { engine, only: ['workflows'], plugins: [plugin] },
    )
    made = { host, tickets }
  })
  after(async () => {
    for (const close of closing) await close()
  })
  return () => made!
}

let users = 0

/** A new user with a copy of the system workflow, with the name Team. */
export interface Team extends TestCaller {
  readonly email: string
  readonly workflowId: string
  /** Returns the current active states of Team. */
  states(): Promise<WorkflowStateRow[]>
  /** Returns an active state by name. */
  state(name: string): Promise<WorkflowStateRow>
}

export async function newTeam({ host }: Bench): Promise<Team> {
  const email = `user${++users}@example.com`
  const user = await host.user(email)
  await host.command('workflow copy', { name: 'Team', user: email })
  const list = async (): Promise<Listing> => user.call('workflow_states_list') as Promise<Listing>
  const workflowId = (await list()).workflows.find(({ name }) => name === 'Team')!.id
  const states = async (): Promise<WorkflowStateRow[]> =>
    (await list()).states.filter(state => state.workflow_id === workflowId)
  return {
    ...user,
    email,
    workflowId,
    states,
    state: async name => (await states()).find(state => state.name === name)!,
  }
}

interface Listing {
  readonly states: WorkflowStateRow[]
  readonly workflows: { readonly id: string; readonly name: string }[]
}

export const names = (rows: readonly { readonly name: string }[]): string[] => rows.map(({ name }) => name)

/** Makes a matcher for `assert.rejects` that checks the code and, optionally, the field. Commands throw the error itself. */
export const refusal = (code: string, field?: string) => (error: unknown) => {
  const failure = error as {
    readonly code?: string
    readonly field?: string
    readonly help?: { readonly field?: string }
  }
  assert.equal(failure.code, code, String(error))
  if (field !== undefined) assert.equal(failure.field ?? failure.help?.field, field, String(error))
  return true
}
