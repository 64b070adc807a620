import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost, type Newcomer } from '../../shared-host.ts'

async function grow(user: Newcomer, project_key = 'INBOX'): Promise<void> {
  const create = (name: string, parent_path = '') =>
    user.call('project_areas_create', { project_key, name, parent_path })
  await create('Web')
  await create('API', 'Web')
  await create('Auth', 'Web/API')
  await create('Apps')
}

forEachEngine('areas on items', engine => {
  const { newUser, statements } = sharedHost(engine)

  verifies(
    ['items_create.area_path', 'items_create.area_missing', 'items_create.area_archived'],
    'an item is created in the area of a path; a missing or archived area is refused and nothing is created',
    async () => {
      const user = await newUser()
      await grow(user)
      const create = (area_path: string | null) =>
        user.call('items_create', { project_key: 'INBOX', title: 'one', area_path })
      const { item } = await create('web/ａｐｉ')
      assert.equal(item.area_path, 'Web/API')
      assert.equal((await create('auth')).item.area_path, 'Web/API/Auth')
      for (const none of [null, '']) assert.ok(!('area_path' in (await create(none)).item))
      await user.call('project_areas_update', { project_key: 'INBOX', area_path: 'Web', archived: true })
      await assert.rejects(create('Web/API'), { code: 'area_archived', field: 'area_path' })
      await assert.rejects(create('nowhere'), { code: 'not_found', field: 'area_path', allowed: ['Apps'] })
      assert.equal((await user.call('tasks_list', { include_total: true })).total, 4)
    },
  )

  verifies(
    ['items_create.inherits_area', 'items_create.area_null'],
    'an item inherits the area of its parent, unless area_path is given or the area accepts no items',
    async () => {
      const user = await newUser()
      await grow(user)
      await user.createProject('APP')
      await user.call('items_create', { project_key: 'INBOX', title: 'parent', area_path: 'Web/API' })
      const child = async (fields: object) =>
        (await user.call('items_create', { project_key: 'INBOX', title: 'child', parent: '#1', ...fields })).item
          .area_path
      assert.equal(await child({}), 'Web/API')
      assert.equal(await child({ area_path: null }), undefined)
      assert.equal(await child({ area_path: 'Apps' }), 'Apps')
      await user.call('project_areas_update', { project_key: 'INBOX', area_path: 'Web/API', archived: true })
      assert.equal(await child({}), undefined)
      const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'no area', parent: '#3' })
      assert.ok(!('area_path' in item))
    },
  )

  verifies(
    ['project_areas_assign_item.assign', 'project_areas_assign_item.unassign', 'item.one_area'],
    'assigning moves an item to the area; null or an empty value removes it',
    async () => {
      const user = await newUser()
      await grow(user)
      await user.call('items_create', { project_key: 'INBOX', title: 'one' })
      const assign = (fields: object) => user.call('project_areas_assign_item', { item_ref: 'inbox#1', ...fields })
      const first = await assign({ area_path: 'Web' })
      assert.deepEqual([first.item.ref, first.item.area_path, first.changed], ['INBOX#1', 'Web', ['area']])
      const second = await assign({ area_path: 'apps' })
      assert.equal(second.item.area_path, 'Apps')
      assert.deepEqual((await assign({ area_path: 'Apps' })).changed, [])
      const { areas } = await user.call('project_areas_list', { project_key: 'INBOX' })
      assert.deepEqual(
        areas.map((area: { item_count: number }) => area.item_count),
        [0, 0, 0, 1],
      )
      const out = await assign({ area_path: null })
      assert.deepEqual([out.item.area_path, out.changed], [null, ['area']])
      assert.deepEqual((await assign({})).changed, [])
      await assign({ area_path: 'Web' })
      assert.deepEqual((await assign({})).changed, ['area'])
      const { activities } = await user.call('activities_list', { item_ref: '#1', kind: 'item.area.changed' })
      assert.deepEqual(
        activities.map(({ from, to }: { from?: string; to?: string }) => [from, to]),
        [
          ['Web', undefined],
          [undefined, 'Web'],
          ['Apps', undefined],
          ['Web', 'Apps'],
          [undefined, 'Web'],
        ],
      )
    },
  )

  verifies(
    ['project_areas_assign_item.archived', 'project_areas_assign_item.other_project'],
    'an archived area and an area of another project are refused',
    async () => {
      const user = await newUser()
      await user.createProject('APP')
      await grow(user)
      await user.call('items_create', { project_key: 'APP', title: 'one' })
      await user.call('items_create', { project_key: 'INBOX', title: 'two' })
      await user.call('project_areas_update', { project_key: 'INBOX', area_path: 'Web', archived: true })
      const assign = (item_ref: string, area_path: string) =>
        user.call('project_areas_assign_item', { item_ref, area_path })
      await assert.rejects(assign('#1', 'Apps'), { code: 'not_found', field: 'area_path', message: /APP/ })
      await assert.rejects(assign('#2', 'Web/API'), { code: 'area_archived', field: 'area_path' })
      await assert.rejects(assign('#9', 'Apps'), { code: 'not_found', field: 'item_ref' })
    },
  )

  verifies(
    'items_bulk_patch.area',
    'area_id places items of its project, reports the others, and null clears',
    async () => {
      const user = await newUser()
      await user.createProject('APP')
      await grow(user)
      const { areas } = await user.call('project_areas_list', { project_key: 'INBOX' })
      const [web, api] = areas.map((area: { id: string }) => area.id)
      for (const key of ['INBOX', 'INBOX', 'APP']) await user.call('items_create', { project_key: key, title: 'one' })
      const patch = async (fields: object) =>
        (await user.confirmed('items_bulk_patch', { item_refs: ['#1', '#2', '#3'], ...fields })).results.map(
          (result: { changed?: string[]; error?: { code: string } }) => result.changed ?? result.error?.code,
        )
      assert.deepEqual(await patch({ area_id: web }), [['area'], ['area'], 'not_found'])
      assert.deepEqual(await patch({ area_id: api, priority: 'low' }), [
        ['priority', 'area'],
        ['priority', 'area'],
        'not_found',
      ])
      const placed = async () =>
        (await user.call('tasks_list', { include_area: true })).items.map(
          (item: { area_path?: string }) => item.area_path,
        )
      assert.deepEqual(await placed(), ['Web/API', 'Web/API', undefined])
      assert.deepEqual(await patch({ area_id: null, priority: 'high' }), [
        ['priority', 'area'],
        ['priority', 'area'],
        ['priority'],
      ])
      assert.deepEqual(await placed(), [undefined, undefined, undefined])
      await user.call('project_areas_update', { project_key: 'INBOX', area_path: 'Web', archived: true })
      assert.deepEqual(await patch({ area_id: api, priority: 'low' }), ['area_archived', 'area_archived', 'not_found'])
    },
  )

  verifies('items_bulk_patch.area', 'area_id accepts an id, a path or a unique name', async () => {
    const user = await newUser()
    await user.createProject('APP')
    await grow(user)
    const { areas } = await user.call('project_areas_list', { project_key: 'INBOX' })
    await user.call('project_areas_create', { project_key: 'INBOX', name: 'API', parent_path: 'Apps' })
    await user.call('project_areas_create', { project_key: 'APP', name: 'API' })
    for (const key of ['INBOX', 'APP']) await user.call('items_create', { project_key: key, title: 'one' })
    const patch = (area_id: string) => user.confirmed('items_bulk_patch', { item_refs: ['#1', '#2'], area_id })
    const paths = async () =>
      (await user.call('tasks_list', { include_area: true })).items.map(
        (item: { area_path?: string }) => item.area_path,
      )
    const { results } = await patch(' ａｐｉ ')
    const { error } = results[0]
    assert.deepEqual([error.code, error.field, error.allowed], ['ambiguous_ref', 'area_id', ['Apps/API', 'Web/API']])
    assert.deepEqual(results[1].changed, ['area'])
    for (const [areaText, path] of [
      ['web/api', 'Web/API'],
      ['AUTH', 'Web/API/Auth'],
      [areas[0].id.toUpperCase(), 'Web'],
    ]) {
      const { failed } = await patch(areaText)
      assert.equal(failed, 1, 'the other project has no such area')
      assert.deepEqual(await paths(), [path, 'API'])
    }
    const [missing] = (await patch('nowhere')).results
    assert.deepEqual(missing.error.allowed, ['Apps', 'Apps/API', 'Web', 'Web/API', 'Web/API/Auth'])
  })

  test('an area is merged into another by listing, moving and deleting, and the items keep the rest', async () => {
    const user = await newUser()
    await grow(user)
    for (const [n, area_path] of ['Web', 'Web/API', 'Web/API/Auth', 'Apps', 'Web/API'].entries())
      await user.call('items_create', { project_key: 'INBOX', title: `${n}`, area_path, labels: [`own ${n}`] })
    const { items } = await user.call('tasks_list', { q: 'area:Web/API' })
    const item_refs = items.map((item: { ref: string }) => item.ref)
    const { succeeded } = await user.confirmed('items_bulk_patch', { item_refs, area_id: 'Apps' })
    assert.equal(succeeded, 3)
    await user.call('project_areas_delete', { project_key: 'INBOX', area_path: 'Web/API/Auth' })
    await user.call('project_areas_delete', { project_key: 'INBOX', area_path: 'Web/API' })
    const { items: merged } = await user.call('tasks_list', { q: 'area:Apps' })
    assert.deepEqual(
      merged.map(({ labels }: { labels: string[] }) => labels[0]),
      ['own 1', 'own 2', 'own 3', 'own 4'],
    )
  })

  verifies('tasks_list.include_area', 'listings show the area on request, single reads always', async () => {
    const user = await newUser()
    await grow(user)
    await user.call('items_create', { project_key: 'INBOX', title: 'one', area_path: 'Web/API/Auth' })
    await user.call('items_create', { project_key: 'INBOX', title: 'two' })
    const [one, two] = (await user.call('tasks_list', { include_area: true })).items
    assert.equal(one.area_path, 'Web/API/Auth')
    assert.ok(one.area_id && !('area_id' in two) && !('area_path' in two))
    assert.ok(!('area_path' in (await user.call('tasks_list', {})).items[0]))
    assert.equal((await user.call('items_get', { item_ref: '#1' })).item.area_path, 'Web/API/Auth')
    assert.equal((await statements(() => user.call('tasks_list', { include_area: true }))).length, 1)
  })

  verifies('filter.key_area', 'area: finds an area with its descendants by path or name, none and any', async () => {
    const user = await newUser()
    await grow(user)
    for (const area_path of ['Web', 'Web/API', 'Web/API/Auth', 'Apps', null]) {
      await user.call('items_create', { project_key: 'INBOX', title: area_path ?? 'nowhere', area_path })
    }
    const find = async (q: string) =>
      (await user.call('tasks_list', { q })).items.map((item: { title: string }) => item.title)
    assert.deepEqual(await find('area:web'), ['Web', 'Web/API', 'Web/API/Auth'])
    assert.deepEqual(await find('area:ＷＥＢ/api'), ['Web/API', 'Web/API/Auth'])
    assert.deepEqual(await find('area:API'), ['Web/API', 'Web/API/Auth'])
    assert.deepEqual(await find('area:auth,apps'), ['Web/API/Auth', 'Apps'])
    assert.deepEqual(await find('area:We'), [])
    assert.deepEqual(await find('area:Web/A'), [])
    assert.deepEqual(await find('area:none'), ['nowhere'])
    assert.deepEqual(await find('area:none,apps'), ['Apps', 'nowhere'])
    assert.deepEqual(await find('-area:web'), ['Apps', 'nowhere'])
    assert.deepEqual(await find('has:area'), await find('area:any'))
    assert.deepEqual(await find('no:area'), ['nowhere'])
    await user.call('project_areas_update', { project_key: 'INBOX', area_path: 'Web/API', new_parent_path: 'Apps' })
    assert.deepEqual(await find('area:Apps'), ['Web/API', 'Web/API/Auth', 'Apps'])
  })

  test('areas cost two statements, whatever the number of items', async () => {
    const user = await newUser()
    await grow(user)
    const { areas } = await user.call('project_areas_list', { project_key: 'INBOX' })
    const sent = async (name: string, args: object) => {
      const run = () => (name === 'items_bulk_patch' ? user.confirmed(name, args) : user.call(name, args))
      return (await statements(run)).filter(text => /areas\./.test(text) && !text.includes('as ref')).length
    }
    const create = (fields: object) => sent('items_create', { project_key: 'INBOX', title: 'one', ...fields })
    assert.equal(await create({}), 0)
    assert.equal(await create({ area_path: 'Web' }), 2)
    assert.equal(await create({ parent: '#2' }), 2)
    assert.equal(await create({ parent: '#1' }), 1)
    assert.equal(await create({ area_path: null, parent: '#2' }), 0)
    assert.equal(await sent('items_bulk_patch', { item_refs: ['#1', '#2'], area_id: areas[1].id }), 3)
    assert.equal(await sent('items_bulk_patch', { item_refs: ['#1', '#2', '#3', '#4', '#5'], area_id: areas[2].id }), 3)
    assert.equal(await sent('project_areas_assign_item', { item_ref: '#1', area_path: 'Web' }), 2)
  })

  verifies(
    'filter.plugin_keys',
    'with the plugin off nothing mentions areas; with the plugin on again the areas are unchanged',
    async t => {
      const on = await testHost(t, { engine })
      await on.call('project_areas_create', { project_key: 'INBOX', name: 'Web' })
      await on.call('items_create', { project_key: 'INBOX', title: 'one', area_path: 'Web' })
      const kept = engine === 'postgres' ? { database: on.databaseOptions } : {}
      if (engine === 'postgres') await on.close()
      const off = await testHost(t, { engine, ...kept, config: { plugins: { areas: false } } })
      for (const { name, inputSchema, outputSchema } of await off.listTools()) {
        assert.doesNotMatch(JSON.stringify([name, inputSchema, outputSchema]), /area/, name)
      }
      await assert.rejects(off.call('tasks_list', { q: 'area:Web' }), { code: 'invalid_query' })
      await assert.rejects(off.call('tasks_list', { include_area: true }), { code: 'unknown_argument' })
      await off.call('items_create', { project_key: 'INBOX', title: 'two' })
      if (engine === 'pglite') return
      await off.close()
      const again = await testHost(t, { engine, ...kept })
      assert.equal((await again.call('items_get', { item_ref: '#1' })).item.area_path, 'Web')
    },
  )
})
