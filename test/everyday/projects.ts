import assert from 'node:assert/strict'
import { titlesOf, type EverydayTask } from './task.ts'

export const projects: readonly EverydayTask[] = [
  {
    ask: 'Sort my Inbox into APP and WEB',
    async run({ person, agent }) {
      for (const key of ['APP', 'WEB']) await person.createProject(key)
      await person.items('INBOX', ['App crashes', 'Site is slow', 'App icon', 'Footer of the site'])
      const { items } = await agent.call('tasks_list', { project_key: 'INBOX', limit: 100, include_detail: false })
      const refs = (word: string) =>
        (items as { ref: string; title: string }[]).filter(({ title }) => title.includes(word)).map(({ ref }) => ref)
      for (const [to_project, word] of [
        ['APP', 'App'],
        ['WEB', 'ite'],
      ] as const) {
        const { succeeded } = await agent.call('items_move_project', { item_refs: refs(word), to_project })
        assert.equal(succeeded, 2)
      }
      assert.equal((await person.call('items_get', { item_ref: 'INBOX#1' })).item.ref, 'APP#1')
    },
  },
  {
    ask: 'Rename the label bug to defect',
    async run({ person, agent }) {
      await person.items('INBOX', titlesOf(3, 'Broken'), { labels: ['bug'] })
      await agent.call('project_labels_patch', { project_key: 'INBOX', label_id: 'bug', name: 'defect' })
      const { total } = await person.call('tasks_list', { q: 'label:defect', include_total: true })
      assert.equal(total, 3)
    },
  },
  {
    ask: 'Merge the area Front into Web',
    async run({ person, agent }) {
      await person.createProject('APP')
      for (const name of ['Front', 'Web']) await person.call('project_areas_create', { project_key: 'APP', name })
      await person.items('APP', titlesOf(5, 'Page'), { area_path: 'Front' })
      const { items } = await agent.call('tasks_list', {
        project_key: 'APP',
        q: 'area:Front',
        limit: 100,
        include_detail: false,
      })
      const item_refs = items.map(({ ref }: { ref: string }) => ref)
      await agent.confirmed('items_bulk_patch', { item_refs, area_id: 'Web' })
      await agent.call('project_areas_delete', { project_key: 'APP', area_path: 'Front' })
      const { areas } = await person.call('project_areas_list', { project_key: 'APP' })
      assert.deepEqual(
        areas.map((area: { path: string; item_count: number }) => area.path),
        ['Web'],
      )
    },
  },
  {
    ask: 'Give APP a workflow of its own where nothing is done without review',
    async run({ person, agent }) {
      await person.createProject('APP')
      const ref = await person.item('APP', 'Change')
      const { workflow } = await agent.call('workflows_create', { name: 'Reviewed' })
      await agent.call('workflows_update', { workflow_id: workflow.id, enforce_transitions: true })
      await agent.call('projects_update', { project_key: 'APP', workflow_id: 'Reviewed' })
      const { code, allowed } = await agent.refused('items_move_state', { item_ref: ref, status_definition_id: 'Done' })
      assert.equal(code, 'transition_not_allowed')
      assert.ok((allowed ?? []).length > 0)
    },
  },
  {
    ask: 'Track the severity of bugs: blocker, major or minor',
    async run({ person, agent }) {
      await person.createProject('APP')
      const [first] = await person.items('APP', ['Crash', 'Typo'])
      await agent.call('project_custom_fields_create', { project_key: 'APP', label: 'Severity' })
      await agent.call('items_set_custom_fields', { item_ref: first, custom_fields: { severity: 'blocker' } })
      const { items } = await agent.call('tasks_list', { project_key: 'APP', q: 'cf.severity:blocker' })
      assert.deepEqual(
        items.map(({ ref }: { ref: string }) => ref),
        [first],
      )
    },
  },
  {
    ask: 'Number this invoice',
    async run({ person, agent, host }) {
      await host.command('series create', { key: 'inv', prefix: 'INV', user: person.email })
      const ref = await person.item('INBOX', 'Invoice for Acme')
      const { sequences } = await agent.call('custom_sequences_list')
      await agent.call('custom_numbers_assign', { item_ref: ref, series_key: sequences[0].series_key })
      assert.equal((await agent.call('items_get', { item_ref: 'INV-1' })).item.ref, ref)
    },
  },
  {
    ask: 'How many open tasks has each project, and by priority?',
    async run({ person, agent }) {
      await person.createProject('APP')
      await person.items('APP', titlesOf(3, 'Task'), { priority: 'high' })
      const { facets } = await agent.call('items_facet', { facet_by: 'project', q: 'is:open' })
      assert.ok(JSON.stringify(facets).includes('APP'))
      await agent.call('items_facet', { facet_by: 'priority', q: 'is:open' })
    },
  },
]
