import assert from 'node:assert/strict'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'

forEachEngine('label definitions', engine => {
  const { newUser, statements } = sharedHost(engine)

  verifies(
    ['project_labels_create.create', 'project_labels_list.fields'],
    'labels are created with name, description and color, and listed in order of creation',
    async () => {
      const user = await newUser()
      const { label, changed } = await user.call('project_labels_create', {
        project_key: 'INBOX',
        name: '  Bug  ',
        description: 'Something is broken',
        color_hex: '#Ff0000',
      })
      assert.deepEqual(changed, ['name', 'description', 'color_hex'])
      assert.match(label.created_at, /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)
      const { id, created_at: _created, updated_at: _updated, ...fields } = label
      assert.deepEqual(fields, {
        name: 'Bug',
        description: 'Something is broken',
        color_hex: '#Ff0000',
        display_order: 1,
        item_count: 0,
      })
      await user.call('project_labels_create', { project_key: 'inbox', name: 'Alpha' })
      const { labels } = await user.call('project_labels_list', { project_key: 'INBOX' })
      assert.deepEqual(
        labels.map((each: { name: string }) => each.name),
        ['Bug', 'Alpha'],
      )
      assert.equal(labels[0].id, id)
      assert.ok(!('description' in labels[1]) && !('color_hex' in labels[1]))
    },
  )

  verifies('project_labels_create.limits', 'name, description and color have limits', async () => {
    const user = await newUser()
    const create = (fields: object) => user.call('project_labels_create', { project_key: 'INBOX', ...fields })
    await create({ name: 'n'.repeat(64), description: 'd'.repeat(500), color_hex: '#00ffAA' })
    await assert.rejects(create({ name: 'n'.repeat(65) }), { code: 'invalid_argument', field: 'name' })
    await assert.rejects(create({ name: '' }), { code: 'invalid_argument', field: 'name' })
    await assert.rejects(create({ name: '\u3000 ' }), { code: 'invalid_argument', field: 'name' })
    await assert.rejects(create({ name: 'a', description: 'd'.repeat(501) }), {
      code: 'invalid_argument',
      field: 'description',
    })
    for (const color_hex of ['red', '#12345', '#1234567', '123456', '#12345g']) {
      await assert.rejects(create({ name: 'a', color_hex }), { code: 'invalid_argument', field: 'color_hex' })
    }
  })

  verifies('project_labels_create.duplicate', 'an existing name in any case or width is refused', async () => {
    const user = await newUser()
    await user.createProject('APP')
    await user.call('project_labels_create', { project_key: 'INBOX', name: 'Needs Review' })
    await assert.rejects(user.call('project_labels_create', { project_key: 'INBOX', name: 'ｎｅｅｄｓ review' }), {
      code: 'conflict',
      field: 'name',
      message: /Needs Review/,
    })
    await user.call('project_labels_create', { project_key: 'APP', name: 'needs review' })
  })

  verifies('project_labels_patch.rename', 'a rename shows on the items and in the filter', async () => {
    const user = await newUser()
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['bug', 'ui'] })
    const result = await user.call('project_labels_patch', { project_key: 'INBOX', label_id: 'BUG', name: 'defect' })
    assert.deepEqual(result.changed, ['name'])
    assert.equal(result.label.item_count, 1)
    assert.deepEqual((await user.call('items_get', { item_ref: item.ref })).item.labels, ['defect', 'ui'])
    assert.equal((await user.call('tasks_list', { q: 'label:DEFECT' })).items.length, 1)
    assert.equal((await user.call('tasks_list', { q: 'label:bug' })).items.length, 0)
    const byId = await user.call('project_labels_patch', {
      project_key: 'INBOX',
      label_id: result.label.id,
      name: 'Defect',
    })
    assert.equal(byId.label.name, 'Defect')
    await assert.rejects(user.call('project_labels_patch', { project_key: 'INBOX', label_id: 'ui', name: 'DEFECT' }), {
      code: 'conflict',
      field: 'name',
      message: /Defect/,
    })
  })

  verifies(
    ['project_labels_patch.clear', 'conventions.omitted_unchanged'],
    'an empty description and a null color clear the field; omitted fields stay',
    async () => {
      const user = await newUser()
      await user.call('project_labels_create', {
        project_key: 'INBOX',
        name: 'a',
        description: 'x',
        color_hex: '#000000',
      })
      const patch = (fields: object) =>
        user.call('project_labels_patch', { project_key: 'INBOX', label_id: 'a', ...fields })
      const one = await patch({ description: '' })
      assert.deepEqual([one.changed, one.label.description, one.label.color_hex], [['description'], null, '#000000'])
      const two = await patch({ color_hex: null })
      assert.deepEqual([two.changed, two.label.color_hex, 'description' in two.label], [['color_hex'], null, false])
      assert.deepEqual((await patch({ color_hex: null, name: 'a' })).changed, [])
    },
  )

  verifies(
    ['project_labels_delete.strip', 'results.delete'],
    'deleting removes the label from its items, and their history records it',
    async () => {
      const user = await newUser()
      const first = await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['bug', 'ui'] })
      await user.call('items_create', { project_key: 'INBOX', title: 'two', labels: ['bug'] })
      const result = await user.call('project_labels_delete', { project_key: 'INBOX', label_id: 'bug' })
      assert.deepEqual(
        { ...result, id: typeof result.id },
        { deleted: true, id: 'string', name: 'bug', stripped_items: 2 },
      )
      assert.deepEqual((await user.call('items_get', { item_ref: first.item.ref })).item.labels, ['ui'])
      assert.equal('labels' in (await user.call('items_get', { item_ref: '#2' })).item, false)
      const { activities } = await user.call('activities_list', { item_ref: '#2', kind: 'item.labels.changed' })
      assert.equal(activities.length, 1)
      await assert.rejects(user.call('project_labels_delete', { project_key: 'INBOX', label_id: 'bug' }), {
        code: 'not_found',
        field: 'label_id',
        allowed: ['ui'],
      })
    },
  )

  verifies(
    ['project_labels_delete.keep', 'project_labels_delete.counts'],
    'strip_from_items=false keeps the label on its items, and setting or creating it again restores the definition',
    async () => {
      const user = await newUser()
      await user.call('items_create', { project_key: 'INBOX', title: 'one', labels: ['bug'] })
      await user.call('items_create', { project_key: 'INBOX', title: 'two' })
      const names = async () =>
        (await user.call('project_labels_list', { project_key: 'INBOX' })).labels.map(
          (label: { name: string }) => label.name,
        )
      const remove = () =>
        user.call('project_labels_delete', { project_key: 'INBOX', label_id: 'bug', strip_from_items: false })
      const { id, kept_items } = await remove()
      assert.equal(kept_items, 1)
      assert.deepEqual(await names(), [])
      assert.deepEqual((await user.call('items_get', { item_ref: '#1' })).item.labels, ['bug'])
      await assert.rejects(user.call('project_labels_patch', { project_key: 'INBOX', label_id: id, name: 'x' }), {
        code: 'not_found',
      })
      await user.call('items_patch', { item_ref: '#1', labels: ['bug', 'ui'] })
      assert.deepEqual(await names(), ['ui'], 'an item that carries it already does not bring it back')
      await assert.rejects(user.call('project_labels_patch', { project_key: 'INBOX', label_id: 'ui', name: 'Bug' }), {
        code: 'conflict',
        hint: /project_labels_create/,
      })

      await user.call('items_patch', { item_ref: '#2', labels: ['Bug'] })
      assert.deepEqual(await names(), ['bug', 'ui'])
      await remove()
      const again = await user.call('project_labels_create', { project_key: 'INBOX', name: 'Bug', description: 'new' })
      assert.deepEqual([again.label.id, again.label.item_count], [id, 2])
      assert.deepEqual((await user.call('items_get', { item_ref: '#1' })).item.labels, ['Bug', 'ui'])

      await user.call('project_labels_create', { project_key: 'INBOX', name: 'unused' })
      const unused = { project_key: 'INBOX', label_id: 'unused', strip_from_items: false }
      assert.equal((await user.call('project_labels_delete', unused)).kept_items, 0)
    },
  )

  verifies(
    'results.write_changed',
    'a conditional change of a label that changed since the read is refused',
    async () => {
      const user = await newUser()
      const { label } = await user.call('project_labels_create', { project_key: 'INBOX', name: 'a' })
      const patch = (description: string, ifUpdatedAt: string) =>
        user.call(
          'project_labels_patch',
          { project_key: 'INBOX', label_id: 'a', description },
          { meta: { ifUpdatedAt } },
        )
      await patch('first', label.updated_at)
      await assert.rejects(patch('second', '2020-01-01T00:00:00Z'), { code: 'stale_write' })
    },
  )

  verifies(
    ['ownership.viewer_reads', 'ownership.invisible'],
    'viewers can list labels but not change them; for non-members the project does not exist',
    async () => {
      const user = await newUser()
      await user.createProject('APP')
      const bob = await newUser()
      await user.call('project_labels_create', { project_key: 'APP', name: 'a' })
      await assert.rejects(bob.call('project_labels_list', { project_key: 'APP' }), { code: 'not_found' })
      await assert.rejects(bob.call('project_labels_patch', { project_key: 'APP', label_id: 'a', name: 'b' }), {
        code: 'not_found',
        field: 'project_key',
      })
      await user.share('APP', bob.email, 'viewer')
      assert.equal((await bob.call('project_labels_list', { project_key: 'APP' })).labels.length, 1)
      for (const tool of ['project_labels_patch', 'project_labels_delete']) {
        await assert.rejects(bob.call(tool, { project_key: 'APP', label_id: 'a' }), { code: 'forbidden' })
      }
      await assert.rejects(bob.call('project_labels_create', { project_key: 'APP', name: 'b' }), { code: 'forbidden' })
      await user.share('APP', bob.email, 'editor')
      const { item } = await bob.call('items_create', { project_key: 'APP', title: 'by bob', labels: ['A', 'new'] })
      assert.deepEqual(item.labels, ['a', 'new'])
    },
  )

  verifies(
    'results.list_plural',
    'each tool sends a fixed number of statements, however many labels and items there are',
    async () => {
      const user = await newUser()
      const count = async (name: string, args: object) =>
        (await statements(() => user.call(name, { project_key: 'INBOX', ...args }))).length
      const counts = async (suffix: string) => [
        await count('project_labels_create', { name: `made ${suffix}` }),
        await count('project_labels_list', {}),
        await count('project_labels_patch', {
          label_id: `made ${suffix}`,
          name: `renamed ${suffix}`,
          color_hex: '#000000',
        }),
        await count('project_labels_delete', { label_id: `renamed ${suffix}` }),
      ]
      assert.deepEqual(await counts('one'), [3, 1, 3, 3])
      for (let n = 0; n < 6; n++) {
        await user.call('items_create', { project_key: 'INBOX', title: `item ${n}`, labels: ['hot', `label ${n}`] })
      }
      assert.deepEqual(await counts('two'), [3, 1, 3, 3])
      const hot = await count('project_labels_delete', { label_id: 'hot' })
      const cold = await count('project_labels_delete', { label_id: 'label 1' })
      assert.equal(hot, cold, 'six items cost what one costs')
    },
  )
})
