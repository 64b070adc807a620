import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { plugin } from '../index.ts'

test('a remark is added to an item, edited and listed', async t => {
  const host = await testHost(t, { plugins: [plugin] })
  const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk' })
  const { remark } = await host.call('example_remarks_add', { item_ref: item.ref, text: 'One bottle' })
  assert.equal(remark.item_ref, item.ref)
  await host.call('example_remarks_edit', { item_ref: item.ref, id: remark.id, text: 'Two bottles' })

  const { remarks } = await host.call('example_remarks_list', { item_ref: item.ref })
  assert.deepEqual(
    remarks.map(({ text }: { text: string }) => text),
    ['Two bottles'],
  )
})

test('an unknown item and a remark of another item are refused', async t => {
  const host = await testHost(t, { plugins: [plugin] })
  await assert.rejects(host.call('example_remarks_add', { item_ref: 'INBOX#99', text: 'x' }), { code: 'not_found' })

  const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk' })
  const { item: other } = await host.call('items_create', { project_key: 'INBOX', title: 'Buy bread' })
  const { remark } = await host.call('example_remarks_add', { item_ref: item.ref, text: 'x' })
  const edit = { item_ref: other.ref, id: remark.id, text: 'y' }
  await assert.rejects(host.call('example_remarks_edit', edit), { code: 'not_found' })
})
