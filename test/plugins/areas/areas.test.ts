import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost, type Newcomer } from '../../shared-host.ts'

interface Listed {
  readonly path: string
  readonly archived: boolean
}

/** Creates areas by their paths, parents first. */
async function grow(user: Newcomer, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    const slash = path.lastIndexOf('/')
    const parent_path = path.slice(0, Math.max(0, slash))
    await user.call('project_areas_create', {
      project_key: 'INBOX',
      name: path.slice(slash + 1),
      ...(parent_path && { parent_path }),
    })
  }
}

async function paths(user: Newcomer, include_archived = false): Promise<string[]> {
  const { areas } = await user.call('project_areas_list', { project_key: 'INBOX', include_archived })
  return areas.map((area: Listed) => area.path)
}

forEachEngine('areas', engine => {
  const { newUser, statements } = sharedHost(engine)

  verifies(
    ['project_areas_create.create', 'project_areas_list.fields'],
    'areas are created below their parents and listed in tree order',
    async () => {
      const user = await newUser()
      const root = await user.call('project_areas_create', {
        project_key: 'INBOX',
        name: ' Web ',
        description: 'Pages',
      })
      assert.deepEqual(root.changed, ['name', 'description'])
      await grow(user, 'Apps', 'Web/API', 'Apps/iOS')
      const deep = await user.call('project_areas_create', {
        project_key: 'INBOX',
        name: 'Auth',
        parent_path: 'ｗｅｂ/api',
      })
      assert.deepEqual(deep.changed, ['name', 'parent_path'])
      const { areas } = await user.call('project_areas_list', { project_key: 'INBOX' })
      assert.deepEqual(
        areas.map(({ id: _id, created_at: _created, updated_at: _updated, ...area }: Record<string, unknown>) => area),
        [
          {
            name: 'Web',
            path: 'Web',
            depth: 1,
            description: 'Pages',
            display_order: 1,
            archived: false,
            item_count: 0,
          },
          {
            name: 'API',
            path: 'Web/API',
            parent_path: 'Web',
            depth: 2,
            display_order: 1,
            archived: false,
            item_count: 0,
          },
          {
            name: 'Auth',
            path: 'Web/API/Auth',
            parent_path: 'Web/API',
            depth: 3,
            display_order: 1,
            archived: false,
            item_count: 0,
          },
          { name: 'Apps', path: 'Apps', depth: 1, display_order: 2, archived: false, item_count: 0 },
          {
            name: 'iOS',
            path: 'Apps/iOS',
            parent_path: 'Apps',
            depth: 2,
            display_order: 1,
            archived: false,
            item_count: 0,
          },
        ],
      )
      assert.deepEqual(deep.area, areas[2])
    },
  )

  verifies('project_areas_create.limits', 'a name has 1 to 80 characters and no slash in any width', async () => {
    const user = await newUser()
    const create = (fields: object) => user.call('project_areas_create', { project_key: 'INBOX', ...fields })
    await create({ name: 'n'.repeat(80), description: 'd'.repeat(500) })
    for (const name of ['', ' \u3000', 'n'.repeat(81), 'a/b', 'a／b', '℀']) {
      await assert.rejects(create({ name }), { code: 'invalid_argument', field: 'name' })
    }
    await assert.rejects(create({ name: 'a', description: 'd'.repeat(501) }), {
      code: 'invalid_argument',
      field: 'description',
    })
  })

  verifies('project_areas_create.depth', 'more than 3 levels are refused', async () => {
    const user = await newUser()
    await grow(user, 'a', 'a/b', 'a/b/c')
    await assert.rejects(grow(user, 'a/b/c/d'), { code: 'limit_exceeded', field: 'parent_path' })
  })

  verifies(
    'project_areas_create.duplicate',
    'two siblings cannot have the same name; areas elsewhere can',
    async () => {
      const user = await newUser()
      await grow(user, 'Web', 'Web/API', 'API')
      await assert.rejects(grow(user, 'WEB'), { code: 'conflict', field: 'name', message: /Web/ })
      await assert.rejects(grow(user, 'web/ａｐｉ'), { code: 'conflict', field: 'name', message: /Web\/API/ })
    },
  )

  verifies(
    ['refs.path_matching', 'refs.bare_name_ambiguous'],
    'a path matches in any case and width; a bare name must be unique',
    async () => {
      const user = await newUser()
      await grow(user, 'Web', 'Web/API', 'Apps', 'Apps/API', 'Web/Docs')
      const rename = (area_path: string, name: string) =>
        user.call('project_areas_update', { project_key: 'INBOX', area_path, name })
      await assert.rejects(rename('api', 'x'), {
        code: 'ambiguous_ref',
        field: 'area_path',
        allowed: ['Web/API', 'Apps/API'],
      })
      assert.equal((await rename(' ＤＯＣＳ ', 'Docs')).area.path, 'Web/Docs')
      assert.equal((await rename('/web / api/', 'REST')).area.path, 'Web/REST')
      assert.equal((await rename('api', 'API')).area.path, 'Apps/API')
      await grow(user, 'API')
      assert.equal((await rename('api', 'API')).area.path, 'API', 'a full path wins over a bare name')
      const allowed = await paths(user)
      await assert.rejects(rename('nowhere', 'x'), { code: 'not_found', field: 'area_path', allowed })
      await assert.rejects(rename('', 'x'), { code: 'not_found' })
    },
  )

  verifies(
    ['project_areas_update.rename', 'project_areas_update.clear'],
    'a rename changes the paths of descendants, and an empty description clears it',
    async () => {
      const user = await newUser()
      await user.call('project_areas_create', { project_key: 'INBOX', name: 'Web', description: 'Pages' })
      await grow(user, 'Web/API', 'Apps')
      const update = (fields: object) =>
        user.call('project_areas_update', { project_key: 'INBOX', area_path: 'web', ...fields })
      const cleared = await update({ description: '' })
      assert.deepEqual([cleared.changed, cleared.area.description], [['description'], null])
      const renamed = await update({ name: 'Site', description: 'again' })
      assert.deepEqual(renamed.changed, ['name', 'description'])
      assert.deepEqual(await paths(user), ['Site', 'Site/API', 'Apps'])
      const same = await user.call('project_areas_update', { project_key: 'INBOX', area_path: 'site', name: 'Site' })
      assert.deepEqual(same.changed, [])
      const taken = { project_key: 'INBOX', area_path: 'Site', name: 'apps' }
      await assert.rejects(user.call('project_areas_update', taken), { code: 'conflict', field: 'name' })
    },
  )

  verifies(
    'project_areas_update.move',
    'an area moves with its descendants; the empty path is the top level',
    async () => {
      const user = await newUser()
      await grow(user, 'a', 'a/b', 'c', 'c/d', 'e')
      const move = (area_path: string, new_parent_path: string) =>
        user.call('project_areas_update', { project_key: 'INBOX', area_path, new_parent_path })
      const down = await move('c', 'a')
      assert.deepEqual([down.changed, down.area.path, down.area.depth], [['parent_path'], 'a/c', 2])
      assert.deepEqual(await paths(user), ['a', 'a/b', 'a/c', 'a/c/d', 'e'])
      const up = await move('a/c', '')
      assert.deepEqual([up.area.path, up.area.parent_path], ['c', null])
      assert.deepEqual(await paths(user), ['a', 'a/b', 'e', 'c', 'c/d'])
      assert.deepEqual((await move('c', '')).changed, [])
    },
  )

  verifies(
    ['project_areas_update.move_cycle', 'project_areas_update.move_depth'],
    'a move below itself, or one that exceeds the depth limit, is refused',
    async () => {
      const user = await newUser()
      await grow(user, 'a', 'a/b', 'c', 'c/d', 'c/d/e')
      const move = (area_path: string, new_parent_path: string) =>
        user.call('project_areas_update', { project_key: 'INBOX', area_path, new_parent_path })
      for (const target of ['c', 'c/d', 'c/d/e']) {
        await assert.rejects(move('c', target), { code: 'cycle', field: 'new_parent_path' })
      }
      await assert.rejects(move('c', 'a'), { code: 'limit_exceeded', field: 'new_parent_path' })
      await assert.rejects(move('c/d', 'a/b'), { code: 'limit_exceeded' })
      await move('c/d/e', 'a/b')
      assert.deepEqual(await paths(user), ['a', 'a/b', 'a/b/e', 'c', 'c/d'])
    },
  )

  verifies(
    ['project_areas_update.archive', 'project_areas_list.archived'],
    'archiving hides an area with its descendants, and restoring shows them again',
    async () => {
      const user = await newUser()
      await grow(user, 'a', 'a/b', 'a/b/c', 'd')
      const archive = (area_path: string, archived: boolean) =>
        user.call('project_areas_update', { project_key: 'INBOX', area_path, archived })
      const { area, changed } = await archive('a', true)
      assert.deepEqual([area.archived, changed], [true, ['archived']])
      assert.deepEqual(await paths(user), ['d'])
      assert.deepEqual(await paths(user, true), ['a', 'a/b', 'a/b/c', 'd'])
      const child = await archive('a/b', false)
      assert.deepEqual([child.changed, child.area.archived, child.warnings.length], [[], true, 1])
      await assert.rejects(grow(user, 'a/b/x'), { code: 'area_archived', field: 'parent_path' })
      const below = { project_key: 'INBOX', area_path: 'd', new_parent_path: 'a' }
      await assert.rejects(user.call('project_areas_update', below), {
        code: 'area_archived',
        field: 'new_parent_path',
      })
      await assert.rejects(grow(user, 'A'), { code: 'conflict', hint: /archived=false/ })
      await archive('a/b', true)
      await archive('a', false)
      assert.deepEqual(await paths(user), ['a', 'd'])
      await archive('a/b', false)
      assert.deepEqual(await paths(user), ['a', 'a/b', 'a/b/c', 'd'])
    },
  )

  verifies(
    ['project_areas_delete.refused_children', 'project_areas_delete.refused_items'],
    'an area with children or items is refused with both reasons, and deleted once it is empty',
    async () => {
      const user = await newUser()
      await grow(user, 'a', 'a/b')
      await user.call('items_create', { project_key: 'INBOX', title: 'one', area_path: 'a/b' })
      const remove = (area_path: string) => user.call('project_areas_delete', { project_key: 'INBOX', area_path })
      await assert.rejects(remove('a'), { code: 'has_children', field: 'area_path' })
      await assert.rejects(remove('b'), { code: 'in_use', field: 'area_path', message: /1 item/ })
      await user.call('project_areas_assign_item', { item_ref: '#1', area_path: 'a' })
      await assert.rejects(
        remove('a'),
        ({ code, details }) => code === 'has_children' && details.problems[0].code === 'in_use',
      )
      const { id, ...result } = await remove('a/b')
      assert.equal(typeof id, 'string')
      assert.deepEqual(result, { deleted: true, path: 'a/b', areas_deleted: 1, items_detached: 0 })
    },
  )

  verifies(
    'project_areas_delete.force',
    'force deletes the descendants too; the items stay without an area',
    async () => {
      const user = await newUser()
      await grow(user, 'a', 'a/b', 'c')
      for (const area_path of ['a', 'a/b', 'a/b', 'c'])
        await user.call('items_create', { project_key: 'INBOX', title: 't', area_path })
      const { id: _id, ...result } = await user.call('project_areas_delete', {
        project_key: 'INBOX',
        area_path: 'a',
        force: true,
      })
      assert.deepEqual(result, { deleted: true, path: 'a', areas_deleted: 2, items_detached: 3 })
      assert.deepEqual(await paths(user), ['c'])
      const { items } = await user.call('tasks_list', { include_area: true })
      assert.deepEqual(
        items.map((item: { area_path?: string }) => item.area_path),
        [undefined, undefined, undefined, 'c'],
      )
      const { activities } = await user.call('activities_list', { item_ref: '#2', kind: 'item.area.changed' })
      assert.equal(activities[0].from, 'a/b')
    },
  )

  test('a conditional update of an area that changed since the read is refused', async () => {
    const user = await newUser()
    await grow(user, 'a')
    const rename = { project_key: 'INBOX', area_path: 'a', name: 'b' }
    const meta = { ifUpdatedAt: '2020-01-01T00:00:00Z' }
    await assert.rejects(user.call('project_areas_update', rename, { meta }), { code: 'stale_write' })
    assert.deepEqual(await paths(user), ['a'])
  })

  test('viewers list areas and cannot change them; areas of other projects are not found', async () => {
    const [user, bob] = [await newUser(), await newUser()]
    await user.createProject('APP')
    await user.call('project_areas_create', { project_key: 'APP', name: 'a' })
    await assert.rejects(bob.call('project_areas_list', { project_key: 'APP' }), {
      code: 'not_found',
      field: 'project_key',
    })
    await user.share('APP', bob.email, 'viewer')
    assert.equal((await bob.call('project_areas_list', { project_key: 'APP' })).areas.length, 1)
    await assert.rejects(bob.call('project_areas_create', { project_key: 'APP', name: 'b' }), { code: 'forbidden' })
    for (const tool of ['project_areas_update', 'project_areas_delete']) {
      await assert.rejects(bob.call(tool, { project_key: 'APP', area_path: 'a' }), { code: 'forbidden' })
    }
    await user.call('items_create', { project_key: 'APP', title: 'one' })
    await assert.rejects(bob.call('project_areas_assign_item', { item_ref: 'APP#1', area_path: 'a' }), {
      code: 'forbidden',
    })
    await user.share('APP', bob.email, 'editor')
    assert.equal(
      (await bob.call('project_areas_assign_item', { item_ref: 'APP#1', area_path: 'A' })).item.area_path,
      'a',
    )
    await assert.rejects(user.call('project_areas_update', { project_key: 'INBOX', area_path: 'a', name: 'x' }), {
      code: 'not_found',
    })
  })

  test('each tool sends a fixed number of statements, however many areas there are', async () => {
    const user = await newUser()
    const count = async (name: string, args: object) =>
      (await statements(() => user.call(name, { project_key: 'INBOX', ...args }))).length
    const counts = async (name: string) => [
      await count('project_areas_create', { name }),
      await count('project_areas_list', {}),
      await count('project_areas_update', { area_path: name, name: `${name} renamed`, archived: true }),
      await count('project_areas_delete', { area_path: `${name} renamed` }),
    ]
    assert.deepEqual(await counts('one'), [4, 1, 4, 4])
    for (let n = 0; n < 10; n++) await grow(user, `root ${n}`, `root ${n}/child`)
    assert.deepEqual(await counts('two'), [4, 1, 4, 4])
  })

  test('two parallel moves cannot create a cycle', async () => {
    const user = await newUser()
    await grow(user, 'a', 'b')
    const move = (area_path: string, new_parent_path: string) =>
      user.call('project_areas_update', { project_key: 'INBOX', area_path, new_parent_path })
    const results = await Promise.allSettled([move('a', 'b'), move('b', 'a')])
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await paths(user)).length, 2, 'both can still be reached from the top')
  })
})
