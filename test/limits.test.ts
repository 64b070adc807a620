import assert from 'node:assert/strict'
import { forEachEngine } from './engines.ts'
import { newTeam } from './plugins/sprints/team.ts'
import { sharedHost } from './shared-host.ts'
import { verifies } from './verifies.ts'

/** Arguments of a writing tool, one of its text parameters, and the limit of this parameter in characters. */
type Limit = readonly [tool: string, record: object, parameter: string, most: number]

forEachEngine('limits of changes', engine => {
  const host = sharedHost(engine, { config: { plugins: { project_admin: {} } } })

  verifies(
    [
      'item.title_length',
      'item.detail_per_call',
      'project_labels_create.limits',
      'project_areas_create.limits',
      'workflow_states_create.limits',
      'sprints_create.limits',
      'versions_create.planning',
      'project_custom_fields_create.text_only',
    ],
    'texts of a change have the limits of creation, to the character, and a refused change changes nothing',
    async () => {
      const app = await newTeam(host)
      const ref = await app.item('a task')
      const { label } = await app.in('project_labels_create', { name: 'label' })
      const { area } = await app.in('project_areas_create', { name: 'area' })
      const { custom_field: field } = await app.in('project_custom_fields_create', { label: 'field' })
      const { workflow } = await app.call('workflows_create', { name: 'Ours' })
      const { state } = await app.call('workflow_states_create', {
        workflow_id: workflow.id,
        name: 'state',
        system_status: 'open',
      })
      const sprint = await app.sprint('sprint')
      const { version } = await app.in('versions_create', { name: 'version' })
      const inProject = { project_key: 'APP' }
      const ofState = { workflow_id: workflow.id, state_id: state.id }
      const limits: readonly Limit[] = [
        ['items_patch', { item_ref: ref }, 'title', 200],
        ['items_patch', { item_ref: ref }, 'detail', 32_000],
        ['project_labels_patch', { ...inProject, label_id: label.id }, 'description', 500],
        ['project_labels_patch', { ...inProject, label_id: label.id }, 'name', 64],
        ['project_areas_update', { ...inProject, area_path: area.path }, 'description', 500],
        ['project_areas_update', { ...inProject, area_path: area.path }, 'name', 80],
        ['workflow_states_update', ofState, 'description', 500],
        ['workflow_states_update', ofState, 'name', 80],
        ['sprints_update', { ...inProject, sprint: sprint.id }, 'name', 120],
        ['versions_update', { ...inProject, version: version.id }, 'name', 120],
        ['project_custom_fields_update', { ...inProject, field_key: field.field_key }, 'label', 80],
      ]
      for (const [tool, record, parameter, most] of limits) {
        // The limit counts characters, not UTF-16 units.
        const change = (length: number) => app.call(tool, { ...record, [parameter]: '😀'.repeat(length) })
        const what = `${tool} ${parameter}`
        await assert.rejects(change(most + 1), { code: 'invalid_argument', field: parameter }, what)
        assert.notDeepEqual((await change(most)).changed, [], what)
      }
    },
  )

  verifies(
    ['items_bulk_patch.count', 'item.title_length', 'item.detail_per_call'],
    'items_bulk_patch accepts 25 items, with the text limits of one item',
    async () => {
      const app = await newTeam(host)
      const item_refs: string[] = []
      for (let n = 1; n <= 25; n++) item_refs.push(await app.item(`Task ${n}`))
      for (const [parameter, most] of [
        ['title', 200],
        ['detail', 32_000],
      ] as const) {
        const change = (length: number) => ({ item_refs, [parameter]: '😀'.repeat(length) })
        const refused = { code: 'invalid_argument', field: parameter }
        for (const tool of ['items_bulk_patch', 'items_bulk_patch_preview'])
          await assert.rejects(app.call(tool, change(most + 1)), refused, `${tool} ${parameter}`)
      }
      assert.equal((await app.confirmed('items_bulk_patch', { item_refs, title: '😀'.repeat(200) })).succeeded, 25)
    },
  )
})
