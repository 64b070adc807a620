import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testHost } from 'tasuki/testing'
import { plugin } from '../index.js'

test('a remark is added to an item and listed', async t => {
  const host = await testHost(t, { plugins: [plugin] })
  const { item } = await host.call('items_create', { project_key: 'INBOX', title: 'Buy milk' })
  const { remark } = await host.call('example_remarks_add', { item_ref: item.ref, text: 'Two bottles' })
  assert.equal(remark.item_ref, item.ref)

  const { remarks } = await host.call('example_remarks_list', { item_ref: item.ref })
  assert.deepEqual(
    remarks.map(({ text }) => text),
    ['Two bottles'],
  )
})

test('an unknown item is refused', async t => {
  const host = await testHost(t, { plugins: [plugin] })
  await assert.rejects(host.call('example_remarks_add', { item_ref: 'INBOX#99', text: 'x' }), { code: 'not_found' })
})
