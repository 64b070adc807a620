import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import type { WorkflowStateRow } from '../../../plugins/workflows/index.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { names, refusal } from './setup.ts'

forEachEngine('workflows and items', engine => {
  let host: TestHost
  const closing: (() => Promise<void> | void)[] = []
  let projects = 0
  before(async () => {
    host = await testHost({ after: work => closing.push(work) }, { engine })
    await host.command('workflow copy', { name: 'Team' })
  })
  after(async () => {
    for (const close of closing) await close()
  })

  /** Creates a project with its own workflow and one item in a state of the workflow. */
  async function projectWithItem(stateName: string): Promise<{ key: string; workflow_id: string; item_ref: string }> {
    const key = `P${++projects}`
    await host.command('project create', { key, name: key })
    await host.command('workflow copy', { name: `Workflow ${key}` })
    await host.command('workflow assign', { project_key: key, workflow: `Workflow ${key}` })
    const { item } = await host.call('items_create', { title: 'Pack', project_key: key })
    const item_ref = item.ref as string
    await host.call('items_move_state', { item_ref, status_definition_id: stateName })
    return { key, workflow_id: `Workflow ${key}`, item_ref }
  }
  const stateOf = async (key: string, name: string): Promise<WorkflowStateRow> => {
    const { states } = await host.call('workflow_states_list', { project_key: key })
    return (states as WorkflowStateRow[]).find(state => state.name === name)!
  }
  const rowOf = async (ref: string) => {
    const [row] = await host.sql<{ state: string; completed: boolean; fits: boolean }>`
      select s.name as state, i.completed_at is not null as completed,
        (i.completed_at is null) = (s.system_status = 'open') and s.archived_at is null as fits
      from items.items i join workflows.states s on s.owner_id = i.owner_id and s.id = i.state_id
      where i.owner_id = ${host.userId} and i.number = ${Number(ref.slice(ref.indexOf('#') + 1))}`
    return row!
  }

  verifies(
    'workflow_states_delete.in_use',
    'a state with an item in it, archived or not, is refused with the count',
    async () => {
      const { key, workflow_id, item_ref } = await projectWithItem('In review')
      const remove = () => host.confirmed('workflow_states_delete', { workflow_id, state_id: 'In review' })
      await host.call('items_patch', { item_ref, archived_at: new Date().toISOString() })
      await assert.rejects(remove(), (error: unknown) => {
        refusal('in_use', 'state_id')(error)
        assert.match((error as Error).message, /"In review" is used by 1 item\.$/)
        return true
      })
      await host.call('items_patch', { item_ref, archived_at: null })
      await host.call('items_move_state', { item_ref, status_definition_id: 'Backlog' })
      await remove()
      assert.equal(await stateOf(key, 'In review'), undefined)
      const back = host.call('items_move_state', { item_ref, status_definition_id: 'In review' })
      await assert.rejects(back, refusal('workflow_mismatch'))
    },
  )

  test('items are completed exactly while their state is closed, however the state changes', async () => {
    const { workflow_id, item_ref } = await projectWithItem('In review')
    const turn = (system_status: string) =>
      host.call('workflow_states_update', { workflow_id, state_id: 'In review', system_status })
    assert.deepEqual(await rowOf(item_ref), { state: 'In review', completed: false, fits: true })
    await turn('closed')
    assert.deepEqual(await rowOf(item_ref), { state: 'In review', completed: true, fits: true })
    await turn('open')
    assert.deepEqual(await rowOf(item_ref), { state: 'In review', completed: false, fits: true })
  })

  test('a state that is opened or closed says how many items are reopened or completed with it', async () => {
    const { key, workflow_id } = await projectWithItem('Duplicate')
    const turn = async (state_id: string, system_status: string) =>
      (await host.call('workflow_states_update', { workflow_id, state_id, system_status })).warnings as string[]
    const { item } = await host.call('items_create', { title: 'Carry', project_key: key })
    await host.call('items_move_state', { item_ref: item.ref, status_definition_id: 'Duplicate' })
    const [first] = await turn('Duplicate', 'open')
    assert.equal(first, 'Reopened with it, without the time of completion: 2 items.')
    await host.call('items_move_state', { item_ref: item.ref, status_definition_id: 'Backlog' })
    assert.deepEqual(await turn('Duplicate', 'closed'), ['Completed with it, as of now: 1 item.'])
    assert.ok(!(await turn("Won't fix", 'open')).join('').includes('with it'))
  })

  verifies(
    'workflow.copy_usable',
    'items follow when their project gets another workflow, and use its states',
    async () => {
      const { key, workflow_id, item_ref } = await projectWithItem('In review')
      await host.call('workflow_states_update', {
        workflow_id,
        state_id: 'In review',
        name: 'With QA',
        system_status: 'closed',
      })
      await host.command('workflow assign', { project_key: key, workflow: 'Team' })
      assert.deepEqual(await rowOf(item_ref), { state: 'Done', completed: true, fits: true })
      await host.command('workflow assign', { project_key: key, workflow: workflow_id })
      assert.deepEqual(await rowOf(item_ref), { state: 'Done', completed: true, fits: true })
      await host.command('workflow enforce', { workflow: workflow_id, enforce: 'on' })
      const move = (status_definition_id: string) => host.call('items_move_state', { item_ref, status_definition_id })
      await assert.rejects(move('Duplicate'), (error: unknown) => {
        refusal('transition_not_allowed')(error)
        assert.deepEqual((error as { allowed: string[] }).allowed, ['Backlog'])
        return true
      })
      await move('Backlog')
      assert.deepEqual(await rowOf(item_ref), { state: 'Backlog', completed: false, fits: true })
    },
  )

  test('items that follow a state or a workflow record it in their timestamps and history', async () => {
    const { key, workflow_id, item_ref } = await projectWithItem('In review')
    const { item: other } = await host.call('items_create', { title: 'Ship', project_key: key })
    const updated = async (ref: string) => (await host.call('items_get', { item_ref: ref })).item.updated_at as string
    const history = async (ref: string) => {
      const { activities } = await host.call('activities_list', { item_ref: ref })
      return activities.map((entry: { kind: string; from?: string; to?: string }) => [entry.kind, entry.from, entry.to])
    }
    const before = [await updated(item_ref), await updated(other.ref)]
    await host.call('workflow_states_update', {
      workflow_id,
      state_id: 'In review',
      name: 'With QA',
      system_status: 'closed',
    })
    assert.deepEqual((await history(item_ref))[0], ['item.completed', 'With QA', 'With QA'])
    assert.ok((await updated(item_ref)) > before[0]!)
    assert.equal(await updated(other.ref), before[1])
    await host.command('workflow assign', { project_key: key, workflow: 'Team' })
    assert.deepEqual((await history(item_ref))[0], ['item.state.changed', 'With QA', 'Done'])
    // The item has a new state with the same name: its time changes, but its history gets no entry.
    assert.ok((await updated(other.ref)) > before[1]!)
    assert.deepEqual(
      (await history(other.ref)).map(([kind]: string[]) => kind),
      ['item.created'],
    )
  })

  test('no item ends in a deleted state or in a state of the wrong status, however calls interleave', async () => {
    const { key, workflow_id, item_ref } = await projectWithItem('Backlog')
    for (let n = 0; n < 8; n++) {
      const name = `Station ${n}`
      await host.call('workflow_states_create', { workflow_id, name, system_status: 'open' })
      const args = { workflow_id, state_id: name }
      const asked = await host.call('workflow_states_delete', args).catch((error: unknown) => error)
      const { confirm_token } = (asked as { details: { confirm_token: string } }).details
      const change =
        n % 2 === 0
          ? host.call('workflow_states_delete', { ...args, confirm_token })
          : host.call('workflow_states_update', { ...args, system_status: 'closed' })
      await Promise.allSettled([host.call('items_move_state', { item_ref, status_definition_id: name }), change])
      assert.equal((await rowOf(item_ref)).fits, true, `${n}: ${JSON.stringify(await rowOf(item_ref))}`)
      await host.call('items_move_state', { item_ref, status_definition_id: 'Backlog' })
    }
    assert.ok(names((await host.call('workflow_states_list', { project_key: key })).states).includes('Station 1'))
  })
})
