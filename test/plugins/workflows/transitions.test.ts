import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import type { TransitionRow } from '../../../plugins/workflows/index.ts'
import { newTeam, refusal, workflowsHost, type Team } from './setup.ts'

async function leaving(team: Team, name: string): Promise<TransitionRow[]> {
  const { id } = await team.state(name)
  return (await team.call('workflow_transitions_list', { from_state_id: id })).transitions as TransitionRow[]
}
const routes = (rows: readonly TransitionRow[]): unknown[] =>
  rows.map(({ to_state, kind, is_default_next }) => [to_state, kind, is_default_next])

forEachEngine('workflow transitions', engine => {
  const at = workflowsHost(engine)

  verifies(
    'workflow_transitions_list.leaving',
    'the list shows the transitions that leave a state, by id or unique name',
    async () => {
      const team = await newTeam(at())
      const expected = [
        ['Done', 'next', true],
        ['In progress', 'manual', false],
        ['Duplicate', 'cancel', false],
        ["Won't fix", 'cancel', false],
      ]
      const rows = await leaving(team, 'In review')
      assert.deepEqual(routes(rows), expected)
      const review = await team.state('In review')
      assert.deepEqual(rows[0], {
        id: rows[0]!.id,
        workflow_id: team.workflowId,
        workflow: 'Team',
        from_state_id: review.id,
        from_state: 'In review',
        to_state_id: (await team.state('Done')).id,
        to_state: 'Done',
        kind: 'next',
        is_default_next: true,
      })
      await team.call('workflow_states_update', { workflow_id: team.workflowId, state_id: review.id, name: 'With QA' })
      const byName = await team.call('workflow_transitions_list', { from_state_id: 'with qa' })
      assert.deepEqual(routes(byName.transitions), expected)
    },
  )

  test('a name in several workflows is ambiguous, and invisible states are not found', async () => {
    const team = await newTeam(at())
    const stranger = await newTeam(at())
    await assert.rejects(team.call('workflow_transitions_list', { from_state_id: 'done' }), (error: unknown) => {
      refusal('ambiguous_ref', 'from_state_id')(error)
      const { allowed, details } = error as { allowed: string[]; details: { candidates: { workflow: string }[] } }
      assert.equal(allowed.length, 2)
      assert.deepEqual(
        details.candidates.map(({ workflow }) => workflow),
        ['Standard', 'Team'],
      )
      return true
    })
    for (const from_state_id of [(await stranger.state('Done')).id, 'Nirvana']) {
      await assert.rejects(
        team.call('workflow_transitions_list', { from_state_id }),
        refusal('not_found', 'from_state_id'),
      )
    }
  })

  verifies(
    'workflow_transitions_list.entry',
    'entry lists transitions without a from state, of all workflows',
    async () => {
      const team = await newTeam(at())
      const { transitions } = await team.call('workflow_transitions_list', { from_state_id: 'Entry' })
      assert.equal(transitions.length, 2)
      for (const transition of transitions as TransitionRow[]) {
        assert.equal(transition.from_state_id, null)
        assert.ok(!('from_state' in transition))
        assert.deepEqual([transition.to_state, transition.kind, transition.is_default_next], ['Backlog', 'next', true])
      }
      assert.equal(transitions[1].workflow_id, team.workflowId)
    },
  )

  verifies('workflow_transitions_create.create', 'transitions of every kind are created', async () => {
    const team = await newTeam(at())
    await team.call('workflow_states_create', { workflow_id: team.workflowId, name: 'New', system_status: 'open' })
    await team.call('workflow_states_create', {
      workflow_id: team.workflowId,
      name: 'Void',
      system_status: 'closed',
      status_attribute: 'wontfix',
    })
    const create = (args: object) => team.call('workflow_transitions_create', { workflow_id: team.workflowId, ...args })
    const { id } = await team.state('New')
    await create({ from_state_id: id, to_state_id: 'Done', kind: 'manual' })
    await create({ from_state_id: 'New', to_state_id: 'void', kind: 'cancel' })
    await create({ from_state_id: 'Void', to_state_id: 'New', kind: 'reopen' })
    const { transition } = await create({
      from_state_id: 'New',
      to_state_id: 'Backlog',
      kind: 'next',
      is_default_next: true,
    })
    const rows = await leaving(team, 'New')
    assert.deepEqual(routes(rows), [
      ['Backlog', 'next', true],
      ['Done', 'manual', false],
      ['Void', 'cancel', false],
    ])
    assert.deepEqual(rows[0], transition)
    assert.deepEqual(routes(await leaving(team, 'Void')), [['New', 'reopen', false]])
  })

  verifies('workflow_transitions_create.entry', 'a null or omitted from state is the entry', async () => {
    const team = await newTeam(at())
    const create = (args: object) =>
      team.call('workflow_transitions_create', { workflow_id: team.workflowId, kind: 'next', ...args })
    const omitted = await create({ to_state_id: 'In progress' })
    const createdTransition = await create({ to_state_id: 'In review', from_state_id: null, is_default_next: true })
    assert.equal(omitted.transition.from_state_id, null)
    assert.deepEqual(createdTransition.warnings, ['entry → "Backlog" is no longer the default next.'])
    const { transitions } = await team.call('workflow_transitions_list', { from_state_id: 'entry' })
    const mine = (transitions as TransitionRow[]).filter(each => each.workflow_id === team.workflowId)
    assert.deepEqual(routes(mine), [
      ['In review', 'next', true],
      ['Backlog', 'next', false],
      ['In progress', 'next', false],
    ])
  })

  verifies(
    'workflow.default_next_one',
    'a new default next demotes the former one of the same state, on create and update',
    async () => {
      const team = await newTeam(at())
      const created = await team.call('workflow_transitions_create', {
        workflow_id: team.workflowId,
        from_state_id: 'Backlog',
        to_state_id: 'In review',
        kind: 'next',
        is_default_next: true,
      })
      assert.deepEqual(created.warnings, ['"Backlog" → "In progress" is no longer the default next.'])
      const defaults = async () => (await leaving(team, 'Backlog')).filter(each => each.is_default_next)
      assert.deepEqual(await defaults(), [created.transition])
      const former = (await leaving(team, 'Backlog')).find(each => each.to_state === 'In progress')!
      const updated = await team.call('workflow_transitions_update', {
        workflow_id: team.workflowId,
        transition_id: former.id,
        is_default_next: true,
      })
      assert.deepEqual(updated.changed, ['is_default_next'])
      assert.deepEqual(await defaults(), [updated.transition])
      assert.deepEqual(
        routes((await leaving(team, 'In review')).slice(0, 1)),
        [['Done', 'next', true]],
        'other states keep theirs',
      )
    },
  )

  verifies('workflow_transitions_create.same_workflow', 'states of another workflow are refused', async () => {
    const team = await newTeam(at())
    const { states } = await team.call('workflow_states_list', { project_key: 'INBOX' })
    const create = (args: object) =>
      team.call('workflow_transitions_create', { workflow_id: team.workflowId, kind: 'manual', ...args })
    await assert.rejects(create({ to_state_id: states[0].id }), refusal('workflow_mismatch', 'to_state_id'))
    await assert.rejects(
      create({ from_state_id: states[0].id, to_state_id: 'Done' }),
      refusal('workflow_mismatch', 'from_state_id'),
    )
    await assert.rejects(create({ to_state_id: 'Nirvana' }), refusal('not_found', 'to_state_id'))
  })

  verifies(
    'workflow_transitions_create.default_kind',
    'only a transition of kind next can be the default next',
    async () => {
      const team = await newTeam(at())
      for (const kind of ['cancel', 'manual', 'reopen']) {
        const args = {
          workflow_id: team.workflowId,
          from_state_id: 'Done',
          to_state_id: 'In review',
          kind,
          is_default_next: true,
        }
        await assert.rejects(
          team.call('workflow_transitions_create', args),
          refusal('invalid_argument', 'is_default_next'),
          kind,
        )
      }
    },
  )

  verifies(
    'workflow.transition_kinds',
    'kinds that do not fit their states, loops and duplicates are refused',
    async () => {
      const team = await newTeam(at())
      const create = (from_state_id: string | null, to_state_id: string, kind: string) =>
        team.call('workflow_transitions_create', { workflow_id: team.workflowId, from_state_id, to_state_id, kind })
      await assert.rejects(create('In review', 'Backlog', 'reopen'), refusal('invalid_argument', 'kind'))
      await assert.rejects(create('Done', 'Duplicate', 'reopen'), refusal('invalid_argument', 'kind'))
      await assert.rejects(create(null, 'In review', 'reopen'), refusal('invalid_argument', 'kind'))
      await assert.rejects(create('Backlog', 'Done', 'cancel'), refusal('invalid_argument', 'kind'))
      await assert.rejects(create('Backlog', 'In review', 'cancel'), refusal('invalid_argument', 'kind'))
      await assert.rejects(create('Done', 'Done', 'manual'), refusal('invalid_argument', 'to_state_id'))
      await assert.rejects(create('Done', 'Backlog', 'skip'), refusal('invalid_argument', 'kind'))
      await assert.rejects(create('Done', 'Backlog', 'manual'), (error: unknown) => {
        refusal('conflict')(error)
        assert.ok((error as { details: { transition_id: string } }).details.transition_id)
        return true
      })
      await assert.rejects(create(null, 'Backlog', 'next'), refusal('conflict'))
      await create('Done', 'In review', 'reopen')
    },
  )

  verifies('workflow_transitions_update.fields', 'kind and default flag can change', async () => {
    const team = await newTeam(at())
    const done = (await leaving(team, 'In progress')).find(each => each.to_state === 'Done')!
    const update = (args: object) =>
      team.call('workflow_transitions_update', { workflow_id: team.workflowId, transition_id: done.id, ...args })
    const { transition, changed, warnings } = await update({ kind: 'next', is_default_next: true })
    assert.deepEqual(changed, ['kind', 'is_default_next'])
    assert.deepEqual(warnings, ['"In progress" → "In review" is no longer the default next.'])
    assert.deepEqual(transition, { ...done, kind: 'next', is_default_next: true })
    assert.deepEqual((await leaving(team, 'In progress'))[0], transition)
    assert.deepEqual((await update({})).changed, [])
    await assert.rejects(update({ kind: 'cancel', is_default_next: false }), refusal('invalid_argument', 'kind'))
    await assert.rejects(update({ transition_id: 'nonsense' }), refusal('not_found', 'transition_id'))
  })

  verifies(
    'workflow_transitions_update.default_kind',
    'a default next keeps kind next, unless it is demoted in the same call',
    async () => {
      const team = await newTeam(at())
      const [next] = await leaving(team, 'In review')
      const update = (args: object) =>
        team.call('workflow_transitions_update', { workflow_id: team.workflowId, transition_id: next!.id, ...args })
      await assert.rejects(update({ kind: 'manual' }), refusal('invalid_argument', 'is_default_next'))
      assert.deepEqual((await update({ kind: 'manual', is_default_next: false })).changed, ['kind', 'is_default_next'])
      await assert.rejects(update({ is_default_next: true }), refusal('invalid_argument', 'is_default_next'))
    },
  )

  verifies(
    ['workflow_transitions_delete.delete', 'workflow_transitions_delete.confirm'],
    'deleting a transition asks first, and leaves its states',
    async () => {
      const team = await newTeam(at())
      const [next] = await leaving(team, 'In review')
      const args = { workflow_id: team.workflowId, transition_id: next!.id }
      await assert.rejects(team.call('workflow_transitions_delete', args), (error: unknown) => {
        refusal('confirmation_required')(error)
        assert.match((error as Error).message, /Delete the transition "In review" → "Done" of the workflow "Team"/)
        return true
      })
      assert.equal((await leaving(team, 'In review')).length, 4)
      const deleted = await team.confirmed('workflow_transitions_delete', args)
      assert.deepEqual(deleted, { deleted: true, id: next!.id, name: 'In review → Done' })
      assert.equal((await leaving(team, 'In review')).length, 3)
      assert.equal((await team.states()).length, 6)
      await assert.rejects(team.call('workflow_transitions_delete', args), refusal('not_found', 'transition_id'))
    },
  )
})
