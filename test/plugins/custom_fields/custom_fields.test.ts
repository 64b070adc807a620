import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeKey, pickField } from '../../../plugins/custom_fields/field.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { sharedHost } from '../../shared-host.ts'

test('keys are derived from labels and never reused', () => {
  assert.equal(makeKey('Customer Name', []), 'customer_name')
  assert.equal(makeKey('Customer Name', ['customer_name']), 'customer_name_2')
  assert.equal(makeKey('Größe (cm)', []), 'gro_e_cm')
  assert.equal(makeKey('顧客', []), 'field_1')
  assert.equal(makeKey('顧客', ['field_1', 'field_2']), 'field_3')
  assert.equal(makeKey('2nd phone', []), 'nd_phone')
})

test('a key of a million characters is refused without comparing it with each field', () => {
  const fields = Array.from({ length: 20 }, (_, n) => ({ id: '', field_key: `f${n}`, label: '', field_type: 'text' }))
  const rows = fields.map(field => ({ ...field, is_required: false, display_order: 0, is_active: true }))
  const began = process.threadCpuUsage()
  assert.throws(() => pickField(rows, 'ﷺ'.repeat(1_000_000), { key: 'APP' }), { code: 'not_found' })
  const { user, system } = process.threadCpuUsage(began)
  // Normalizing the key takes 100 ms each time.
  assert.ok(user + system < 200_000, `${user + system} µs`)
  assert.equal(pickField(rows, ' Ｆ7 ', { key: 'APP' }).field_key, 'f7')
})

forEachEngine('custom fields', engine => {
  const { newUser, statements } = sharedHost(engine, { config: { plugins: { custom_fields: {} } } })
  const keysOf = (fields: { field_key: string }[]) => fields.map(field => field.field_key)

  test('fields that are made at once with one label get keys of their own', async () => {
    const user = await newUser()
    const size = { project_key: 'INBOX', label: 'Size' }
    const made = await Promise.all([1, 2, 3, 4, 5, 6].map(() => user.call('project_custom_fields_create', size)))
    const keys = keysOf(made.map(({ custom_field: field }) => field)).toSorted()
    assert.deepEqual(keys, ['size', 'size_2', 'size_3', 'size_4', 'size_5', 'size_6'])
  })

  test('a second field with the same label is made with a warning', async () => {
    const user = await newUser()
    const create = (label: string) => user.call('project_custom_fields_create', { project_key: 'INBOX', label })
    assert.equal((await create('Size')).warnings, undefined)
    const warning = 'INBOX has a field with this label already: size.'
    assert.deepEqual((await create(' ＳＩＺＥ ')).warnings, [warning])
    await create('Color')
    await user.call('project_custom_fields_delete', { project_key: 'INBOX', field_key: 'color' })
    assert.deepEqual((await create('Color')).warnings, [
      'INBOX has a field with this label already: color; project_custom_fields_update is_active=true would bring it back.',
    ])
  })

  verifies(
    [
      'project_custom_fields_create.key',
      'project_custom_fields_create.text_only',
      'project_custom_fields_delete.deactivates',
      'project_custom_fields_update.reactivates',
      'project_custom_fields_update.immutable_key',
      'project_custom_fields_list.inactive',
    ],
    'fields are created, changed, disabled and restored with their values',
    async () => {
      const user = await newUser()
      const project = { project_key: 'INBOX' }
      const { custom_field: field } = await user.call('project_custom_fields_create', {
        ...project,
        label: 'Customer',
        display_order: 2,
      })
      assert.deepEqual(field, {
        field_key: 'customer',
        label: 'Customer',
        field_type: 'text',
        is_required: false,
        display_order: 2,
        is_active: true,
      })
      await user.call('project_custom_fields_create', { ...project, label: '電話', field_key: 'phone' })
      await assert.rejects(user.call('project_custom_fields_create', { ...project, label: 'x', field_key: 'phone' }), {
        code: 'conflict',
      })
      for (const wrong of ['Phone', '1st', 'a-b', 'x'.repeat(65)]) {
        await assert.rejects(user.call('project_custom_fields_create', { ...project, label: 'x', field_key: wrong }), {
          code: 'invalid_argument',
          field: 'field_key',
        })
      }
      await assert.rejects(user.call('project_custom_fields_create', { ...project, label: 'x'.repeat(81) }), {
        code: 'invalid_argument',
        field: 'label',
      })
      const longest = { ...project, label: 'x'.repeat(80), field_key: 'k'.repeat(64) }
      await user.call('project_custom_fields_create', longest)
      await user.call('project_custom_fields_delete', { ...project, field_key: longest.field_key })
      const { item } = await user.call('items_create', { ...project, title: 'Call' })
      await user.call('items_set_custom_fields', { item_ref: item.ref, custom_fields: { phone: '03-1234' } })
      const gone = await user.call('project_custom_fields_delete', { ...project, field_key: 'phone' })
      assert.deepEqual(gone, { deleted: true, id: 'phone', kept_values: 1 })
      const inactive = { item_ref: item.ref, custom_fields: { phone: '03-9999' } }
      await assert.rejects(user.call('items_set_custom_fields', inactive), {
        code: 'not_found',
        field: 'custom_fields',
      })
      assert.deepEqual(keysOf((await user.call('project_custom_fields_list', project)).custom_fields), ['customer'])
      assert.deepEqual(
        keysOf((await user.call('project_custom_fields_list', { ...project, include_inactive: true })).custom_fields),
        ['k'.repeat(64), 'phone', 'customer'],
      )
      assert.equal((await user.call('items_get', { item_ref: item.ref })).item.custom_fields, undefined)
      const back = await user.call('project_custom_fields_update', {
        ...project,
        field_key: 'phone',
        is_active: true,
        label: 'Phone',
      })
      assert.deepEqual(back.changed, ['is_active', 'label'])
      assert.equal(back.custom_field.field_key, 'phone')
      const rename = { ...project, field_key: 'phone', new_field_key: 'telephone' }
      await assert.rejects(user.call('project_custom_fields_update', rename), { code: 'unknown_argument' })
      assert.equal((await user.call('items_get', { item_ref: item.ref })).item.custom_fields[0].value, '03-1234')
      await assert.rejects(user.call('project_custom_fields_update', { ...project, field_key: 'nope', label: 'x' }), {
        code: 'not_found',
      })
    },
  )

  verifies(
    [
      'items_set_custom_fields.values',
      'items_set_custom_fields.clears',
      'items_set_custom_fields.unknown',
      'tasks_list.include_custom_fields',
      'items_grep.custom',
      'filter.key_cf',
    ],
    'values are set and cleared by key, shown when asked, filtered and searched',
    async () => {
      const user = await newUser()
      const project = { project_key: 'INBOX' }
      for (const label of ['Customer', 'Site']) await user.call('project_custom_fields_create', { ...project, label })
      const { item } = await user.call('items_create', { ...project, title: 'Install' })
      const set = (custom_fields: object) => user.call('items_set_custom_fields', { item_ref: item.ref, custom_fields })
      assert.deepEqual((await set({ customer: 'Acme 株式会社', site: 'Tokyo' })).changed, [
        'custom_fields.customer',
        'custom_fields.site',
      ])
      assert.deepEqual((await set({ customer: 'Acme 株式会社', site: '' })).changed, ['custom_fields.site'])
      await assert.rejects(set({ nope: 'x', also: 'y' }), { code: 'not_found', field: 'custom_fields' })
      const listed = await user.call('tasks_list', { include_custom_fields: true, q: 'cf.customer:acme' })
      assert.deepEqual(listed.items[0].custom_fields, [
        { field_key: 'customer', label: 'Customer', field_type: 'text', value: 'Acme 株式会社' },
      ])
      assert.ok(!('custom_fields' in (await user.call('tasks_list', {})).items[0]))
      assert.equal((await user.call('tasks_list', { q: 'cf.site:any' })).items.length, 0)
      assert.equal((await user.call('tasks_list', { q: 'has:custom_field' })).items.length, 1)
      assert.equal((await user.call('items_grep', { pattern: '株式' })).items[0].snippets[0].field, 'custom.value')
      assert.equal((await user.call('items_grep', { pattern: '株式', custom_field_keys: ['site'] })).items.length, 0)
      assert.equal((await user.call('items_grep', { pattern: 'customer', fields: ['custom.key'] })).items.length, 1)
      const { activities } = await user.call('activities_list', { item_ref: item.ref, kind: 'item.custom_fields.*' })
      assert.equal(activities.length, 3)
      assert.deepEqual((await set({ customer: null })).changed, ['custom_fields.customer'])
    },
  )

  verifies(
    'project_custom_fields.required',
    'completing an item without a required field gives a warning, and the field cannot be cleared',
    async () => {
      const user = await newUser()
      await user.call('project_custom_fields_create', { project_key: 'INBOX', label: 'Invoice', is_required: true })
      const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Bill' })
      const ref = { item_ref: item.ref }
      const done = await user.call('items_complete', ref)
      assert.equal(done.item.status, 'Done')
      assert.match(done.warnings[0], /^INBOX#1 is done without invoice\b.*items_set_custom_fields/)
      assert.equal((await user.call('items_complete', ref)).warnings, undefined)
      await user.call('items_move_state', { ...ref, status_definition_id: 'Backlog' })
      const givenUp = await user.call('items_move_state', { ...ref, status_definition_id: "Won't fix" })
      assert.equal(givenUp.warnings, undefined)
      await user.call('items_move_state', { ...ref, status_definition_id: 'Backlog' })
      await user.call('items_set_custom_fields', { ...ref, custom_fields: { invoice: '2026-1' } })
      await assert.rejects(user.call('items_set_custom_fields', { ...ref, custom_fields: { invoice: null } }), {
        code: 'invalid_argument',
      })
      const { item: billed, warnings } = await user.call('items_complete', ref)
      assert.deepEqual([billed.status, warnings], ['Done', undefined])
    },
  )

  verifies('items_set_custom_fields.values', 'the number of statements does not grow with the fields', async () => {
    const user = await newUser()
    for (let n = 1; n <= 6; n++)
      await user.call('project_custom_fields_create', { project_key: 'INBOX', label: `F${n}` })
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Many' })
    const set = (custom_fields: object) =>
      statements(() => user.call('items_set_custom_fields', { item_ref: item.ref, custom_fields }))
    const one = await set({ f1: 'a' })
    const many = await set({ f2: 'a', f3: 'b', f4: 'c', f5: 'd', f6: 'e' })
    assert.equal(many.length, one.length)
    assert.equal((await statements(() => user.call('project_custom_fields_list', { project_key: 'INBOX' }))).length, 1)
  })

  test('a field that a call names in two spellings is refused with both', async () => {
    const user = await newUser()
    await user.call('project_custom_fields_create', { project_key: 'INBOX', label: 'Kunde' })
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'Call' })
    for (const custom_fields of [
      { Kunde: 'x', kunde: 'y' },
      { ｋunde: 'x', kunde: null },
      { Kunde: null, kunde: '' },
    ]) {
      await assert.rejects(user.call('items_set_custom_fields', { item_ref: item.ref, custom_fields }), {
        code: 'invalid_argument',
        field: 'custom_fields',
        message: /(Kunde|ｋunde)\W+and\W+kunde\W/,
      })
    }
    const read = await user.call('items_get', { item_ref: item.ref })
    assert.deepEqual(read.item.custom_fields ?? [], [])
  })
})
