import assert from 'node:assert/strict'
import { titlesOf, type EverydayTask } from './task.ts'

const TEN_DAYS = { start_date: '2026-11-30', end_date: '2026-12-11' }

export const planning: readonly EverydayTask[] = [
  {
    ask: 'Plan a sprint from the backlog of 30',
    async run({ person, agent }) {
      await person.createProject('APP')
      await person.estimate('APP', await person.items('APP', titlesOf(30, 'Story')), '3')
      await agent.call('sprints_create', { project_key: 'APP', name: 'Sprint 1', goal: 'Checkout', ...TEN_DAYS })
      const { items } = await agent.call('tasks_list', {
        project_key: 'APP',
        q: 'sprint:none is:open',
        sort: 'priority',
        limit: 30,
        include_detail: false,
      })
      const item_refs = items.slice(0, 12).map((item: { ref: string }) => item.ref)
      const { succeeded } = await agent.confirmed('items_bulk_patch', { item_refs, sprint_id: 'Sprint 1' })
      assert.equal(succeeded, 12)
      const { sprints } = await person.call('sprints_list', { project_key: 'APP' })
      assert.equal(sprints[0].remaining_estimate, 36)
    },
  },
  {
    ask: 'Close the sprint: carry over what is half done, drop the rest, and start the next one',
    async run({ person, agent }) {
      await person.createProject('APP')
      for (const name of ['Sprint 1', 'Sprint 2'])
        await person.call('sprints_create', { project_key: 'APP', name, ...TEN_DAYS })
      await person.call('sprints_update', { project_key: 'APP', sprint: 'Sprint 1', status: 'active' })
      const refs = await person.items('APP', titlesOf(4, 'Story'), { sprint: 'Sprint 1' })
      await person.call('items_complete', { item_ref: refs[0] })
      const { sprints } = await agent.call('sprints_list', { project_key: 'APP' })
      assert.deepEqual(sprints.map(({ name }: { name: string }) => name).toSorted(), ['Sprint 1', 'Sprint 2'])
      const { items } = await agent.call('tasks_list', { project_key: 'APP', q: 'sprint:@active is:open' })
      const [first, ...others] = items as { ref: string }[]
      const { sprint, next_sprint } = await agent.call('sprints_handoff', {
        project_key: 'APP',
        sprint: 'Sprint 1',
        next_sprint: 'Sprint 2',
        dispositions: [
          { item_ref: first!.ref, disposition: 'next_sprint' },
          ...others.map(({ ref }) => ({ item_ref: ref, disposition: 'drop' })),
        ],
      })
      assert.deepEqual([sprint.status, next_sprint.status], ['closed', 'active'])
    },
  },
  {
    ask: 'Will we make it? Forecast the sprint',
    async run({ person, agent }) {
      await person.createProject('APP')
      await person.call('sprints_create', { project_key: 'APP', name: 'Sprint 1', status: 'active', ...TEN_DAYS })
      await person.estimate('APP', await person.items('APP', titlesOf(3, 'Story'), { sprint: 'Sprint 1' }), '2')
      const { sprints } = await agent.call('sprints_list')
      const { remaining_points } = await agent.call('agile_sprint_forecast', { sprint_id: sprints[0].path })
      assert.equal(remaining_points, 6)
    },
  },
  {
    ask: 'Estimate what has no estimate, as we did before',
    async run({ person, agent }) {
      await person.createProject('APP')
      const done = await person.items('APP', titlesOf(6, 'Fix the login form'))
      await person.estimate('APP', done, '3')
      for (const item_ref of done) await person.call('items_complete', { item_ref })
      const open = await person.items('APP', ['Fix the login page', 'Fix the login button'])
      const { suggestions } = await agent.call('agile_estimate_suggest', { project_key: 'APP' })
      const estimates = (suggestions as { item_ref: string; value: string }[]).map(({ item_ref, value }) => ({
        item_id: item_ref,
        value,
      }))
      await agent.call('agile_estimate_apply', { project_key: 'APP', estimates })
      assert.equal((await person.call('items_get', { item_ref: open[0] })).item.estimate, '3')
    },
  },
  {
    ask: 'Draft a retrospective of the last sprint and show it to me',
    async run({ person, agent }) {
      await person.createProject('APP')
      await person.call('sprints_create', { project_key: 'APP', name: 'Sprint 1', status: 'active', ...TEN_DAYS })
      const refs = await person.items('APP', titlesOf(3, 'Story'), { sprint: 'Sprint 1' })
      await person.call('items_complete', { item_ref: refs[0] })
      await person.call('sprints_close', { project_key: 'APP', sprint: 'Sprint 1' })
      const { sprints } = await agent.call('sprints_list', { project_key: 'APP' })
      await agent.call('agile_retro_draft', { sprint_id: sprints[0].path })
      const { notes } = await agent.call('sprints_note_get', { project_key: 'APP', sprint: 'Sprint 1' })
      assert.match(notes.assistant_summary.body, /Story 1/)
    },
  },
  {
    ask: 'What went into 1.0? Then mark it as released',
    async run({ person, agent }) {
      await person.createProject('APP')
      await person.call('versions_create', { project_key: 'APP', name: '1.0' })
      for (const item_ref of await person.items('APP', titlesOf(3, 'Feature'), { version: '1.0' })) {
        await person.call('items_complete', { item_ref })
      }
      const { items } = await agent.call('tasks_list', { project_key: 'APP', q: 'version:1.0 is:closed', limit: 100 })
      assert.equal(items.length, 3)
      const { version } = await agent.call('versions_update', {
        project_key: 'APP',
        version: '1.0',
        status: 'released',
      })
      assert.equal(version.status, 'released')
    },
  },
]
