import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { test } from 'node:test'
import { definePlugin, sql, Type } from 'tasuki/plugin'
import { itemSections } from '../../../plugins/items/points.ts'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'
import { itemsHost } from './setup.ts'

/** Adds two sections to items_context_get. */
const sections = definePlugin({
  name: 'sections',
  version: '1.0.0',
  api: 1,
  group: 'sections',
  dependsOn: ['items'],
  contributes: [
    itemSections({
      name: 'numbers',
      schema: Type.Array(Type.Integer()),
      sql: () => sql`select json_agg(n order by n) from generate_series(1, i.number) n`,
    }),
    itemSections({ name: 'nothing', schema: Type.Array(Type.Integer()), sql: () => sql`select null::json` }),
  ],
})

forEachEngine('items_get and items_context_get', engine => {
  const shared = itemsHost(engine, { plugins: [sections] })
  const { newUser, statements } = shared

  verifies(
    ['items_get.types', 'item.types', 'results.ref_beside_uuid', 'results.utc'],
    'every type is read completely, with its reference next to the ids',
    async () => {
      const user = await newUser()
      for (const type of ['task', 'note', 'event', 'task_template']) {
        const ref = await user.task({ title: `A ${type}`, detail: 'Body' })
        await shared.host.sql`
          update items.items set type = ${type} where owner_id = ${user.userId} and number = ${Number(ref.split('#')[1])}`
        const item = await user.get(ref)
        assert.deepEqual([item['ref'], item['type'], item['title'], item['detail']], [ref, type, `A ${type}`, 'Body'])
        for (const name of ['created_at', 'updated_at', 'last_activity_at']) {
          assert.match(item[name], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        }
      }
      assert.deepEqual(await user.refs(), ['INBOX#1'])
    },
  )

  verifies(
    ['items_get.slice', 'items_get.truncated', 'items_get.whole'],
    'joined slices give the body, whatever its characters and the size of the slices',
    async () => {
      const user = await newUser()
      await user.task('Long')
      const body = fc.string({ unit: fc.constantFrom('a', '会', '😀', 'e\u0301', '\r\n'), maxLength: 40 })
      await fc.assert(
        fc.asyncProperty(body, fc.integer({ min: 1, max: 15 }), async (detail, size) => {
          await user.call('items_patch', { item_ref: '#1', detail })
          const characters = Array.from(detail)
          const parts: string[] = []
          let offset: number | undefined = 0
          while (offset !== undefined) {
            const args = { item_ref: '#1', detail_offset: offset, detail_max_chars: size }
            const { item } = await user.call('items_get', args)
            parts.push(item.detail)
            const next: number = offset + size
            const more = next < characters.length
            assert.deepEqual(
              [item.detail_truncated, item.detail_next_offset],
              more ? [true, next] : [undefined, undefined],
            )
            assert.equal(item.detail_length, more || offset > 0 ? characters.length : undefined)
            const { item: rest } = await user.call('items_get', { item_ref: '#1', detail_offset: offset })
            assert.equal(rest.detail, characters.slice(offset).join(''))
            assert.ok(!('detail_truncated' in rest))
            offset = item.detail_next_offset
          }
          assert.equal(parts.join(''), detail)
        }),
        { numRuns: 20 },
      )
    },
  )

  test('offsets beyond the body return nothing', async () => {
    const user = await newUser()
    await user.task({ detail: 'short' })
    for (const detail_offset of [5, 100_000, 2 ** 40, 1e300]) {
      const args = { item_ref: '#1', detail_offset, detail_max_chars: 1e300 }
      const { item } = await user.call('items_get', args)
      assert.deepEqual([item.detail, item.detail_length], ['', 5])
    }
  })

  verifies(
    ['items_context_get.item', 'items_context_get.default_all'],
    'the item is returned with all sections, or with the requested ones',
    async () => {
      const user = await newUser()
      await user.task('First')
      await user.task({ title: 'Second', detail: 'x'.repeat(1000) })
      const read = (args: object) => user.call('items_context_get', { item_ref: '#2', ...args })
      const all = await read({})
      assert.deepEqual([all.numbers, all.nothing], [[1, 2], []])
      assert.deepEqual(all.item, await user.get('#2'))
      assert.deepEqual(Object.keys(await read({ include: ['nothing'] })), ['item', 'nothing'])
      assert.deepEqual(Object.keys(await read({ include: [] })), ['item'])
      await assert.rejects(read({ include: ['everything'] }), { code: 'invalid_argument' })
      await assert.rejects(user.call('items_context_get', { item_ref: '#3' }), { code: 'not_found' })
    },
  )

  test('both take one statement', async () => {
    const user = await newUser()
    await user.task({ labels: ['a', 'b'] })
    for (const tool of ['items_get', 'items_context_get']) {
      assert.equal((await statements(() => user.call(tool, { item_ref: '#1' }))).length, 1)
    }
  })
})
