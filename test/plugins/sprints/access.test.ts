import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, paths } from './team.ts'

forEachEngine('access to sprints', engine => {
  const host = sharedHost(engine, { config: { plugins: { sprints: {}, project_admin: {}, estimation: false } } })
  const team = () => newTeam(host)

  verifies('sprints_create.disabled', 'sprint tools are refused while the feature is off in the project', async () => {
    const app = await team()
    await app.sprint('One', { status: 'active' })
    const ref = await app.item('a')
    await app.createProject('WEB')
    await app.call('project_features_set', { project_key: 'APP', features: { sprints: false } })
    const calls: [string, object][] = [
      ['sprints_create', { name: 'Two' }],
      ['sprints_list', {}],
      ['sprints_update', { sprint: 'One', goal: 'x' }],
      ['sprints_add_item', { sprint: 'One', item_ref: ref }],
      ['sprints_remove_item', { sprint: 'One', item_ref: ref }],
      ['sprints_note_get', { sprint: 'One' }],
      ['sprints_note_set', { sprint: 'One', slot: 'retro', body: 'x' }],
      ['sprints_close', { sprint: 'One' }],
      ['sprints_handoff', { sprint: 'One', next_sprint: 'Two' }],
      ['sprints_delete', { sprint: 'One' }],
      ['items_create', { title: 'b', sprint: 'One' }],
    ]
    for (const [tool, fields] of calls) {
      await assert.rejects(app.in(tool, fields), { code: 'feature_disabled', hint: /portal/ }, tool)
    }
    assert.deepEqual((await app.call('sprints_list')).sprints, [])
    await app.call('sprints_create', { project_key: 'WEB', name: 'One' })
    const { items } = await app.call('tasks_list', { include_agile: true })
    assert.equal(items[0].resolved_field_policy.sprint.enabled, false)
  })

  test('viewers can read sprints, others cannot see them', async () => {
    const app = await team()
    const viewer = await host.newUser()
    const stranger = await host.newUser()
    await app.share('APP', viewer.email, 'viewer')
    await app.sprint('One', { status: 'active' })
    const ref = await app.item('a', { sprint: 'One' })
    assert.deepEqual(paths((await viewer.call('sprints_list', { project_key: 'APP' })).sprints), ['One'])
    assert.deepEqual(paths((await viewer.call('sprints_list')).sprints), ['One'])
    for (const [tool, fields] of [
      ['sprints_create', { name: 'Two' }],
      ['sprints_remove_item', { sprint: 'One', item_ref: ref }],
      ['sprints_note_set', { sprint: 'One', slot: 'retro', body: 'x' }],
      ['sprints_close', { sprint: 'One' }],
      ['sprints_delete', { sprint: 'One' }],
    ] as const) {
      await assert.rejects(viewer.call(tool, { project_key: 'APP', ...fields }), { code: 'forbidden' }, tool)
      await assert.rejects(stranger.call(tool, { project_key: 'APP', ...fields }), { code: 'not_found' }, tool)
    }
    assert.deepEqual((await stranger.call('sprints_list')).sprints, [])
  })
})
