import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { newTeam, workflowsHost } from './setup.ts'

forEachEngine('workflow statements', engine => {
  const at = workflowsHost(engine)

  test('reads send one statement and writes a fixed number, whatever the number of states', async () => {
    const { host } = at()
    const team = await newTeam(at())
    const count = async (call: () => Promise<unknown>): Promise<number> => (await host.statements(call)).length
    const workflow_id = team.workflowId
    const [backlog, progress, review] = await team.states()
    const counts = {
      list: await count(() => team.call('workflow_states_list')),
      listOfProject: await count(() => team.call('workflow_states_list', { project_key: 'INBOX' })),
      transitions: await count(() => team.call('workflow_transitions_list', { from_state_id: backlog!.id })),
      entry: await count(() => team.call('workflow_transitions_list', { from_state_id: 'entry' })),
    }
    assert.deepEqual(counts, { list: 1, listOfProject: 1, transitions: 1, entry: 1 })
    const order = (await team.states()).map(({ id }) => id).toReversed()
    const writes: Record<string, () => Promise<unknown>> = {
      create: () =>
        team.call('workflow_states_create', { workflow_id, name: 'A', system_status: 'open', is_default: true }),
      update: () =>
        team.call('workflow_states_update', { workflow_id, state_id: progress!.id, name: 'B', is_default: true }),
      reorder: async () => team.call('workflow_states_reorder', { workflow_id, state_ids: [...order, 'A'] }),
      delete: () => team.confirmed('workflow_states_delete', { workflow_id, state_id: review!.id }),
      createTransition: () =>
        team.call('workflow_transitions_create', {
          workflow_id,
          from_state_id: backlog!.id,
          to_state_id: 'Done',
          kind: 'next',
          is_default_next: true,
        }),
    }
    const sent: Record<string, number> = {}
    for (const [name, write] of Object.entries(writes)) {
      sent[name] = (await host.statements(write)).filter(text => text.includes('workflows.')).length
    }
    // Lock, states and transitions, then the writes. Deleting reads everything twice, because it asks for confirmation first.
    assert.deepEqual(sent, { create: 5, update: 4, reorder: 3, delete: 6, createTransition: 5 })
  })
})
