import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { names, newTeam, refusal, workflowsHost } from './setup.ts'

forEachEngine('workflow states: delete, refusals', engine => {
  const at = workflowsHost(engine)

  test('a workflow keeps at least one open and one closed state', async () => {
    const team = await newTeam(at())
    const remove = (state_id: string) =>
      team.confirmed('workflow_states_delete', { workflow_id: team.workflowId, state_id })
    const turn = (state_id: string, system_status: string) =>
      team.call('workflow_states_update', { workflow_id: team.workflowId, state_id, system_status, is_default: false })
    await remove('Duplicate')
    await remove("Won't fix")
    await assert.rejects(remove('Done'), refusal('conflict'))
    await assert.rejects(turn('Done', 'open'), refusal('conflict'))
    await assert.rejects(remove('Backlog'), refusal('conflict', 'state_id'), 'the default state')
    await remove('In progress')
    await remove('In review')
    await assert.rejects(turn('Backlog', 'closed'), refusal('conflict'))
    assert.deepEqual(names(await team.states()), ['Backlog', 'Done'])
  })

  verifies(
    ['workflow_states_delete.archives', 'workflow_states_delete.confirm'],
    'deleting asks first, then archives the state and removes its transitions',
    async () => {
      const { host } = at()
      const team = await newTeam(at())
      const review = await team.state('In review')
      const args = { workflow_id: team.workflowId, state_id: review.id }
      await assert.rejects(team.call('workflow_states_delete', args), (error: unknown) => {
        refusal('confirmation_required')(error)
        assert.match(
          (error as Error).message,
          /Archive the state "In review" of the workflow "Team" and remove its 5 transitions/,
        )
        return true
      })
      assert.ok(await team.state('In review'))
      assert.deepEqual(await team.confirmed('workflow_states_delete', args), {
        deleted: true,
        id: review.id,
        name: 'In review',
        transitions_removed: 5,
      })
      assert.equal(await team.state('In review'), undefined)
      const [row] = await host.sql<{ archived: boolean; transitions: number }>`
        select archived_at is not null as archived,
          (select count(*)::int from workflows.transitions where from_state_id = ${review.id} or to_state_id = ${review.id}) as transitions
        from workflows.states where id = ${review.id}`
      assert.deepEqual(row, { archived: true, transitions: 0 })
      await assert.rejects(team.call('workflow_states_delete', args), refusal('not_found', 'state_id'))
    },
  )

  verifies(
    'workflow_states_delete.in_use',
    'deleting a state in use is refused with the count, also if an item entered it concurrently',
    async () => {
      const { host, tickets } = at()
      const team = await newTeam(at())
      const review = await team.state('In review')
      const args = { workflow_id: team.workflowId, state_id: review.id }
      const inUse = (error: unknown): boolean => {
        refusal('in_use', 'state_id')(error)
        assert.match((error as Error).message, /12 tickets/)
        assert.equal((error as { details: { count: number } }).details.count, 12)
        return true
      }
      const token = await team.call('workflow_states_delete', args).catch((error: unknown) => {
        return (error as { details: { confirm_token: string } }).details.confirm_token
      })
      tickets.inState.set(review.id, 12)
      await assert.rejects(team.call('workflow_states_delete', args), inUse)
      await assert.rejects(team.call('workflow_states_delete', { ...args, confirm_token: token }), inUse)
      const [row] = await host.sql`select archived_at from workflows.states where id = ${review.id}`
      assert.equal(row!['archived_at'], null)
      assert.equal((await team.call('workflow_transitions_list', { from_state_id: review.id })).transitions.length, 4)
    },
  )

  verifies('workflow.not_user_owned', 'the system workflow is not edited by any tool', async () => {
    const team = await newTeam(at())
    const { states, workflows } = await team.call('workflow_states_list', { project_key: 'INBOX' })
    const workflow_id = workflows[0].id
    const { transitions } = await team.call('workflow_transitions_list', { from_state_id: states[0].id })
    const state_id = states[2].id
    const transition_id = transitions[0].id
    for (const [tool, args] of [
      ['workflow_states_create', { name: 'New', system_status: 'open' }],
      ['workflow_states_update', { state_id, name: 'New' }],
      ['workflow_states_reorder', { state_ids: states.map(({ id }: { id: string }) => id) }],
      ['workflow_states_delete', { state_id }],
      ['workflow_transitions_create', { to_state_id: state_id, kind: 'manual' }],
      ['workflow_transitions_update', { transition_id, kind: 'manual' }],
      ['workflow_transitions_delete', { transition_id }],
    ] as const) {
      await assert.rejects(team.call(tool, { workflow_id, ...args }), refusal('not_user_owned', 'workflow_id'), tool)
      await assert.rejects(team.call(tool, { workflow_id: 'standard', ...args }), refusal('not_user_owned'), tool)
      await assert.rejects(
        team.call(tool, { workflow_id: 'No such', ...args }),
        refusal('not_found', 'workflow_id'),
        tool,
      )
    }
    assert.deepEqual((await team.call('workflow_states_list', { project_key: 'INBOX' })).states, states)
  })

  test('states of other workflows and unknown states cause different errors', async () => {
    const team = await newTeam(at())
    const stranger = await newTeam(at())
    const { states } = await team.call('workflow_states_list', { project_key: 'INBOX' })
    const update = (state_id: string) =>
      team.call('workflow_states_update', { workflow_id: team.workflowId, state_id, name: 'X' })
    await assert.rejects(update(states[0].id), refusal('workflow_mismatch', 'state_id'))
    await assert.rejects(update((await stranger.state('Done')).id), refusal('not_found', 'state_id'))
    await assert.rejects(update('Nirvana'), (error: unknown) => {
      refusal('not_found')(error)
      assert.deepEqual((error as { allowed: string[] }).allowed, names(states))
      return true
    })
  })
})
