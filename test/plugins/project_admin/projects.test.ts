import * as fc from 'fast-check'
import assert from 'node:assert/strict'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { adminHost } from './admin.ts'

const TOOLS = [
  'custom_sequences_create',
  'custom_sequences_update',
  'events_create',
  'project_features_set',
  'project_members_set',
  'projects_create',
  'projects_update',
  'versions_list',
  'workflows_create',
]

forEachEngine('project_admin', engine => {
  const empty = adminHost(engine)

  verifies('project_admin.off_by_default', 'its tools are not listed until config turns it on', async t => {
    const names = async (host: Awaited<ReturnType<typeof testHost>>) =>
      (await host.listTools()).map(({ name }) => name).filter(name => TOOLS.includes(name))
    assert.deepEqual(await names(await testHost(t, { engine })), [])
    assert.deepEqual((await names(await empty())).toSorted(), TOOLS)
  })

  verifies('projects_create.create', 'a created project can be used at once', async () => {
    const host = await empty()
    const { project } = await host.call('projects_create', { key: 'APP', name: 'App', description: 'The app' })
    assert.deepEqual(project, {
      key: 'APP',
      name: 'App',
      description: 'The app',
      is_inbox: false,
      archived: false,
      estimate_unit: 'points',
    })
    const { item } = await host.call('items_create', { project_key: 'APP', title: 'First' })
    assert.equal(item.ref, 'APP#1')
    const sent = await host.statements(() => host.call('projects_create', { key: 'LAB', name: 'Lab' }))
    assert.equal(
      sent.filter(text => !/^(begin|commit|start)/i.test(text)).length,
      3,
      'the project, its activity and its entry in the audit trail',
    )
  })

  verifies(
    ['projects_create.key_rule', 'ownership.project_keys'],
    'existing or malformed keys are refused',
    async () => {
      const host = await empty()
      assert.equal((await host.call('projects_create', { key: 'ａpp_2', name: 'App' })).project.key, 'APP_2')
      for (const key of ['APP_2', 'app_2', 'INBOX']) {
        await assert.rejects(host.call('projects_create', { key, name: 'Again' }), { code: 'conflict', field: 'key' })
      }
      for (const key of ['2APP', '_A', 'A-B', 'A B', 'A#1', 'ABCDEFGHIJKLMNOPQ', 'アプリ', ' ']) {
        await assert.rejects(host.call('projects_create', { key, name: 'App' }), {
          code: 'invalid_argument',
          field: 'key',
        })
      }
      await assert.rejects(host.call('projects_create', { key: 'B', name: '  ' }), {
        code: 'invalid_argument',
        field: 'name',
      })
      const other = await host.user('other@example.com')
      assert.equal((await other.call('projects_create', { key: 'APP_2', name: 'Mine' })).project.key, 'APP_2')
    },
  )

  verifies('projects_create.key_rule', 'any key is stored according to the pattern or refused', async () => {
    const host = await empty()
    await fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom('a', 'Z', '0', '9', '_', '-', ' ', '#', 'é', '/', 'Ａ'),
          minLength: 1,
          maxLength: 18,
        }),
        async key => {
          const made = await host
            .call('projects_create', { key, name: 'X' })
            .catch((error: { code: string }) => error.code)
          if (typeof made === 'string') assert.ok(['invalid_argument', 'conflict'].includes(made), made)
          else assert.match(made.project.key, /^[A-Z][A-Z0-9_]{0,15}$/)
        },
      ),
      { numRuns: 40 },
    )
  })

  verifies('projects_update.fields', 'name, description and archived change, and changed lists them', async () => {
    const host = await empty()
    await host.call('projects_create', { key: 'APP', name: 'App', description: 'Old' })
    const update = (args: object) => host.call('projects_update', { project_key: 'APP', ...args })
    const first = await update({ name: 'Application', description: null, archived: true })
    assert.deepEqual(first.changed, ['name', 'description', 'archived'])
    assert.equal(first.project.description, null)
    assert.deepEqual((await update({ name: 'Application', archived: true })).changed, [])
    assert.deepEqual((await update({ archived: false, description: 'New' })).changed, ['description', 'archived'])
    const { projects } = await host.call('projects_list')
    assert.deepEqual([projects[1].name, projects[1].description, projects[1].archived], ['Application', 'New', false])
    await assert.rejects(host.call('projects_update', { project_key: 'INBOX', archived: true }), {
      code: 'invalid_argument',
      field: 'archived',
    })
    await assert.rejects(update({ name: '' }), { code: 'invalid_argument', field: 'name' })
  })

  verifies('projects_update.estimate_unit', 'the unit of estimates is none, points or hours', async () => {
    const host = await empty()
    await host.call('projects_create', { key: 'APP', name: 'App' })
    const { project, changed } = await host.call('projects_update', { project_key: 'APP', estimate_unit: 'hours' })
    assert.deepEqual([project.estimate_unit, changed], ['hours', ['estimate_unit']])
    const to = async (estimate_unit: string) =>
      (await host.call('projects_update', { project_key: 'APP', estimate_unit })).warnings
    const kept = ['Estimates keep their numbers: what was in hours is in points now.']
    assert.deepEqual([await to('points'), await to('points'), await to('none')], [kept, undefined, undefined])
    await to('hours')
    await assert.rejects(host.call('projects_update', { project_key: 'APP', estimate_unit: 'days' }), {
      code: 'invalid_argument',
      field: 'estimate_unit',
    })
  })

  verifies('projects_update.workflow', 'with another workflow the items move to the corresponding states', async () => {
    const host = await empty()
    await host.call('projects_create', { key: 'APP', name: 'App' })
    await host.call('items_create', { project_key: 'APP', title: 'One' })
    const { workflow } = await host.call('workflows_create', { name: 'Ours' })
    const { changed, moved_states } = await host.call('projects_update', {
      project_key: 'APP',
      workflow_id: workflow.id,
    })
    assert.deepEqual(changed, ['workflow_id'])
    assert.equal(moved_states.length, workflow.states.length)
    const { item } = await host.call('items_get', { item_ref: 'APP#1' })
    assert.ok(workflow.states.some((state: { id: string }) => state.id === item.status_definition_id))
    assert.deepEqual((await host.call('projects_update', { project_key: 'APP', workflow_id: 'ours' })).changed, [])
    await assert.rejects(host.call('projects_update', { project_key: 'APP', workflow_id: 'nope' }), {
      code: 'not_found',
      field: 'workflow_id',
    })
    const other = await host.user('other@example.com')
    const { workflow: theirs } = await other.call('workflows_create', { name: 'Theirs' })
    await assert.rejects(host.call('projects_update', { project_key: 'APP', workflow_id: theirs.id }), {
      code: 'not_found',
      field: 'workflow_id',
    })
  })

  verifies('projects_update.fields', 'a refused workflow rolls back the whole call', async () => {
    const host = await empty()
    await host.call('projects_create', { key: 'APP', name: 'App' })
    await assert.rejects(host.call('projects_update', { project_key: 'APP', name: 'Other', workflow_id: 'nope' }), {
      code: 'not_found',
    })
    assert.equal((await host.call('projects_list')).projects[1].name, 'App')
  })

  verifies('workflows_create.copy', 'a workflow is a copy of the system workflow, or of another workflow', async () => {
    const host = await empty()
    const { workflow: first } = await host.call('workflows_create', { name: 'First' })
    const names = (workflow: { states: { name: string }[] }) => workflow.states.map(state => state.name)
    const { states: system } = await host.call('workflow_states_list', { project_key: 'INBOX' })
    assert.deepEqual(names(first), names({ states: system }))
    await host.call('workflow_states_create', { workflow_id: first.id, name: 'Blocked', system_status: 'open' })
    const { workflow: second } = await host.call('workflows_create', { name: 'Second', copy_of: 'first' })
    assert.ok(names(second).includes('Blocked'))
    assert.ok(
      second.states.every(
        (state: { id: string }) => !first.states.some((other: { id: string }) => other.id === state.id),
      ),
    )
    await assert.rejects(host.call('workflows_create', { name: 'FIRST' }), { code: 'conflict', field: 'name' })
    await assert.rejects(host.call('workflows_create', { name: 'Third', copy_of: 'nope' }), {
      code: 'not_found',
      field: 'copy_of',
    })
  })

  verifies('ownership.invisible', 'a credential that is limited to projects may not change the account', async () => {
    const host = await empty()
    await host.call('projects_create', { key: 'APP', name: 'App' })
    const [app] = await host.sql<{ id: string }>`select id from projects.projects where key = 'APP'`
    const limited = await host.credential({ projects: [app!.id] })
    const calls: readonly (readonly [string, object])[] = [
      ['projects_create', { key: 'LAB', name: 'Lab' }],
      ['workflows_create', { name: 'Ours' }],
      ['project_features_set', { features: { sprints: false } }],
    ]
    for (const [tool, args] of calls) await assert.rejects(limited.call(tool, args), { code: 'forbidden' }, tool)
    await limited.call('projects_update', { project_key: 'APP', name: 'Renamed' })
    await assert.rejects(limited.call('projects_update', { project_key: 'INBOX', name: 'Renamed' }), {
      code: 'not_found',
    })
  })

  verifies('project_admin.off_by_default', 'a read credential has only the reading tool', async () => {
    const host = await empty()
    const reader = await host.reader()
    const shown = (await reader.listTools()).flatMap(({ name }) => (TOOLS.includes(name) ? [name] : []))
    assert.deepEqual(shown, ['versions_list'])
  })
})
