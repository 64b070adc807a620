import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolFailure } from 'tasuki/testing'
import { forEachEngine } from './engines.ts'
import { sharedHost } from './shared-host.ts'

forEachEngine('writes to what hangs on an item', engine => {
  const { newUser, command } = sharedHost(engine, { config: { plugins: { project_admin: true } } })

  test('honour _meta.ifUpdatedAt of the item, as items_patch does', async () => {
    const user = await newUser()
    await command('series create', { key: 'part', prefix: 'PAR', user: user.email })
    const make = async (title: string) => (await user.call('items_create', { project_key: 'INBOX', title })).item
    const [item, parent, other] = [await make('Child'), await make('Parent'), await make('Other')]
    const stale = { meta: { ifUpdatedAt: item.updated_at } }
    await user.call('items_patch', { item_ref: item.ref, parent: parent.ref })
    const [relation] = (await user.call('relations_list', { item_ref: item.ref })).relations
    const link = { relation_type: 'parent', source_item_ref: item.ref, target_item_ref: other.ref }
    const file = { filename: 'a.txt', mime_type: 'text/plain', content_base64: 'YQ==' }
    const calls: [tool: string, args: object][] = [
      ['relations_create', link],
      ['relations_delete', { relation_id: relation.id }],
      ['custom_numbers_assign', { item_ref: item.ref, series_key: 'part' }],
      ['custom_numbers_unassign', { item_ref: item.ref, series_key: 'part' }],
      ['attachments_upload', { parent_kind: 'item', parent_ref: item.ref, ...file }],
      ['discussions_create', { item_ref: item.ref, body: 'Hello' }],
      ['code_refs_add', { item_ref: item.ref, url: 'https://example.com/' }],
    ]
    for (const [tool, args] of calls)
      await assert.rejects(user.confirmed(tool, args, stale), { code: 'stale_write', field: '_meta.ifUpdatedAt' }, tool)
    const bulk = { relation_type: 'parent', member_refs: [item.ref, parent.ref], counterpart_ref: other.ref }
    const { results } = await user.confirmed('relations_bulk_create', bulk, stale)
    assert.equal(results[0].error.code, 'stale_write')
    const now = (await user.call('items_get', { item_ref: item.ref })).item
    assert.equal(now.parent_ref, parent.ref)
    const moved = await user.call('relations_create', link, { meta: { ifUpdatedAt: now.updated_at } })
    assert.equal(moved.created, true)
  })

  test('the refusal shows the first 500 characters of a long text, and says so', async () => {
    const user = await newUser()
    const { item } = await user.call('items_create', { project_key: 'INBOX', title: 'A', detail: 'x'.repeat(30_000) })
    const meta = { ifUpdatedAt: '2020-01-01T00:00:00Z' }
    await assert.rejects(
      user.call('items_patch', { item_ref: item.ref, title: 'B' }, { meta }),
      (error: ToolFailure) => {
        assert.equal(
          error.hint,
          'Look at the current values, and read detail whole, then send your change again with the new updated_at.',
        )
        const { current } = error.details as { current: { title: string; detail: string } }
        assert.deepEqual([current.title, current.detail], ['A', `${'x'.repeat(499)}…`])
        return true
      },
    )
  })
})
