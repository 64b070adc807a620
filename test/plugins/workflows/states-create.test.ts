import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { names, newTeam, refusal, workflowsHost } from './setup.ts'

forEachEngine('workflow states: list, create', engine => {
  const at = workflowsHost(engine)

  verifies(
    ['workflow_states_list.all', 'workflow_states_list.fields', 'workflow.system_states'],
    'the list shows the states of the system workflow and of copies, with all their fields',
    async () => {
      const team = await newTeam(at())
      const { states, workflows } = await team.call('workflow_states_list')
      assert.deepEqual(
        workflows.map(({ name, is_system, editable, enforce_transitions, project_keys }: Record<string, unknown>) => ({
          name,
          is_system,
          editable,
          enforce_transitions,
          project_keys,
        })),
        [
          { name: 'Standard', is_system: true, editable: false, enforce_transitions: false, project_keys: ['INBOX'] },
          { name: 'Team', is_system: false, editable: true, enforce_transitions: false, project_keys: [] },
        ],
      )
      const six = ['Backlog', 'In progress', 'In review', 'Done', 'Duplicate', "Won't fix"]
      assert.deepEqual(names(states), [...six, ...six])
      const { id, ...backlog } = states[0]
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.deepEqual(backlog, {
        workflow_id: workflows[0].id,
        workflow: 'Standard',
        name: 'Backlog',
        system_status: 'open',
        category: 'todo',
        status_attribute: 'pending',
        color_hex: '#64748B',
        is_default: true,
        display_order: 1,
      })
    },
  )

  verifies('workflow_states_list.project', 'the list of a project shows the states of its workflow alone', async () => {
    const { host } = at()
    const team = await newTeam(at())
    const inbox = await team.call('workflow_states_list', { project_key: 'inbox' })
    assert.deepEqual(names(inbox.workflows), ['Standard'])
    await host.command('workflow assign', { project_key: 'INBOX', workflow: 'team', user: team.email })
    const { states, workflows } = await team.call('workflow_states_list', { project_key: 'INBOX' })
    assert.deepEqual(names(workflows), ['Team'])
    assert.deepEqual(workflows[0].project_keys, ['INBOX'])
    assert.equal(states.length, 6)
    await assert.rejects(
      team.call('workflow_states_list', { project_key: 'NOPE' }),
      refusal('not_found', 'project_key'),
    )
  })

  verifies('workflow_states_create.create', 'a created state comes last and is derived from its status', async () => {
    const team = await newTeam(at())
    const { state, changed } = await team.call('workflow_states_create', {
      workflow_id: team.workflowId,
      name: '  Parked ',
      system_status: 'open',
    })
    assert.deepEqual(state, {
      id: state.id,
      workflow_id: team.workflowId,
      workflow: 'Team',
      name: 'Parked',
      system_status: 'open',
      category: 'todo',
      status_attribute: 'pending',
      is_default: false,
      display_order: 7,
    })
    assert.deepEqual((await team.states()).at(-1), state)
    assert.deepEqual(changed, ['name', 'system_status', 'category', 'status_attribute', 'is_default'])
    const shipped = await team.call('workflow_states_create', {
      workflow_id: 'TEAM',
      name: '出荷済み',
      description: 'With the customer',
      system_status: 'closed',
      category: 'done',
      status_attribute: 'done',
      color_hex: '#00ff7F',
    })
    assert.deepEqual((await team.states()).at(-1), shipped.state)
    assert.equal(shipped.state.color_hex, '#00ff7F')
    assert.equal(shipped.state.description, 'With the customer')
  })

  verifies(
    ['workflow.category_derived', 'workflow.attribute_default'],
    'a closed state is done in category and attribute when neither is given',
    async () => {
      const team = await newTeam(at())
      const { state } = await team.call('workflow_states_create', {
        workflow_id: team.workflowId,
        name: 'Archived',
        system_status: 'closed',
      })
      assert.deepEqual([state.category, state.status_attribute], ['done', 'done'])
      assert.deepEqual((await team.states()).at(-1), state)
    },
  )

  verifies('workflow.one_default', 'a new default state demotes the former one', async () => {
    const team = await newTeam(at())
    const created = await team.call('workflow_states_create', {
      workflow_id: team.workflowId,
      name: 'Triage',
      system_status: 'open',
      is_default: true,
    })
    assert.deepEqual(created.warnings, ['"Backlog" is no longer the default state.'])
    const defaults = async () => names((await team.states()).filter(state => state.is_default))
    assert.deepEqual(await defaults(), ['Triage'])
    const updated = await team.call('workflow_states_update', {
      workflow_id: team.workflowId,
      state_id: 'in review',
      is_default: true,
    })
    assert.deepEqual(updated.changed, ['is_default'])
    assert.deepEqual(await defaults(), ['In review'])
    for (const args of [{ name: 'Closed start', system_status: 'closed' }]) {
      const call = team.call('workflow_states_create', { workflow_id: team.workflowId, ...args, is_default: true })
      await assert.rejects(call, refusal('invalid_argument', 'is_default'))
    }
    const close = team.call('workflow_states_update', {
      workflow_id: team.workflowId,
      state_id: 'In review',
      system_status: 'closed',
    })
    await assert.rejects(close, refusal('invalid_argument', 'is_default'))
    assert.deepEqual(await defaults(), ['In review'])
  })

  verifies(
    ['workflow_states_create.limits', 'workflow.system_status'],
    'names, descriptions, colors and statuses beyond their limits are refused',
    async () => {
      const team = await newTeam(at())
      const create = (args: object) =>
        team.call('workflow_states_create', {
          workflow_id: team.workflowId,
          name: 'New',
          system_status: 'open',
          ...args,
        })
      for (const [field, args] of [
        ['name', { name: '' }],
        ['name', { name: ' \t ' }],
        ['name', { name: 'x'.repeat(81) }],
        ['description', { description: 'x'.repeat(501) }],
        ['color_hex', { color_hex: 'red' }],
        ['color_hex', { color_hex: '#12345' }],
        ['color_hex', { color_hex: '#1234567' }],
        ['system_status', { system_status: 'paused' }],
      ] as const) {
        await assert.rejects(create(args), refusal('invalid_argument', field), JSON.stringify(args))
        const { name: _name, ...update } = { name: '', ...args }
        const change = { workflow_id: team.workflowId, state_id: 'Backlog', ...(field === 'name' ? args : update) }
        await assert.rejects(team.call('workflow_states_update', change), refusal('invalid_argument', field))
      }
      const blank = { workflow_id: team.workflowId, state_id: 'Backlog', name: ' \t ' }
      const hint = 'Give text that is not only spaces.'
      await assert.rejects(team.call('workflow_states_update', blank), { message: 'The name is blank.', hint })
      const { state } = await create({ name: 'x'.repeat(80), description: 'x'.repeat(500), color_hex: '#AbCdEf' })
      assert.equal(state.name.length, 80)
    },
  )

  verifies(
    ['workflow_states_create.inconsistent', 'workflow.category_allowed', 'workflow.attribute_allowed'],
    'a category or an attribute that does not fit the status is refused, both at once',
    async () => {
      const team = await newTeam(at())
      const create = (args: object) =>
        team.call('workflow_states_create', { workflow_id: team.workflowId, name: 'New', ...args })
      const open = create({ system_status: 'open', category: 'done', status_attribute: 'wontfix' })
      await assert.rejects(open, (error: unknown) => {
        const { field, allowed, details } = error as {
          field: string
          allowed: string[]
          details: { problems: { field: string }[] }
        }
        assert.equal(field, 'category')
        assert.deepEqual(allowed, ['todo', 'in_progress', 'review'])
        assert.deepEqual(
          details.problems.map(problem => problem.field),
          ['status_attribute'],
        )
        return true
      })
      await assert.rejects(
        create({ system_status: 'closed', category: 'review' }),
        refusal('invalid_argument', 'category'),
      )
      await assert.rejects(
        create({ system_status: 'closed', status_attribute: 'pending' }),
        refusal('invalid_argument', 'status_attribute'),
      )
      const change = { workflow_id: team.workflowId, state_id: 'Backlog', status_attribute: 'done' }
      await assert.rejects(team.call('workflow_states_update', change), refusal('invalid_argument', 'status_attribute'))
      assert.equal((await team.states()).length, 6)
    },
  )

  verifies(
    'workflow_states_create.duplicate',
    'a name that the workflow has is refused, whatever its case and width',
    async () => {
      const team = await newTeam(at())
      const args = { workflow_id: team.workflowId, name: 'ｉｎ REVIEW', system_status: 'open' }
      await assert.rejects(team.call('workflow_states_create', args), refusal('conflict', 'name'))
      const rename = { workflow_id: team.workflowId, state_id: 'Done', name: 'backlog' }
      await assert.rejects(team.call('workflow_states_update', rename), refusal('conflict', 'name'))
      const { changed } = await team.call('workflow_states_update', { ...rename, name: 'DONE' })
      assert.deepEqual(changed, ['name'], 'its own name in another case is free')
    },
  )

  test('a deleted name is free again, and a workflow has at most 100 states', async () => {
    const team = await newTeam(at())
    const create = (name: string) =>
      team.call('workflow_states_create', { workflow_id: team.workflowId, name, system_status: 'open' })
    await team.confirmed('workflow_states_delete', { workflow_id: team.workflowId, state_id: 'In review' })
    await create('In review')
    for (let n = 6; n < 100; n++) await create(`State ${n}`)
    await assert.rejects(create('One more'), refusal('limit_exceeded'))
  })
})
