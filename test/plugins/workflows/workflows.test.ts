import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  createWorkflow,
  projectWorkflow,
  defaultState,
  finalState,
  statesOf,
  type WorkflowStateRow,
} from '../../../plugins/workflows/index.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { names, newTeam, refusal, workflowsHost, type Bench } from './setup.ts'

async function share(
  { host }: Bench,
  owner: string,
  key: string,
  member: string,
  role: 'editor' | 'viewer',
): Promise<void> {
  await host.command('project create', { key, name: key, user: owner })
  await host.write(async ctx => {
    await sql`
      insert into projects.members (owner_id, project_id, user_id, role, created_at)
      select p.owner_id, p.id, m.id, ${role}, ${ctx.now} from projects.projects p join core.users o on o.id = p.owner_id, core.users m
      where o.email = ${owner} and p.key = ${key} and m.email = ${member}`.execute(ctx.db)
  })
  host.authenticator.forget()
}

forEachEngine('workflows', engine => {
  const at = workflowsHost(engine)

  verifies(
    'workflow.system_states',
    'every user has one system workflow, also users created before the plugin',
    async () => {
      const { host } = at()
      const counts = async () =>
        host.sql<{ workflows: number; states: number; defaults: number }>`
        select (select count(*)::int from workflows.workflows w where w.owner_id = u.id and w.is_system) as workflows,
          (select count(*)::int from workflows.states s where s.owner_id = u.id) as states,
          (select count(*)::int from workflows.states s where s.owner_id = u.id and s.is_default) as defaults
        from core.users u where u.email like 'old%' order by u.email`
      await host.user('old1@example.com')
      await host.user('old2@example.com')
      const one = { workflows: 1, states: 6, defaults: 1 }
      assert.deepEqual(await counts(), [one, one])
      await host.sql`delete from workflows.workflows w using core.users u where u.id = w.owner_id and u.email like 'old%'`
      const workflows = host.registry.plugins.find(({ name }) => name === 'workflows')!
      const resume = () => host.write(async ctx => workflows.onEnabled?.(ctx, null))
      const statements = await host.statements(resume)
      assert.equal(statements.filter(text => text.includes('workflows.')).length, 4)
      assert.deepEqual(await counts(), [one, one])
      await resume()
      assert.deepEqual(await counts(), [one, one], 'repeating changes nothing')
    },
  )

  verifies(
    'workflow.copy_usable',
    'a copy has the states and transitions of the system workflow, can be edited and given to a project',
    async () => {
      const { host } = at()
      const team = await newTeam(at())
      const { states } = await team.call('workflow_states_list')
      const shape = (rows: Record<string, unknown>[]) =>
        rows.map(({ id: _id, workflow_id: _workflow, workflow: _name, ...rest }) => rest)
      assert.deepEqual(shape(states.slice(6)), shape(states.slice(0, 6)))
      const [counts] = await host.sql`
      select count(*) filter (where w.is_system)::int as system, count(*) filter (where not w.is_system)::int as copy
      from workflows.transitions t join workflows.workflows w on w.owner_id = t.owner_id and w.id = t.workflow_id where w.owner_id = ${team.userId}`
      assert.deepEqual(counts, { system: 16, copy: 16 })
      await team.call('workflow_states_update', { workflow_id: 'Team', state_id: 'Done', name: 'Shipped' })
      await host.command('workflow assign', { project_key: 'INBOX', workflow: 'Team', user: team.email })
      const inbox = await team.call('workflow_states_list', { project_key: 'INBOX' })
      assert.ok(names(inbox.states).includes('Shipped'))
      await assert.rejects(
        host.command('workflow copy', { name: 'ｔｅａｍ', user: team.email }),
        refusal('conflict', 'name'),
      )
      await assert.rejects(
        host.command('workflow copy', { name: '  ', user: team.email }),
        refusal('invalid_argument', 'name'),
      )
    },
  )

  test('a copy of a copy has its own states and default', async () => {
    const { host } = at()
    const team = await newTeam(at())
    await team.call('workflow_states_create', {
      workflow_id: 'Team',
      name: 'Triage',
      system_status: 'open',
      is_default: true,
    })
    await host.write(ctx =>
      createWorkflow(ctx, team.userId, { name: 'Second', copyOf: { ownerId: team.userId, id: team.workflowId } }),
    )
    const { states, workflows } = await team.call('workflow_states_list')
    const second = workflows.find((each: { name: string }) => each.name === 'Second').id
    const mine = states.filter((each: { workflow_id: string }) => each.workflow_id === second)
    assert.deepEqual(names(mine), [...names((await team.states()).slice(0, 6)), 'Triage'])
    assert.deepEqual(names(mine.filter((each: { is_default: boolean }) => each.is_default)), ['Triage'])
  })

  test('assigning a workflow maps each former state by name, then by meaning, then to the initial or final state', async () => {
    const { host, tickets } = at()
    const team = await newTeam(at())
    await host.command('project create', { key: 'APP', name: 'App', user: team.email })
    const update = (state_id: string, args: object) =>
      team.call('workflow_states_update', { workflow_id: 'Team', state_id, ...args })
    await update('In progress', { name: 'Doing' })
    await update("Won't fix", { name: 'Dropped' })
    await update('Duplicate', { name: 'Shipped', status_attribute: 'done' })
    await update('In review', { name: 'Waiting', category: 'todo' })
    const { text, rows } = await host.command('workflow assign', {
      project_key: 'app',
      workflow: 'Team',
      user: team.email,
    })
    assert.equal(text, 'APP uses the workflow "Team" now.')
    assert.deepEqual(
      rows!.map(({ former_state, state }) => [former_state, state]),
      [
        ['Backlog', 'Backlog'],
        ['In progress', 'Doing'],
        ['In review', 'Backlog'],
        ['Done', 'Done'],
        ['Duplicate', 'Done'],
        ["Won't fix", 'Dropped'],
      ],
    )
    const reassigned = tickets.reassignments.at(-1)!
    assert.equal(reassigned.ownerId, team.userId)
    assert.deepEqual(
      reassigned.moves.map(({ from, to }) => [from.name, to.name]),
      rows!.map(row => [row['former_state'], row['state']]),
    )
    const again = await host.command('workflow assign', { project_key: 'APP', workflow: 'Team', user: team.email })
    assert.equal(again.text, 'APP uses the workflow "Team" already.')
    await host.command('workflow assign', { project_key: 'APP', workflow: 'Standard', user: team.email })
    const back = await host.sql`select 1 from workflows.project_workflows where owner_id = ${team.userId}`
    assert.equal(back.length, 0, 'a project without a row uses the system workflow')
    for (const [args, code, field] of [
      [{ project_key: 'NOPE', workflow: 'Team' }, 'not_found', 'project_key'],
      [{ project_key: 'APP', workflow: 'Nope' }, 'not_found', 'workflow'],
    ] as const) {
      await assert.rejects(host.command('workflow assign', { ...args, user: team.email }), refusal(code, field))
    }
  })

  test('commands list workflows and switch the enforcement of transitions', async () => {
    const { host } = at()
    const team = await newTeam(at())
    const enforce = (workflow: string, enforce: string) =>
      host.command('workflow enforce', { workflow, enforce, user: team.email })
    assert.equal((await enforce('Team', 'on')).text, 'The workflow "Team" now allows moves along its transitions only.')
    assert.equal(
      (await enforce(team.workflowId, 'on')).text,
      'The workflow "Team" already allows moves along its transitions only.',
    )
    await assert.rejects(enforce('Standard', 'on'), refusal('not_user_owned', 'workflow'))
    const { rows } = await host.command('workflow list', { user: team.email })
    assert.deepEqual(
      rows!.map(({ name, system, enforce, projects }) => [name, system, enforce, projects]),
      [
        ['Standard', 'yes', 'off', 'INBOX'],
        ['Team', 'no', 'on', null],
      ],
    )
    const { workflows } = await team.call('workflow_states_list')
    assert.deepEqual(
      workflows.map((each: { enforce_transitions: boolean }) => each.enforce_transitions),
      [false, true],
    )
    await assert.rejects(host.command('workflow copy', { name: 'X' }), refusal('missing_argument', 'user'))
    await assert.rejects(
      host.command('workflow copy', { name: 'X', user: 'nobody@example.com' }),
      refusal('not_found', 'user'),
    )
  })

  test('members see the workflow of a shared project and cannot edit it; others do not see it', async () => {
    const { host } = at()
    const owner = await newTeam(at())
    const member = await newTeam(at())
    const stranger = await newTeam(at())
    await share(at(), owner.email, 'SHARED', member.email, 'editor')
    assert.equal((await member.call('workflow_states_list')).workflows.length, 3)
    await host.command('workflow assign', { project_key: 'SHARED', workflow: 'Team', user: owner.email })
    const { workflows } = await member.call('workflow_states_list')
    const shared = workflows.find((each: { id: string }) => each.id === owner.workflowId)
    assert.deepEqual([shared.editable, shared.project_keys], [false, ['SHARED']])
    assert.deepEqual(
      (await member.call('workflow_states_list', { project_key: 'SHARED' })).states,
      await owner.states(),
    )
    const { id } = await owner.state('Backlog')
    assert.equal((await member.call('workflow_transitions_list', { from_state_id: id })).transitions.length, 3)
    const rename = { workflow_id: owner.workflowId, state_id: id, name: 'Taken' }
    await assert.rejects(member.call('workflow_states_update', rename), refusal('not_user_owned', 'workflow_id'))
    await assert.rejects(stranger.call('workflow_states_update', rename), refusal('not_found', 'workflow_id'))
    await assert.rejects(stranger.call('workflow_transitions_list', { from_state_id: id }), refusal('not_found'))
    assert.equal((await stranger.call('workflow_states_list')).workflows.length, 2)
    await assert.rejects(
      member.call('workflow_states_update', { ...rename, workflow_id: 'Standard' }),
      refusal('not_user_owned'),
    )
  })

  test('a credential for some projects sees their workflows, and edits workflows that no other project uses', async () => {
    const { host } = at()
    await host.command('project create', { key: 'ONE', name: 'One', user: 'owner@example.com' })
    await host.command('project create', { key: 'TWO', name: 'Two', user: 'owner@example.com' })
    await host.command('workflow copy', { name: 'Team', user: 'owner@example.com' })
    await host.command('workflow copy', { name: 'Other', user: 'owner@example.com' })
    const [one] = await host.sql<{
      id: string
    }>`select id from projects.projects where owner_id = ${host.userId} and key = 'ONE'`
    const limited = await host.credential({ projects: [one!.id] })
    assert.deepEqual(names((await limited.call('workflow_states_list')).workflows), ['Standard'])
    const rename = (name: string) =>
      limited.call('workflow_states_update', { workflow_id: 'Team', state_id: 'Done', name })
    await assert.rejects(rename('Ended'), refusal('not_found', 'workflow_id'))
    const assign = (project_key: string) =>
      host.command('workflow assign', { project_key, workflow: 'Team', user: 'owner@example.com' })
    await assign('ONE')
    const { workflows } = await limited.call('workflow_states_list')
    assert.deepEqual(
      workflows.map((each: { name: string; project_keys: string[] }) => [each.name, each.project_keys]),
      [['Team', ['ONE']]],
    )
    assert.deepEqual((await rename('Ended')).changed, ['name'])
    await assign('TWO')
    await assert.rejects(rename('Over'), refusal('forbidden', 'workflow_id'))
    assert.deepEqual((await limited.call('workflow_states_list')).workflows[0].project_keys, ['ONE'])
  })

  verifies(
    'workflow.default_completion',
    'the expressions for other plugins give workflow, first and last state of a project',
    async () => {
      const { host } = at()
      const team = await newTeam(at())
      const read = () =>
        host.write(async ctx => {
          const workflow = projectWorkflow('p')
          const { rows } = await sql<{ workflow: string; first: string; states: WorkflowStateRow[] }>`
          select w.name as workflow, first.name as first, ${statesOf(sql.ref('p.owner_id'), workflow)} as states
          from projects.projects p
          join workflows.workflows w on w.owner_id = p.owner_id and w.id = ${workflow}
          join workflows.states first on first.owner_id = p.owner_id and first.id = ${defaultState(sql.ref('p.owner_id'), workflow)}
          where p.owner_id = ${team.userId} and p.is_inbox`.execute(ctx.db)
          const { states, ...found } = rows[0]!
          return { ...found, last: finalState(states)?.name }
        })
      assert.deepEqual(await read(), { workflow: 'Standard', first: 'Backlog', last: 'Done' })
      await host.command('workflow assign', { project_key: 'INBOX', workflow: 'Team', user: team.email })
      const update = (state_id: string, args: object) =>
        team.call('workflow_states_update', { workflow_id: 'Team', state_id, ...args })
      const order = ['Duplicate', 'In review', 'Backlog', 'In progress', "Won't fix", 'Done']
      await team.call('workflow_states_reorder', { workflow_id: 'Team', state_ids: order })
      assert.deepEqual(await read(), { workflow: 'Team', first: 'Backlog', last: 'Done' })
      await update('Backlog', { is_default: false })
      assert.deepEqual(await read(), { workflow: 'Team', first: 'In review', last: 'Done' })
      await update('Done', { status_attribute: 'wontfix' })
      assert.deepEqual(await read(), { workflow: 'Team', first: 'In review', last: 'Duplicate' })
    },
  )

  test('the tables refuse what the tools refuse: two defaults, two equal names, two equal transitions', async () => {
    const { host } = at()
    const team = await newTeam(at())
    const [backlog, progress] = await team.states()
    const writes = [
      () => host.sql`update workflows.states set is_default = true where id = ${progress!.id}`,
      () => host.sql`update workflows.states set name_key = 'backlog' where id = ${progress!.id}`,
      () =>
        host.sql`update workflows.transitions set is_default_next = true where from_state_id = ${backlog!.id} and kind = 'cancel'`,
      () =>
        host.sql`update workflows.transitions set to_state_id = ${backlog!.id}, from_state_id = null where from_state_id = ${progress!.id} and kind = 'next'`,
    ]
    for (const write of writes) await assert.rejects(write(), /unique/)
  })

  test('concurrent writes to one workflow wait for each other', async () => {
    const team = await newTeam(at())
    const create = (name: string) =>
      team.call('workflow_states_create', { workflow_id: 'Team', name, system_status: 'open', is_default: true })
    await Promise.all(['A', 'B', 'C', 'D'].map(create))
    const states = await team.states()
    assert.deepEqual(
      states.map(({ display_order }) => display_order),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    assert.equal(states.filter(({ is_default }) => is_default).length, 1)
    const same = await Promise.allSettled([create('Same'), create('SAME')])
    assert.deepEqual(same.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })
})
