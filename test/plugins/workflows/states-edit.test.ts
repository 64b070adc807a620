import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { names, newTeam, refusal, workflowsHost } from './setup.ts'

forEachEngine('workflow states: update, reorder', engine => {
  const at = workflowsHost(engine)

  verifies(
    ['workflow_states_update.fields', 'workflow_states_update.clears'],
    'fields change, an empty description and a null color clear the field, and nothing else changes',
    async () => {
      const team = await newTeam(at())
      const update = (args: object) =>
        team.call('workflow_states_update', { workflow_id: team.workflowId, state_id: 'In review', ...args })
      const before = await team.state('In review')
      const changed = await update({ description: 'With QA', color_hex: '#000000', category: 'in_progress' })
      assert.deepEqual(changed.changed, ['description', 'category', 'color_hex'])
      const after = { ...before, description: 'With QA', color_hex: '#000000', category: 'in_progress' }
      assert.deepEqual(changed.state, after)
      assert.deepEqual(await team.state('In review'), after)
      const cleared = await update({ description: '', color_hex: null })
      assert.deepEqual(cleared.changed, ['description', 'color_hex'])
      assert.equal(cleared.state.description, null)
      assert.equal(cleared.state.color_hex, null)
      const { color_hex: _color, ...bare } = before
      assert.deepEqual(await team.state('In review'), { ...bare, category: 'in_progress' })
      assert.deepEqual((await update({ description: '', color_hex: null })).changed, [])
      assert.deepEqual((await update({})).changed, [])
    },
  )

  verifies(
    'workflow_states_update.autocorrect',
    'a new system_status corrects category and attribute, notifies plugins that use the state, and makes unfit transitions manual',
    async () => {
      const { tickets } = at()
      const team = await newTeam(at())
      const update = (args: object) => team.call('workflow_states_update', { workflow_id: team.workflowId, ...args })
      const review = await team.state('In review')
      const closed = await update({ state_id: review.id, system_status: 'closed' })
      assert.deepEqual(closed.changed, ['system_status', 'category', 'status_attribute'])
      assert.equal(closed.state.category, 'done')
      assert.equal(closed.state.status_attribute, 'done')
      assert.deepEqual(tickets.changes.at(-1), { ownerId: team.userId, stateId: review.id, from: 'open', to: 'closed' })
      const opened = await update({ state_id: "won't fix", system_status: 'open', category: 'review' })
      assert.equal(opened.state.category, 'review')
      assert.equal(opened.state.status_attribute, 'pending')
      assert.equal(opened.warnings.length, 4, 'three transitions that cancel and one that reopens')
      const { transitions } = await team.call('workflow_transitions_list', { from_state_id: opened.state.id })
      assert.deepEqual(
        transitions.map(({ kind, to_state }: Record<string, unknown>) => [kind, to_state]),
        [['manual', 'Backlog']],
      )
      const seen = tickets.changes.length
      await update({ state_id: 'Done', name: 'Finished', system_status: 'closed' })
      assert.equal(tickets.changes.length, seen, 'the same status is no change')
      const unfit = update({ state_id: 'Finished', system_status: 'open', category: 'done' })
      await assert.rejects(unfit, refusal('invalid_argument', 'category'))
    },
  )

  verifies('workflow_states_reorder.order', 'states are ordered as given, by ids or names', async () => {
    const team = await newTeam(at())
    const before = await team.states()
    const order = [before[5]!, before[0]!, before[3]!, before[1]!, before[2]!, before[4]!]
    const state_ids = order.map(({ id, name }, n) => (n % 2 === 0 ? id : name.toUpperCase()))
    const result = await team.call('workflow_states_reorder', { workflow_id: team.workflowId, state_ids })
    assert.deepEqual(names(result.states), names(order))
    assert.deepEqual(await team.states(), result.states)
    assert.deepEqual(
      result.states.map((state: { display_order: number }) => state.display_order),
      [1, 2, 3, 4, 5, 6],
    )
    assert.deepEqual(result.changed, ['display_order'])
    const again = await team.call('workflow_states_reorder', { workflow_id: team.workflowId, state_ids })
    assert.deepEqual(again.changed, [])
  })

  verifies(
    'workflow_states_reorder.complete',
    'a list with missing, repeated or unknown states is refused by name',
    async () => {
      const team = await newTeam(at())
      const [first, second, ...rest] = await team.states()
      const state_ids = [first!.id, first!.name, ...rest.map(({ id }) => id), 'nonsense']
      const call = team.call('workflow_states_reorder', { workflow_id: team.workflowId, state_ids })
      await assert.rejects(call, (error: unknown) => {
        const { code, field, details, allowed } = error as {
          code: string
          field: string
          allowed: string[]
          details: object
        }
        assert.deepEqual([code, field, allowed.length], ['invalid_argument', 'state_ids', 6])
        assert.deepEqual(details, {
          missing: [{ id: second!.id, name: second!.name }],
          duplicate: [{ id: first!.id, name: first!.name }],
          unknown: ['nonsense'],
        })
        return true
      })
      await assert.rejects(
        team.call('workflow_states_reorder', { workflow_id: team.workflowId, state_ids: [] }),
        refusal('invalid_argument', 'state_ids'),
      )
      await team.confirmed('workflow_states_delete', { workflow_id: team.workflowId, state_id: second!.id })
      const { changed } = await team.call('workflow_states_reorder', {
        workflow_id: team.workflowId,
        state_ids: [first!, ...rest].map(({ id }) => id),
      })
      assert.deepEqual(changed, ['display_order'], 'deleted states do not count')
    },
  )

  test('a conditional write is refused if the workflow changed since the read', async () => {
    const { host } = at()
    const team = await newTeam(at())
    await host.sql`update workflows.workflows set updated_at = '2026-01-02T00:00:00Z' where id = ${team.workflowId}`
    const rename = (name: string, ifUpdatedAt: string) =>
      team.call(
        'workflow_states_update',
        { workflow_id: team.workflowId, state_id: 'Done', name },
        { meta: { ifUpdatedAt } },
      )
    await assert.rejects(rename('Ended', '2026-01-01T23:59:59Z'), refusal('stale_write'))
    assert.deepEqual((await rename('Ended', '2026-01-02T00:00:00.000Z')).changed, ['name'])
    const { workflows } = await team.call('workflow_states_list')
    assert.ok(workflows[1].updated_at > '2026-01-03', 'the change moves the time')
  })
})
