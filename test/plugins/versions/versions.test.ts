import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listVersions } from '../../../plugins/versions/index.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'
import { newTeam, type Team } from '../sprints/team.ts'

forEachEngine('versions', engine => {
  const host = sharedHost(engine, { config: { plugins: { versions: {}, project_admin: {} } } })
  const team = () => newTeam(host)
  const versionOf = async (app: Team, item_ref: string) => (await app.call('items_get', { item_ref })).item.version_name

  verifies(
    'versions_create.planning',
    'a version is in planning unless given; its name has 1 to 120 characters and is unique',
    async () => {
      const app = await team()
      const create = (fields: object) => app.in('versions_create', fields)
      const first = await create({ name: ' 1.0 ' })
      assert.deepEqual(
        [first.version.name, first.version.status, first.changed],
        ['1.0', 'planning', ['name', 'status']],
      )
      assert.deepEqual([first.version.item_count, first.version.done_count], [0, 0])
      for (const absent of ['description', 'target_date', 'released_at']) assert.ok(!(absent in first.version), absent)
      const second = await create({ name: '２.０', description: 'Two', target_date: '2026-05-01', status: 'released' })
      const { description, target_date, status } = second.version
      assert.deepEqual([description, target_date, status], ['Two', '2026-05-01', 'released'])
      assert.ok(second.version.released_at)
      assert.equal((await create({ name: '3', status: 'archived' })).version.status, 'archived')
      const taken = { code: 'conflict', field: 'name', details: { version_id: second.version.id } }
      const message = 'APP has a version "２.０" already.'
      await assert.rejects(create({ name: '2.0' }), { ...taken, message })
      await assert.rejects(app.in('versions_update', { version: '3', name: '2.0' }), { ...taken, message })
      for (const name of ['', ' ', 'x'.repeat(121)]) {
        await assert.rejects(create({ name }), { code: 'invalid_argument', field: 'name' })
      }
      assert.equal((await create({ name: 'x'.repeat(120) })).version.name.length, 120)
      await assert.rejects(create({ name: '4', status: 'done' }), { code: 'invalid_argument', field: 'status' })
      await assert.rejects(create({ name: '4', target_date: '2026-02-30' }), { field: 'target_date' })
      await app.call('versions_create', { project_key: 'INBOX', name: '1.0' })
    },
  )

  verifies(
    ['versions_update.released', 'versions_update.any_status'],
    'every status can follow every other; the first release date stays until the release is withdrawn',
    async () => {
      const app = await team()
      await app.in('versions_create', { name: '1.0' })
      const update = (status: string) => app.in('versions_update', { version: '1.0', status })
      const released = await update('released')
      assert.deepEqual(released.changed, ['status', 'released_at'])
      const at = released.version.released_at
      assert.match(at, /^\d{4}-.*Z$/)
      const again = await update('released')
      assert.deepEqual([again.changed, again.version.released_at], [[], at])
      const archived = await update('archived')
      assert.deepEqual([archived.version.released_at, archived.changed], [null, ['status', 'released_at']])
      assert.deepEqual((await update('planning')).changed, ['status'])
      assert.deepEqual((await update('archived')).changed, ['status'])
      const anew = await update('released')
      assert.ok(anew.version.released_at > at)
      assert.equal((await update('planning')).version.released_at, null)
    },
  )

  verifies('versions_update.clears', 'fields change; null clears description and target_date', async () => {
    const app = await team()
    await app.in('versions_create', { name: '1.0', description: 'd', target_date: '2026-05-01' })
    await app.in('versions_create', { name: '2.0' })
    const update = (fields: object, options: object = {}) =>
      app.call('versions_update', { project_key: 'APP', version: '1.0', ...fields }, options)
    assert.deepEqual((await update({ description: 'e' })).changed, ['description'])
    const cleared = await update({ description: null, target_date: null })
    assert.deepEqual([cleared.version.description, cleared.version.target_date], [null, null])
    assert.deepEqual(cleared.changed, ['description', 'target_date'])
    assert.deepEqual((await update({ description: '', target_date: '' })).changed, [])
    const renamed = await update({ name: '1.1' })
    assert.deepEqual([renamed.version.name, renamed.changed], ['1.1', ['name']])
    const { id, updated_at } = renamed.version
    await assert.rejects(update({ name: '2.0', version: id }), { code: 'conflict', field: 'name' })
    await assert.rejects(update({ name: '3' }), { code: 'not_found', field: 'version', allowed: ['2.0', '1.1'] })
    const stale = { meta: { ifUpdatedAt: new Date(Date.parse(updated_at) - 1000).toISOString() } }
    await assert.rejects(update({ name: '3', version: id }, stale), { code: 'stale_write' })
  })

  verifies(
    ['versions_add_item.replaces', 'versions_remove_item.removes'],
    'an item has one version of its own project; adding replaces it, removing clears it',
    async () => {
      const app = await team()
      const one = (await app.in('versions_create', { name: '1.0' })).version.id
      await app.in('versions_create', { name: '2.0' })
      const ref = await app.item('a')
      const add = (version: string, item_ref = ref) => app.in('versions_add_item', { version, item_ref })
      const remove = (version: string) => app.in('versions_remove_item', { version, item_ref: ref })
      const first = await add('1.0')
      assert.deepEqual([first.item.version_name, first.changed], ['1.0', ['version']])
      assert.deepEqual((await add(one)).changed, [])
      assert.equal((await add('２.０')).item.version_name, '2.0')
      await assert.rejects(remove('1.0'), { code: 'invalid_argument', field: 'version', allowed: ['2.0'] })
      const out = await remove('2.0')
      assert.deepEqual([out.item.version_name, out.changed], [null, ['version']])
      assert.deepEqual((await remove('2.0')).changed, [])
      const { activities } = await app.call('activities_list', { item_ref: ref, kind: 'item.version.changed' })
      assert.deepEqual(
        activities.map(({ from, to }: { from?: string; to?: string }) => [from, to]),
        [
          ['2.0', undefined],
          ['1.0', '2.0'],
          [undefined, '1.0'],
        ],
      )
      const { item } = await app.call('items_create', { project_key: 'INBOX', title: 'b' })
      await assert.rejects(add('1.0', item.ref), { code: 'invalid_argument', field: 'item_ref' })
      await assert.rejects(add('1.0', '#99'), { code: 'not_found', field: 'item_ref' })
    },
  )

  test('an archived version keeps its items and takes no others', async () => {
    const app = await team()
    for (const name of ['1.0', '2.0']) await app.in('versions_create', { name })
    const kept = await app.item('kept', { version: '1.0' })
    const other = await app.item('other')
    await app.in('versions_update', { version: '1.0', status: 'archived' })
    const refusal = { code: 'invalid_argument', field: 'version', message: 'The version "1.0" is archived.' }
    await assert.rejects(app.item('new', { version: '1.0' }), refusal)
    await assert.rejects(app.in('versions_add_item', { version: '1.0', item_ref: other }), refusal)
    await assert.rejects(app.item('new', { version: '9' }), { code: 'not_found', allowed: ['2.0'] })
    assert.equal(await versionOf(app, await app.item('child', { parent: kept })), undefined)
    assert.deepEqual((await app.in('versions_add_item', { version: '1.0', item_ref: kept })).changed, [])
    assert.equal(await versionOf(app, kept), '1.0')
    await app.in('versions_remove_item', { version: '1.0', item_ref: kept })
    await assert.rejects(app.in('versions_add_item', { version: '1.0', item_ref: kept }), refusal)
    await app.in('versions_update', { version: '1.0', status: 'released' })
    assert.deepEqual((await app.in('versions_add_item', { version: '1.0', item_ref: kept })).changed, ['version'])
  })

  verifies('versions_delete.keeps_items', 'deleting a version keeps its items', async () => {
    const app = await team()
    await app.in('versions_create', { name: '1.0' })
    const ref = await app.item('a', { version: '1.0' })
    await app.item('b', { version: '1.0' })
    const gone = await app.in('versions_delete', { version: '1.0' })
    assert.deepEqual([gone.deleted, gone.name, gone.items_unassigned], [true, '1.0', 2])
    assert.equal(await versionOf(app, ref), undefined)
    const { activities } = await app.call('activities_list', { item_ref: ref, kind: 'item.version.changed' })
    assert.equal(activities[0].from, '1.0')
    await assert.rejects(app.in('versions_delete', { version: '1.0' }), { code: 'not_found' })
  })

  verifies(
    ['items_create.version', 'items_create.inherits_version'],
    "an item is created with a version, or inherits its parent's; an unknown version is refused",
    async () => {
      const app = await team()
      for (const name of ['1.0', '2.0']) await app.in('versions_create', { name })
      const create = (fields: object) => app.in('items_create', { title: 'a', ...fields })
      const parent = (await create({ version: '1.0' })).item
      assert.equal(parent.version_name, '1.0')
      const child = async (fields: object) => (await create({ parent: parent.ref, ...fields })).item.version_name
      assert.equal(await child({}), '1.0')
      assert.equal(await child({ version: '2.0' }), '2.0')
      assert.equal(await child({ version: '' }), undefined)
      const abroad = await app.call('items_create', { project_key: 'INBOX', title: 'a', parent: parent.ref })
      assert.ok(!('version_name' in abroad.item))
      await assert.rejects(create({ version: '9' }), { code: 'not_found', field: 'version', allowed: ['2.0', '1.0'] })
      assert.equal((await app.call('tasks_list', { include_total: true })).total, 5)
    },
  )

  verifies(
    ['tasks_list.include_agile', 'filter.key_agile'],
    'include_agile shows the version; version: filters by name, none and any',
    async () => {
      const app = await team()
      for (const name of ['1.0', '2.0 β']) await app.in('versions_create', { name })
      for (const version of ['1.0', '2.0 β', '']) await app.item(version || 'none', { version })
      const { items } = await app.call('tasks_list', { include_agile: true })
      assert.deepEqual(
        items.map((item: { version_name?: string }) => item.version_name),
        ['1.0', '2.0 β', undefined],
      )
      assert.deepEqual(items[0].resolved_field_policy.version, { enabled: true })
      const titles = async (q: string) =>
        (await app.call('tasks_list', { q })).items.map((item: { title: string }) => item.title)
      assert.deepEqual(await titles('version:１.０'), ['1.0'])
      assert.deepEqual(await titles('version:"2.0 Β",1.0'), ['1.0', '2.0 β'])
      assert.deepEqual(await titles('version:none'), ['none'])
      assert.deepEqual(await titles('-version:1.0'), ['2.0 β', 'none'])
      assert.deepEqual(await titles('has:version'), ['1.0', '2.0 β'])
      assert.deepEqual(await titles('no:version'), ['none'])
    },
  )

  verifies(
    'versions_create.disabled',
    'version tools are refused while the roadmap is off in the project',
    async () => {
      const app = await team()
      await app.in('versions_create', { name: '1.0' })
      const ref = await app.item('a', { version: '1.0' })
      await app.call('project_features_set', { project_key: 'APP', features: { roadmap: false } })
      const calls: [string, object][] = [
        ['versions_create', { name: '2.0' }],
        ['versions_update', { version: '1.0', name: '2.0' }],
        ['versions_add_item', { version: '1.0', item_ref: ref }],
        ['versions_remove_item', { version: '1.0', item_ref: ref }],
        ['versions_delete', { version: '1.0' }],
        ['items_create', { title: 'b', version: '1.0' }],
      ]
      for (const [tool, fields] of calls) {
        await assert.rejects(app.in(tool, fields), { code: 'feature_disabled', hint: /portal/ }, tool)
      }
      const { item } = await app.in('items_create', { title: 'child', parent: ref })
      assert.ok(!('version_id' in item), 'nothing is inherited')
    },
  )

  test('viewers and strangers cannot change versions', async () => {
    const app = await team()
    const [viewer, stranger] = [await host.newUser(), await host.newUser()]
    await app.share('APP', viewer.email, 'viewer')
    await app.in('versions_create', { name: '1.0' })
    const remove = (user: Pick<Team, 'call'>) => user.call('versions_delete', { project_key: 'APP', version: '1.0' })
    await assert.rejects(remove(viewer), { code: 'forbidden' })
    await assert.rejects(remove(stranger), { code: 'not_found', field: 'project_key' })
  })

  test('the list for other plugins has planned versions first', async () => {
    const app = await team()
    for (const [name, status, target_date] of [
      ['old', 'archived', ''],
      ['out', 'released', ''],
      ['far', 'planning', '2027-01-01'],
      ['near', 'planning', '2026-12-01'],
      ['some day', 'planning', ''],
    ]) {
      await app.in('versions_create', { name, status, target_date })
    }
    await app.item('a', { version: 'near' })
    const versions = await host.write(async ctx => {
      const own = { ...ctx, actor: { ...ctx.actor, userId: app.userId } }
      return listVersions(own, 'APP')
    })
    assert.deepEqual(
      versions.map(({ name, item_count }) => [name, item_count]),
      [
        ['near', 1],
        ['far', 0],
        ['some day', 0],
        ['out', 0],
        ['old', 0],
      ],
    )
  })

  test('each tool sends a fixed number of statements', async () => {
    const app = await team()
    await app.in('versions_create', { name: '1.0' })
    const ref = await app.item('a')
    const count = async (tool: string, fields: object) => (await host.statements(() => app.in(tool, fields))).length
    assert.deepEqual(
      {
        versions_create: await count('versions_create', { name: '2.0' }),
        versions_update: await count('versions_update', { version: '2.0', status: 'released' }),
        versions_add_item: await count('versions_add_item', { version: '1.0', item_ref: ref }),
        versions_remove_item: await count('versions_remove_item', { version: '1.0', item_ref: ref }),
        versions_delete: await count('versions_delete', { version: '2.0' }),
      },
      { versions_create: 3, versions_update: 3, versions_add_item: 7, versions_remove_item: 7, versions_delete: 4 },
    )
  })
})
