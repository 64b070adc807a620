import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam } from './team.ts'

forEachEngine('sprints on items', engine => {
  const host = sharedHost(engine, { config: { plugins: { sprints: {}, estimation: false } } })
  const team = () => newTeam(host)

  verifies(
    ['items_create.sprint', 'items_create.sprint_closed'],
    'an item is created in the sprint of a name, path or symbol; a missing or closed sprint is refused and nothing is created',
    async () => {
      const app = await team()
      await app.sprint('Done', { status: 'active' })
      await app.in('sprints_close', { sprint: 'Done' })
      await app.sprint('Year')
      await app.sprint('One', { parent: 'Year' })
      await app.sprint('Now', { status: 'active' })
      const create = (sprint: string) => app.in('items_create', { title: 'a', sprint })
      const { item, changed } = await create('year/ＯＮＥ')
      assert.deepEqual([item.sprint_path, changed], ['Year/One', ['title', 'sprint']])
      assert.equal((await create('one')).item.sprint_path, 'Year/One')
      assert.equal((await create('@active')).item.sprint_path, 'Now')
      assert.equal((await create('@next')).item.sprint_path, 'Year/One')
      assert.ok(!('sprint_path' in (await create('')).item))
      await assert.rejects(create('Done'), { code: 'sprint_closed', field: 'sprint' })
      await assert.rejects(create('nowhere'), {
        code: 'not_found',
        field: 'sprint',
        allowed: ['Now', 'Year', 'Year/One'],
      })
      assert.equal((await app.call('tasks_list', { include_total: true })).total, 5)
    },
  )

  verifies(
    'items_create.inherits_sprint',
    "with a parent its sprint is inherited, unless it is closed, of another project, or 'sprint' says otherwise",
    async () => {
      const app = await team()
      await app.sprint('Now', { status: 'active' })
      await app.sprint('Then')
      const parents = [await app.item('active', { sprint: 'Now' }), await app.item('planned', { sprint: 'Then' })]
      const child = async (parent: string, fields: object = {}) =>
        (await app.in('items_create', { title: 'child', parent, ...fields })).item.sprint_path
      assert.deepEqual([await child(parents[0]!), await child(parents[1]!)], ['Now', 'Then'])
      assert.equal(await child(parents[0]!, { sprint: 'Then' }), 'Then')
      for (const none of ['', null]) assert.equal(await child(parents[0]!, { sprint: none }), undefined)
      const abroad = await app.call('items_create', { project_key: 'INBOX', title: 'child', parent: parents[0]! })
      assert.ok(!('sprint_path' in abroad.item))
      await app.call('items_complete', { item_ref: parents[0]! })
      await app.in('sprints_close', { sprint: 'Now' })
      assert.equal((await app.placement())[parents[0]!], 'Now', 'finished items stay in the closed sprint')
      assert.equal(await child(parents[0]!), undefined)
    },
  )

  verifies(
    ['sprints_add_item.same_project', 'sprints_remove_item.unassign'],
    'an item is in one sprint of its own project; removing it changes nothing else',
    async () => {
      const app = await team()
      await app.sprint('One')
      await app.sprint('Two')
      const ref = await app.item('a')
      const add = (sprint: string, item_ref = ref) => app.in('sprints_add_item', { sprint, item_ref })
      const remove = (sprint: string) => app.in('sprints_remove_item', { sprint, item_ref: ref })
      const first = await add('One')
      assert.deepEqual([first.item.sprint_path, first.changed], ['One', ['sprint']])
      assert.deepEqual((await add('One')).changed, [])
      assert.equal((await add('Two')).item.sprint_path, 'Two')
      await assert.rejects(remove('One'), { code: 'invalid_argument', field: 'sprint', allowed: ['Two'] })
      const out = await remove('Two')
      assert.deepEqual([out.item.sprint_path, out.changed], [null, ['sprint']])
      assert.deepEqual((await remove('Two')).changed, [])
      const { activities } = await app.call('activities_list', { item_ref: ref, kind: 'item.sprint.changed' })
      assert.deepEqual(
        activities.map(({ from, to }: { from?: string; to?: string }) => [from, to]),
        [
          ['Two', undefined],
          ['One', 'Two'],
          [undefined, 'One'],
        ],
      )
      const { item } = await app.call('items_create', { project_key: 'INBOX', title: 'b' })
      await assert.rejects(add('One', item.ref), { code: 'invalid_argument', field: 'item_ref', message: /INBOX/ })
      await assert.rejects(add('One', '#99'), { code: 'not_found', field: 'item_ref' })
      await assert.rejects(add('Three'), { code: 'not_found', field: 'sprint' })
    },
  )

  test('a closed sprint accepts no items and keeps finished items; reopened items can move to another sprint', async () => {
    const app = await team()
    await app.sprint('Old', { status: 'active' })
    await app.sprint('New')
    const ref = await app.item('a', { sprint: 'Old' })
    await app.call('items_complete', { item_ref: ref })
    await app.in('sprints_close', { sprint: 'Old' })
    const other = await app.item('b')
    await assert.rejects(app.in('sprints_add_item', { sprint: 'Old', item_ref: other }), { code: 'sprint_closed' })
    await assert.rejects(app.in('sprints_remove_item', { sprint: 'Old', item_ref: ref }), { code: 'sprint_closed' })
    await assert.rejects(app.in('sprints_add_item', { sprint: 'New', item_ref: ref }), { code: 'sprint_closed' })
    await app.call('items_move_state', { item_ref: ref, status_definition_id: 'In progress' })
    assert.equal((await app.in('sprints_add_item', { sprint: 'New', item_ref: ref })).item.sprint_path, 'New')
    const { sprints } = await app.in('sprints_list', {})
    const old = sprints.find((sprint: { path: string }) => sprint.path === 'Old')
    assert.deepEqual([old.velocity, old.item_count, old.done_count], [1, 1, 1], 'the snapshot stays')
  })

  verifies(
    'items_bulk_patch.sprint',
    'sprint_id moves items of its project, null removes from a sprint that is not closed; the preview agrees',
    async () => {
      const app = await team()
      await app.createProject('WEB')
      const { id } = await app.sprint('One')
      await app.sprint('Old', { status: 'active' })
      const [a, b, kept] = [
        await app.item('a'),
        await app.item('b', { sprint: 'One' }),
        await app.item('c', { sprint: 'Old' }),
      ]
      const { item } = await app.call('items_create', { project_key: 'WEB', title: 'd' })
      await app.call('items_complete', { item_ref: kept })
      await app.in('sprints_close', { sprint: 'Old' })
      const refs = [a, b, kept, item.ref]
      const outcome = (result: { changed?: string[]; error?: { code: string } }) => result.error?.code ?? result.changed
      const patch = async (sprint_id: string | null) =>
        (await app.confirmed('items_bulk_patch', { item_refs: refs, sprint_id })).results.map(outcome)
      const { results } = await app.call('items_bulk_patch_preview', { item_refs: refs, sprint_id: id })
      assert.deepEqual(results.map(outcome), [['sprint'], [], 'sprint_closed', 'not_found'])
      assert.deepEqual([results[0].before, results[0].after], [{ sprint: null }, { sprint: 'One' }])
      assert.deepEqual(await app.placement(), { [b]: 'One', [kept]: 'Old' })
      assert.deepEqual(await patch(id), [['sprint'], [], 'sprint_closed', 'not_found'])
      assert.deepEqual(await app.placement(), { [a]: 'One', [b]: 'One', [kept]: 'Old' })
      assert.deepEqual(await patch(null), [['sprint'], ['sprint'], 'sprint_closed', []])
      assert.deepEqual(await app.placement(), { [kept]: 'Old' })
      assert.deepEqual((await patch('one')).slice(0, 2), [['sprint'], ['sprint']])
      assert.deepEqual((await patch('')).slice(0, 2), [['sprint'], ['sprint']])
      assert.deepEqual(await patch('Old'), ['sprint_closed', 'sprint_closed', [], 'not_found'])
    },
  )

  verifies(
    ['tasks_list.include_agile', 'filter.key_agile'],
    'include_agile shows the sprint and what the project allows; sprint: filters by path, name, symbol, none and any',
    async () => {
      const app = await team()
      await app.sprint('Year', { status: 'active' })
      await app.sprint('One', { parent: 'Year' })
      await app.sprint('Two', { parent: 'Year', start_date: '2026-01-01' })
      for (const sprint of ['Year', 'One', 'Two', '']) await app.item(sprint || 'none', { sprint })
      const { items } = await app.call('tasks_list', { include_agile: true })
      const [year, one, , none] = items
      assert.deepEqual([year.sprint_name, one.sprint_name, one.sprint_path], ['Year', 'One', 'Year/One'])
      assert.ok(!('sprint_id' in none))
      const { kind, sprint } = none.resolved_field_policy
      assert.deepEqual([kind, sprint], [{ allowed: ['epic', 'story', 'task', 'bug', 'chore'] }, { enabled: true }])
      assert.ok(!('sprint_id' in (await app.call('tasks_list')).items[0]))
      const titles = async (q: string) =>
        (await app.call('tasks_list', { q })).items.map((item: { title: string }) => item.title)
      assert.deepEqual(await titles('sprint:year'), ['Year', 'One', 'Two'])
      assert.deepEqual(await titles('sprint:Year/ｏｎｅ'), ['One'])
      assert.deepEqual(await titles('sprint:one,two'), ['One', 'Two'])
      assert.deepEqual(await titles('sprint:@active'), ['Year'])
      assert.deepEqual(await titles('sprint:@next'), ['Two'])
      assert.deepEqual(await titles('sprint:none'), ['none'])
      assert.deepEqual(await titles('sprint:none,two'), ['Two', 'none'])
      assert.deepEqual(await titles('sprint:any'), ['Year', 'One', 'Two'])
      assert.deepEqual(await titles('-sprint:@next has:sprint'), ['Year', 'One'])
      assert.deepEqual(await titles('no:sprint'), ['none'])
      assert.deepEqual(await titles('sprint:nowhere'), [])
    },
  )
})
