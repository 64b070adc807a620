import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { testHost, type TestHost } from 'tasuki/testing'
import { forEachEngine } from '../../engines.ts'
import { verifies } from '../../verifies.ts'

forEachEngine('custom numbering', engine => {
  const cleanups: (() => Promise<void> | void)[] = []
  let host: TestHost
  before(async () => {
    host = await testHost(
      { after: work => void cleanups.unshift(work) },
      { engine, config: { plugins: { numbering: {} } } },
    )
  })
  after(async () => {
    for (const cleanup of cleanups) await cleanup()
  })
  let series = 0
  const newSeries = async (): Promise<{ key: string; prefix: string }> => {
    const key = `s${++series}`
    const prefix = `SER${series}X`
    await host.command('series create', { key, prefix, user: 'owner@example.com' })
    return { key, prefix }
  }
  const newItem = async (): Promise<string> =>
    (await host.call('items_create', { project_key: 'INBOX', title: 'Invoice' })).item.ref

  verifies(
    ['custom_numbers_assign.auto', 'custom_numbers_unassign.gap', 'custom_sequences_list.preview'],
    'numbers increase, and a released number leaves a gap',
    async () => {
      const { key, prefix } = await newSeries()
      const [a, b, c] = [await newItem(), await newItem(), await newItem()]
      const first = await host.call('custom_numbers_assign', { item_ref: a, series_key: key })
      assert.deepEqual(first.custom_number, { series_key: key, display_ref: `${prefix}-1`, number: 1 })
      assert.deepEqual((await host.call('custom_numbers_assign', { item_ref: a, series_key: key })).changed, [])
      await host.call('custom_numbers_assign', { item_ref: b, series_key: key })
      const gone = await host.call('custom_numbers_unassign', { item_ref: b, series_key: key })
      assert.equal(gone.id, `${prefix}-2`)
      const third = await host.call('custom_numbers_assign', { item_ref: c, series_key: key })
      assert.equal(third.custom_number.number, 3)
      const { sequences } = await host.call('custom_sequences_list')
      const own = sequences.find((each: { series_key: string }) => each.series_key === key)
      assert.equal(own.next_preview, `${prefix}-4`)
      assert.equal(own.freeze_level, 'none')
      await assert.rejects(host.call('custom_numbers_unassign', { item_ref: b, series_key: key }), {
        code: 'not_found',
      })
    },
  )

  verifies(
    [
      'custom_numbers_assign.explicit',
      'custom_numbers_assign.link_only',
      'custom_numbers_assign.exclusive',
      'item_custom_numbers_list.all',
    ],
    'an explicit number is used once, a link has none, and both together are refused',
    async () => {
      const { key, prefix } = await newSeries()
      const { key: other } = await newSeries()
      const [a, b] = [await newItem(), await newItem()]
      await host.call('custom_numbers_assign', { item_ref: a, series_key: key, number: 40 })
      await assert.rejects(host.call('custom_numbers_assign', { item_ref: b, series_key: key, number: 40 }), {
        code: 'conflict',
      })
      assert.equal(
        (await host.call('custom_numbers_assign', { item_ref: b, series_key: key })).custom_number.number,
        41,
      )
      await assert.rejects(
        host.call('custom_numbers_assign', { item_ref: a, series_key: other, number: 1, link_only: true }),
        {
          code: 'invalid_argument',
          field: 'number',
        },
      )
      await host.call('custom_numbers_assign', { item_ref: a, series_key: other, link_only: true })
      assert.deepEqual((await host.call('item_custom_numbers_list', { item_ref: a })).custom_numbers, [
        { series_key: key, display_ref: `${prefix}-40`, number: 40 },
        { series_key: other, number: null },
      ])
    },
  )

  verifies(
    'custom_numbers_assign.frozen',
    'a frozen series assigns no number, not even to its own items; numbers can be removed unless it allows no change',
    async () => {
      const { key } = await newSeries()
      const [a, b] = [await newItem(), await newItem()]
      const linked = await newItem()
      await host.call('custom_numbers_assign', { item_ref: a, series_key: key })
      await host.call('custom_numbers_assign', { item_ref: linked, series_key: key, link_only: true })
      const next = async (): Promise<number> =>
        (await host.call('custom_sequences_list')).sequences.find(
          ({ series_key }: { series_key: string }) => series_key === key,
        ).next_number
      const before = await next()
      await host.command('series freeze', { key, level: 'no_new', user: 'owner@example.com' })
      for (const more of [
        { item_ref: b },
        { item_ref: b, link_only: true },
        { item_ref: linked },
        { item_ref: a, number: 7 },
        { item_ref: a, link_only: true },
      ])
        await assert.rejects(host.call('custom_numbers_assign', { series_key: key, ...more }), { code: 'frozen' })
      assert.equal(await next(), before)
      const same = await host.call('custom_numbers_assign', { item_ref: a, series_key: key })
      assert.deepEqual(same.changed, [])
      await host.call('custom_numbers_unassign', { item_ref: linked, series_key: key })
      await host.command('series freeze', { key, level: 'no_change', user: 'owner@example.com' })
      await assert.rejects(host.call('custom_numbers_assign', { item_ref: a, series_key: key, number: 8 }), {
        code: 'frozen',
      })
      await assert.rejects(host.call('custom_numbers_unassign', { item_ref: a, series_key: key }), { code: 'frozen' })
    },
  )

  verifies(
    ['custom_numbers_assign.display_ref', 'tasks_list.include_custom_numbers', 'refs.display_ref'],
    'a display reference names the item everywhere, and listings show numbers when asked',
    async () => {
      const { key, prefix } = await newSeries()
      const ref = await newItem()
      await host.call('custom_numbers_assign', { item_ref: ref, series_key: key })
      for (const text of [`${prefix}-1`, `${prefix.toLowerCase()}-1`, `${prefix}－１`]) {
        assert.equal((await host.call('items_get', { item_ref: text })).item.ref, ref)
      }
      await host.call('custom_numbers_assign', { item_ref: `${prefix}-1`, series_key: key, number: 9 })
      const { items } = await host.call('tasks_list', { q: `series:${key}`, include_custom_numbers: true })
      assert.deepEqual(
        items.map((item: { ref: string }) => item.ref),
        [ref],
      )
      assert.equal(items[0].custom_numbers[0].display_ref, `${prefix}-9`)
      await assert.rejects(host.call('items_get', { item_ref: 'NOPE-1' }), { code: 'not_found' })
      await assert.rejects(host.call('items_get', { item_ref: 'INBOX-1' }), { code: 'not_found', hint: /INBOX#1/ })
    },
  )

  verifies('custom_numbers_assign.auto', 'twenty parallel calls get twenty numbers', async () => {
    const { key } = await newSeries()
    const refs = await Promise.all(Array.from({ length: 20 }, newItem))
    const results = await Promise.all(
      refs.map(ref => host.call('custom_numbers_assign', { item_ref: ref, series_key: key })),
    )
    const numbers = results.map(result => result.custom_number.number as number).toSorted((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
  })

  verifies('custom_sequences_list.preview', 'a series that has given its last number previews none', async () => {
    const { key } = await newSeries()
    await host.call('custom_numbers_assign', { item_ref: await newItem(), series_key: key, number: 999_999_999 })
    const { sequences } = await host.call('custom_sequences_list')
    const own = sequences.find((each: { series_key: string }) => each.series_key === key)
    assert.deepEqual([own.next_number, own.next_preview], [undefined, undefined])
  })
})
